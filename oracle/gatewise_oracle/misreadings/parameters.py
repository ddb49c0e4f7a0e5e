"""activation_alpha and activation_beta: who takes which value, and what holds where one is missing."""

from collections.abc import Callable, Sequence
from itertools import chain

from gatewise_corpus.activations import ActivationKind
from gatewise_corpus.case import Case
from gatewise_corpus.layer import Layer, read_layer
from gatewise_oracle.misreadings import when
from gatewise_oracle.readings import Reading

Kinds = Sequence[ActivationKind]
Values = Sequence[float]
Pairs = list[tuple[float, float]]
Deal = Callable[[Sequence[Kinds], Values, Values], Pairs]
"""From each direction's functions, alpha and beta as given, to (alpha, beta) of all functions in a row."""


def _dealt(deal: Deal) -> Callable[[Case], Case]:
    """The case in which every parameter is spelled out as one has it who deals them out in this way."""

    def change(case: Case) -> Case:
        groups = [[activation.kind for activation in own] for own in read_layer(case).activations]
        kinds = list(chain(*groups))
        pairs = deal(groups, _given(case, "alpha"), _given(case, "beta"))
        alpha = tuple(pair[0] for kind, pair in zip(kinds, pairs, strict=True) if kind.alpha is not None)
        beta = tuple(pair[1] for kind, pair in zip(kinds, pairs, strict=True) if kind.beta is not None)
        return case.with_attributes(activation_alpha=alpha or None, activation_beta=beta or None)

    return change


def _given(case: Case, name: str) -> list[float]:
    values = case.attributes.get(f"activation_{name}", ())
    return [float(value) for value in values] if isinstance(values, tuple) else []


def _differs(deal: Deal) -> when.Applies:
    def applies(case: Case, layer: Layer) -> bool:
        return when.runs(case, layer) and read_layer(_dealt(deal)(case)).activations != layer.activations

    return applies


def _or(values: Values, place: int, default: float | None) -> float:
    return values[place] if place < len(values) else default or 0.0


def _by_cursors(groups: Sequence[Kinds], alphas: Values, betas: Values) -> Pairs:
    """As the specification has it: a cursor for alpha and one for beta."""
    pairs, alpha, beta = [], 0, 0
    for kind in chain(*groups):
        pairs.append((_or(alphas, alpha, kind.alpha), _or(betas, beta, kind.beta)))
        alpha, beta = alpha + (kind.alpha is not None), beta + (kind.beta is not None)
    return pairs


def _by_position(groups: Sequence[Kinds], alphas: Values, betas: Values) -> Pairs:
    kinds = enumerate(chain(*groups))
    return [(_or(alphas, place, kind.alpha), _or(betas, place, kind.beta)) for place, kind in kinds]


def _by_one_cursor(groups: Sequence[Kinds], alphas: Values, betas: Values) -> Pairs:
    pairs, place = [], 0
    for kind in chain(*groups):
        pairs.append((_or(alphas, place, kind.alpha), _or(betas, place, kind.beta)))
        place += kind.alpha is not None or kind.beta is not None
    return pairs


def _restarted(groups: Sequence[Kinds], alphas: Values, betas: Values) -> Pairs:
    return [pair for kinds in groups for pair in _by_cursors([kinds], alphas, betas)]


def _last_repeated(groups: Sequence[Kinds], alphas: Values, betas: Values) -> Pairs:
    count = len(list(chain(*groups)))
    return _by_cursors(groups, *([*values, *list(values[-1:]) * count] for values in (alphas, betas)))


def _first_for_all(groups: Sequence[Kinds], alphas: Values, betas: Values) -> Pairs:
    count = len(list(chain(*groups)))
    return _by_cursors(groups, *(list(values[:1]) * count for values in (alphas, betas)))


def _with_defaults(**defaults: tuple[float, float]) -> Deal:
    """Other values where the lists of alpha and beta have none."""

    def deal(groups: Sequence[Kinds], alphas: Values, betas: Values) -> Pairs:
        other = [[_other(kind, defaults) for kind in kinds] for kinds in groups]
        return _by_cursors(other, alphas, betas)

    return deal


def _other(kind: ActivationKind, defaults: dict[str, tuple[float, float]]) -> ActivationKind:
    if kind.name not in defaults:
        return kind
    alpha, beta = defaults[kind.name]
    return ActivationKind(kind.name, kind.formula, alpha, None if kind.beta is None else beta)


def _dealing(name: str, sentence: str, source: str, deal: Deal) -> Reading:
    return Reading(name, sentence, applies=_differs(deal), source=source, case=_dealt(deal))


PARAMETERS = (
    _dealing(
        "alpha-ignored",
        "activation_alpha is not read: the defaults hold",
        "activations known by name only",
        lambda groups, _, betas: _by_cursors(groups, [], betas),
    ),
    _dealing(
        "beta-ignored",
        "activation_beta is not read: the defaults hold",
        "one parameter kept for an activation",
        lambda groups, alphas, _: _by_cursors(groups, alphas, []),
    ),
    _dealing(
        "alpha-and-beta-swapped",
        "the lists of alpha and beta are taken for each other",
        "two arguments of one type",
        lambda groups, alphas, betas: _by_cursors(groups, betas, alphas),
    ),
    _dealing(
        "parameters-by-position",
        "an activation's alpha and beta stand at its own place in the lists, whether those before it take any or not",
        "one value for each name, as the attributes' text may be read; onnx's ReferenceEvaluator wants equal lengths",
        _by_position,
    ),
    _dealing(
        "parameters-from-one-cursor",
        "one cursor runs over alpha and beta together",
        "pairs of parameters read side by side",
        _by_one_cursor,
    ),
    _dealing(
        "parameters-start-again-in-reverse",
        "the second direction's activations take alpha and beta from the start of the lists again",
        "activations read once for each direction",
        _restarted,
    ),
    _dealing(
        "last-parameter-repeats",
        "where alpha or beta run out, the last value holds for the rest",
        "an index bounded by the list's length",
        _last_repeated,
    ),
    _dealing(
        "first-parameter-for-all",
        "the first alpha and the first beta serve all activations",
        "a list read as a scalar (onnx2tf#300)",
        _first_for_all,
    ),
    _dealing(
        "leaky-relu-default-of-keras",
        "LeakyRelu without alpha takes 0.3",
        "the default of Keras 2",
        _with_defaults(LeakyRelu=(0.3, 0.0)),
    ),
    _dealing(
        "hard-sigmoid-default-of-pytorch",
        "HardSigmoid without alpha takes 1/6",
        "Hardsigmoid of PyTorch and Keras 3",
        _with_defaults(HardSigmoid=(1 / 6, 0.5)),
    ),
    _dealing(
        "scaled-tanh-default-of-lecun",
        "ScaledTanh without alpha and beta takes 1.7159 and 2/3",
        "the constants of LeCun et al., 'Efficient BackProp' (1998)",
        _with_defaults(ScaledTanh=(1.7159, 2 / 3)),
    ),
    _dealing(
        "missing-parameters-are-zero",
        "a missing alpha or beta of Elu, HardSigmoid or LeakyRelu is 0",
        "parameters that start as zeros",
        _with_defaults(Elu=(0.0, 0.0), HardSigmoid=(0.0, 0.0), LeakyRelu=(0.0, 0.0)),
    ),
    _dealing(
        "missing-parameters-are-one",
        "a missing alpha or beta is 1",
        "parameters that start as ones",
        _with_defaults(Affine=(1.0, 1.0), HardSigmoid=(1.0, 1.0), LeakyRelu=(1.0, 0.0), ScaledTanh=(1.0, 1.0)),
    ),
)
"""Misreadings of the parameters of activations."""
