"""Each activation in each place, with and without its parameters; the cursors of alpha and beta."""

from collections.abc import Iterator, Mapping

from gatewise_corpus.activations import ACTIVATIONS, ActivationKind
from gatewise_corpus.case import AttributeValue
from gatewise_corpus.operators import OPERATORS
from gatewise_corpus.recipes.recipe import Recipe, Sizes, draw
from gatewise_corpus.store import About

_SIZES = Sizes(seq=4, batch=3, input=2, hidden=5)
_EXPLICIT_ONLY = ("Affine", "ScaledTanh", "ThresholdedRelu")
"""D07: their defaults differ between runtimes, so a portable case gives the parameters."""


def recipes() -> Iterator[Recipe]:
    """Every activation in every place of every operator; cursors; names in other letter cases."""
    for operator, table in OPERATORS.items():
        for place in range(len(table.default_activations)):
            for kind in ACTIVATIONS.values():
                yield _in_place(operator, kind, place)
        yield from _defaults(operator)
        yield from _cursors(operator)


def _recipe(
    name: str, operator: str, attributes: Mapping[str, AttributeValue], why: str, tests: tuple[str, ...] = ()
) -> Recipe:
    case = draw(name, operator, _SIZES, attributes=attributes)
    return Recipe(name, case, About(why=why, origin="activations", flags=("activations",), tests=tests))


def _in_place(operator: str, kind: ActivationKind, place: int) -> Recipe:
    names = list(OPERATORS[operator].default_activations)
    names[place] = kind.name
    attributes: dict[str, AttributeValue] = {"activations": tuple(names)}
    if kind.alpha is not None:
        attributes["activation_alpha"] = (0.35,)
    if kind.beta is not None:
        attributes["activation_beta"] = (0.6,)
    letter = "fgh"[place]
    return _recipe(
        f"{operator.lower()}/activation-{letter}-{kind.name.lower()}",
        operator,
        attributes,
        f"{kind.name} as activation {letter}: {kind.formula}.",
    )


def _defaults(operator: str) -> Iterator[Recipe]:
    """Activations whose parameters are left out take their own defaults (D07)."""
    for kind in ACTIVATIONS.values():
        if kind.alpha is None:
            continue
        names = (*OPERATORS[operator].default_activations[:-1], kind.name)
        tests = ("D07",) if kind.name in _EXPLICIT_ONLY else ()
        yield _recipe(
            f"{operator.lower()}/default-parameters-{kind.name.lower()}",
            operator,
            {"activations": names},
            f"{kind.name} without alpha and beta takes its own defaults.",
            tests,
        )


def _cursors(operator: str) -> Iterator[Recipe]:
    folder = operator.lower()
    mixed = {
        "RNN": ("HardSigmoid", "LeakyRelu"),
        "GRU": ("HardSigmoid", "LeakyRelu", "Sigmoid", "ScaledTanh"),
        "LSTM": ("HardSigmoid", "LeakyRelu", "ScaledTanh", "Sigmoid", "Elu", "Affine"),
    }[operator]
    attributes: dict[str, AttributeValue] = {
        "direction": "bidirectional",
        "activations": mixed,
        "activation_alpha": (0.3, 0.2, 1.2, 0.7, 0.4)[: sum(ACTIVATIONS[name].alpha is not None for name in mixed)],
        "activation_beta": (0.4, 0.7, 0.15)[: sum(ACTIVATIONS[name].beta is not None for name in mixed)],
    }
    yield _recipe(
        f"{folder}/cursors-bidirectional",
        operator,
        attributes,
        "Alpha and beta are dealt out in the order of the activations, each by its own cursor, over both directions.",
    )
    short = dict(attributes) | {"activation_alpha": (0.3,), "activation_beta": (0.4,)}
    yield _recipe(
        f"{folder}/cursors-run-out",
        operator,
        short,
        "Activations behind the end of alpha and beta take their own defaults.",
    )
    one_set = (*OPERATORS[operator].default_activations[:-1], "LeakyRelu")
    yield _recipe(
        f"{folder}/one-set-bidirectional",
        operator,
        {"direction": "bidirectional", "activations": one_set, "activation_alpha": (0.1, 0.45)},
        "One set of names serves both directions, and the cursor runs on into the second.",
        ("D09",),
    )
    yield _recipe(
        f"{folder}/surplus-parameters",
        operator,
        {"activations": one_set, "activation_alpha": (0.1, 0.45, 0.9), "activation_beta": (0.7,)},
        "Alpha and beta that no activation takes are ignored.",
        ("D12",),
    )
    spelled = tuple(name.upper() if index % 2 else name.lower() for index, name in enumerate(one_set))
    yield _recipe(
        f"{folder}/names-in-any-case",
        operator,
        {"activations": spelled, "activation_alpha": (0.1,)},
        "Names of activations are found in any letter case.",
        ("D08",),
    )
    yield _recipe(
        f"{folder}/empty-activations",
        operator,
        {"activations": ()},
        "An empty list of activations means the defaults.",
        ("D11",),
    )
    if operator == "RNN":
        yield _recipe(
            "rnn/cursors-apart",
            operator,
            {
                "direction": "bidirectional",
                "activations": ("LeakyRelu", "Affine"),
                "activation_alpha": (0.3, 0.8),
                "activation_beta": (0.7,),
            },
            "LeakyRelu moves the cursor of alpha and not that of beta.",
        )
        yield _recipe(
            "rnn/two-names-one-direction",
            operator,
            {"activations": ("LeakyRelu", "Elu"), "activation_alpha": (0.3,)},
            "Of two names for one direction the first is used; the second takes no alpha.",
            ("D10",),
        )
