"""Hypothesis strategies of cases: valid by construction, or valid but for one named defect (docs/fuzzing.md)."""

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import hypothesis
import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from gatewise.contents import DISTRIBUTIONS, Contents
from gatewise.defects import DEFECTS
from gatewise_corpus.activations import ACTIVATIONS
from gatewise_corpus.case import Array, AttributeValues, Case
from gatewise_corpus.operators import DIRECTIONS, LAYOUT_OPSET, OPERATORS, Operator

__all__ = ["DEFECTS", "OPSETS", "cases", "fresh_case", "fresh_cases", "invalid_cases", "valid_cases"]

OPSETS = (7, 14, 22)
_INVALID_SHARE = 8
"""One case in so many has a defect."""
_FRESH_BYTES = 1024
"""More than the choices of any case take."""
_CLIPS = (None,) * 12 + (0.5, 0.05, 3.0) * 3 + (math.inf, 0.0, -0.5, math.nan)
_PARAMETERS = (0.5, 0.25, 1.5, -0.3) * 2
_MOST_ACTIVATIONS = max(len(operator.default_activations) for operator in OPERATORS.values())
_KINDS_OF_LENGTHS = (
    "full",
    "with-empty",
    "descending",
    "ascending",
    "mixed",
    "mixed",
    "mixed",
    "ties",
    "one",
    "empty",
)
_NAMES = tuple(ACTIVATIONS)
_OPTIONAL = ("B", "initial_h", "initial_c", "P")

# Strategies are made once: making one costs as much as many draws from it. Each shrinks to its first value. Every
# case takes the same choices, needed or not: so a choice that shrinks leaves those behind it their meaning.
_sizes = st.sampled_from((*(1, 2, 3, 4, 5, 6) * 3, 7, 8, 9, 15, 16, 17, 31, 32, 33))
_sizes_or_zero = st.sampled_from((*(1, 2, 3, 4, 5, 6) * 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 0))
_opsets = st.sampled_from(OPSETS[::-1])
_directions = st.sampled_from(tuple(DIRECTIONS))
_rarely = st.sampled_from((False,) * 5 + (True,))
_booleans = st.booleans()
_lengths = st.sampled_from((*("omitted",) * 6, *_KINDS_OF_LENGTHS))
_optional = st.integers(0, 2 ** len(_OPTIONAL) - 1)
_constants = st.sampled_from(((), ("W", "R", "B", "P"), ("W",)))
_outputs = {
    name: st.sampled_from(
        [
            tuple(output for bit, output in enumerate(operator.output_names) if mask >> bit & 1)
            for mask in range(1, 2 ** len(operator.outputs))
        ]
    )
    for name, operator in OPERATORS.items()
}
_clips = st.sampled_from(_CLIPS)
_names = st.integers(0, len(_NAMES) - 1)
_distributions = st.sampled_from((*("uniform",) * 3, *DISTRIBUTIONS))
_seeds = st.integers(0, 2**16 - 1)
_parameters = st.sampled_from(
    [tuple(_PARAMETERS[first : first + count]) for count in range(7) for first in range(4)][3:]
)
_defects = st.sampled_from(tuple(DEFECTS))
_is_valid = st.sampled_from((True,) * (_INVALID_SHARE - 1) + (False,))


@st.composite
def valid_cases(draw: DrawFn, operators: Sequence[str] = tuple(OPERATORS), *, empty: bool = True) -> Case:
    """Valid cases with any options.

    They shrink to forward cases of size 1 with the fewest inputs and attributes.

    Args:
        draw: given by Hypothesis.
        operators: which operators to draw.
        empty: whether seq, batch and input may be 0.
    """
    operator = OPERATORS[draw(st.sampled_from(operators))]
    opset, direction = draw(_opsets), draw(_directions)
    layout = int(draw(_rarely) and opset >= LAYOUT_OPSET)
    free = _sizes_or_zero if empty else _sizes
    sizes = {"seq": draw(free), "batch": draw(free), "input": draw(free), "hidden": draw(_sizes)}
    sizes["dirs"] = len(DIRECTIONS[direction])
    contents = Contents(draw(_distributions), draw(_seeds))
    optional = draw(_optional)
    chosen = [name for bit, name in enumerate(_OPTIONAL) if optional >> bit & 1]
    inputs = contents.tensors(operator, sizes, layout, ["X", "W", "R", *chosen])
    lengths, is_poisoned = _drawn_lengths(draw(_lengths), sizes, contents), draw(_booleans)
    if lengths is not None:
        inputs["sequence_lens"] = lengths
        if is_poisoned:
            _poison_padding(inputs["X"], lengths, layout)
    attributes = _drawn_attributes(draw, operator, sizes)
    if direction != "forward":
        attributes["direction"] = direction
    if layout:
        attributes["layout"] = 1
    constants = frozenset(draw(_constants)) & inputs.keys()
    return Case(operator.name, opset, attributes, inputs, draw(_outputs[operator.name]), constants)


@st.composite
def invalid_cases(draw: DrawFn, operators: Sequence[str] = tuple(OPERATORS)) -> Case:
    """Cases with exactly one of ``DEFECTS``."""
    return DEFECTS[draw(_defects)](draw(valid_cases(operators, empty=False)))


@st.composite
def cases(draw: DrawFn, operators: Sequence[str] = tuple(OPERATORS)) -> Case:
    """Valid cases and, one time in eight, invalid ones."""
    is_valid, defect = draw(_is_valid), draw(_defects)
    return draw(valid_cases(operators)) if is_valid else DEFECTS[defect](draw(valid_cases(operators, empty=False)))


def fresh_cases(count: int, seed: int) -> list[Case]:
    """The first ``count`` cases of a seed."""
    return [fresh_case(seed, index) for index in range(count)]


def fresh_case(seed: int, index: int) -> Case:
    """The case number ``index`` of a seed: the same under the same versions of gatewise and Hypothesis.

    Args:
        seed: from 0 on.
        index: from 0 on.
    """
    drawn: list[Case] = []
    _reading(drawn.append)(np.random.default_rng([seed, index]).bytes(_FRESH_BYTES))
    return drawn[0]


def _reading(take: Callable[[Case], None]) -> Callable[[bytes], bytes | None]:
    """A function that hands to ``take`` the case which some bytes stand for."""

    @hypothesis.settings(database=None, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(cases())
    def read(case: Case) -> None:
        take(case)

    function: Callable[[bytes], bytes | None] = cast("Any", read).hypothesis.fuzz_one_input
    return function


def _drawn_lengths(kind: str, sizes: dict[str, int], contents: Contents) -> Array | None:
    """The lengths of the rows, by their kind; where that leaves a choice, it is the seed's."""
    if kind == "omitted":
        return None
    seq, batch = sizes["seq"], sizes["batch"]
    rng = contents.generator("sequence_lens")
    lengths: dict[str, Callable[[], Array]] = {
        "full": lambda: np.full(batch, seq),
        "one": lambda: np.full(batch, min(1, seq)),
        "empty": lambda: np.zeros(batch),
        "mixed": lambda: rng.integers(min(1, seq), seq + 1, batch),
        "ties": lambda: rng.choice([max(0, seq - 1), seq // 2], batch),
        "ascending": lambda: np.minimum(np.arange(1, batch + 1), seq),
        "descending": lambda: np.maximum(seq - np.arange(batch), 0),
        "with-empty": lambda: np.arange(batch) % 2 * seq,
    }
    return lengths[kind]().astype(np.int32)


def _drawn_attributes(draw: DrawFn, operator: Operator, sizes: dict[str, int]) -> AttributeValues:
    attributes: AttributeValues = {}
    if not draw(_rarely):
        attributes["hidden_size"] = sizes["hidden"]
    clip = draw(_clips)
    if clip is not None:
        attributes["clip"] = clip
    is_switched = draw(_booleans)
    for switch in {"linear_before_reset", "input_forget"} & operator.attributes.keys():
        if is_switched:
            attributes[switch] = 1
    has_names, has_one_set, names = draw(_booleans), draw(_rarely), _drawn_names(draw, operator)
    parameters = {name: draw(_parameters) for name in ("activation_alpha", "activation_beta")}
    if has_names:
        names = names[: 1 if has_one_set else sizes["dirs"]]
        attributes["activations"] = tuple(name for own in names for name in own)
        for name, values in parameters.items():
            if values:
                attributes[name] = values[: len(names) * len(names[0])]
    return attributes


def _drawn_names(draw: DrawFn, operator: Operator) -> list[tuple[str, ...]]:
    """Activations of two directions; those of the second follow from one choice, so that it can fall away."""
    places = [draw(_names) for _ in range(_MOST_ACTIVATIONS)][: len(operator.default_activations)]
    offset = draw(_names)
    return [tuple(_NAMES[place] for place in places), tuple(_NAMES[place - offset] for place in places)]


def _poison_padding(X: Array, lengths: Array, layout: int) -> None:
    """NaN past every row's length: no bit of it may reach an output (D17)."""
    rows = X if layout else X.swapaxes(0, 1)
    for row, length in enumerate(lengths):
        rows[row, length:] = np.nan
