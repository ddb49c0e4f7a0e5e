"""Every pair of option values: for each operator, one covering array over the other options."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from gatewise_corpus.case import AttributeValue, Case
from gatewise_corpus.coverage import CONSTRAINTS, FACTORS, Constraint
from gatewise_corpus.recipes.recipe import Recipe, Sizes, draw
from gatewise_corpus.store import About

Row = Mapping[str, str]

_SIZES = {
    "tiny": (Sizes(3, 2, 1, 3), Sizes(2, 3, 3, 1), Sizes(3, 2, 2, 1)),
    "odd": (Sizes(4, 3, 2, 5), Sizes(3, 5, 4, 7), Sizes(6, 2, 9, 11), Sizes(5, 4, 3, 6)),
    "vector": (Sizes(3, 2, 5, 8), Sizes(2, 4, 7, 16), Sizes(5, 3, 9, 24)),
    "wide": (Sizes(2, 3, 64, 20), Sizes(3, 2, 5, 65), Sizes(2, 5, 66, 33)),
    "long": (Sizes(33, 3, 2, 4), Sizes(40, 2, 3, 5), Sizes(65, 2, 4, 3)),
}
_CLIPS = {"positive": (0.3, 0.7, 1.5), "infinite": (float("inf"),), "zero": (0.0,), "negative": (-0.5, -1.0)}
_OPTIONAL = ("B", "initial_h", "initial_c", "P")
_SETS: Mapping[str, Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "none": {
        "RNN": (("Relu",), ("Sigmoid",), ("Softsign",), ("Softplus",)),
        "GRU": (("Sigmoid", "Softsign"), ("HardSigmoid", "Relu"), ("Tanh", "Sigmoid")),
        "LSTM": (("Sigmoid", "Softsign", "Relu"), ("HardSigmoid", "Relu", "Tanh"), ("Tanh", "Sigmoid", "Softsign")),
    },
    "alpha": {
        "RNN": (("LeakyRelu",), ("ThresholdedRelu",), ("Elu",)),
        "GRU": (("HardSigmoid", "LeakyRelu"), ("Sigmoid", "Elu"), ("HardSigmoid", "ThresholdedRelu")),
        "LSTM": (("Sigmoid", "LeakyRelu", "Elu"), ("HardSigmoid", "Elu", "Tanh"), ("Sigmoid", "Tanh", "LeakyRelu")),
    },
    "both": {
        "RNN": (("Affine",), ("ScaledTanh",), ("HardSigmoid",)),
        "GRU": (("HardSigmoid", "ScaledTanh"), ("HardSigmoid", "Affine"), ("Sigmoid", "ScaledTanh")),
        "LSTM": (
            ("HardSigmoid", "ScaledTanh", "Affine"),
            ("HardSigmoid", "Affine", "ScaledTanh"),
            ("Sigmoid", "ScaledTanh", "HardSigmoid"),
        ),
    },
}
_UNSAID = ("default", "absent", "none")
_ALPHAS = (0.25, 0.6, 1.1, 0.4, 0.8, 0.15)
_BETAS = (0.45, 0.75, 0.3, 0.55, 0.2, 0.9)


def recipes() -> Iterator[Recipe]:
    """One case for each row of the three covering arrays."""
    for operator in FACTORS["operator"]:
        for index, row in enumerate(_rows(operator)):
            yield _recipe(f"{operator.lower()}/covering-{index:02}", index, row)


def _rows(operator: str) -> list[Row]:
    import covertable  # noqa: PLC0415 - only those who make the corpus have it

    factors = {name: list(values) for name, values in FACTORS.items()} | {"operator": [operator]}
    rows: list[Row] = covertable.make(factors, constraints=[_condition(constraint) for constraint in CONSTRAINTS])
    return rows


def _condition(constraint: Constraint) -> dict[str, Any]:
    """A constraint as covertable has it: not one of the values, or one of the allowed ones."""
    return {
        "operator": "or",
        "conditions": [
            {
                "operator": "not",
                "condition": {"operator": "in", "left": constraint.factor, "values": list(constraint.values)},
            },
            {"operator": "in", "left": constraint.needed, "values": list(constraint.allowed)},
        ],
    }


def _recipe(name: str, index: int, row: Row) -> Recipe:
    told = ", ".join(f"{factor} {value}" for factor, value in row.items() if value not in _UNSAID)
    about = About(why=f"These options meet: {told}.", origin="covering", flags=("options",))
    return Recipe(name, _case(name, index, row), about)


def _case(name: str, index: int, row: Row) -> Case:
    sizes = _pick(_SIZES[row["size"]], index)
    return draw(
        name,
        row["operator"],
        sizes,
        opset=int(row["opset"]),
        attributes=_attributes(row, index),
        optional=[slot for slot in _OPTIONAL if row[slot] == "given"],
        lengths=_lengths(row["sequence_lens"], sizes),
        outputs=row["outputs"].split("+"),
        constants=("W", "R", "B", "P") if row["weights"] == "constant" else (),
    )


def _attributes(row: Row, index: int) -> dict[str, AttributeValue]:
    attributes: dict[str, AttributeValue] = {}
    if row["direction"] != "forward" or index % 2:
        attributes["direction"] = row["direction"]
    if row["layout"] == "1":
        attributes["layout"] = 1
    for flag in ("linear_before_reset", "input_forget"):
        if row[flag] == "1":
            attributes[flag] = 1
    if row["clip"] != "absent":
        attributes["clip"] = float("nan") if row["clip"] == "nan" else _pick(_CLIPS[row["clip"]], index)
    if row["activations"] != "default":
        attributes["activations"] = _activations(row, index)
    if row["parameters"] in {"alpha", "both"}:
        attributes["activation_alpha"] = _ALPHAS
    if row["parameters"] in {"beta", "both"}:
        attributes["activation_beta"] = _BETAS
    return attributes


def _activations(row: Row, index: int) -> tuple[str, ...]:
    takes = "both" if row["parameters"] == "beta" else row["parameters"]
    sets = _SETS[takes][row["operator"]]
    first: tuple[str, ...] = _pick(sets, index)
    return first if row["activations"] == "one-set" else (*first, *_pick(sets, index + 1))


def _lengths(kind: str, sizes: Sizes) -> list[int] | None:
    """Lengths of this kind for each row."""
    seq, batch = sizes.seq, sizes.batch
    kinds: dict[str, list[int] | None] = {
        "absent": None,
        "full": [seq] * batch,
        "mixed": list(itertools.islice(itertools.cycle([1, seq, max(1, seq - 1), max(1, seq // 2)]), batch)),
        "some-zero": list(itertools.islice(itertools.cycle([seq, 0, max(1, seq - 1)]), batch)),
        "all-zero": [0] * batch,
    }
    return kinds[kind]


def _pick(values: tuple[Any, ...], index: int) -> Any:
    return values[index % len(values)]
