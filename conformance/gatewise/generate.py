"""Hypothesis strategies of cases: valid by construction, or valid but for one named defect (docs/fuzzing.md)."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

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

T = TypeVar("T")
OPSETS = (7, 14, 22)
_INVALID_SHARE = 8
"""One case in so many has a defect."""
_FRESH_BYTES = 1024
"""More than the choices of any case take."""
_TIMES_WITH_Y = 3
"""So much more often is Y among the outputs than not: without it, a case is run twice to be judged (D31)."""
_CHOICES = 26
"""So many does a case make."""
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

# What is chosen from; the plainest comes first, since that is what a case shrinks to.
_BOOLEANS = (False, True)
_RARELY = (False,) * 5 + (True,)
_LENGTHS = (*("omitted",) * 6, *_KINDS_OF_LENGTHS)
_CONSTANTS = ((), ("W", "R", "B", "P"), ("W",))
_OUTPUTS = {
    name: [
        chosen
        for count in range(1, len(operator.outputs) + 1)
        for chosen in itertools.combinations(operator.output_names, count)
        for _ in range(_TIMES_WITH_Y if "Y" in chosen else 1)
    ]
    for name, operator in OPERATORS.items()
}
_PARAMETER_LISTS = [tuple(_PARAMETERS[first : first + count]) for count in range(7) for first in range(4)][3:]
_VALIDITIES = (True,) * (_INVALID_SHARE - 1) + (False,)
_DISTRIBUTIONS = (*("uniform",) * 3, *DISTRIBUTIONS)
_SMALL = (1, 2, 3, 4, 5, 6) * 3
_SIZES = (*_SMALL, 7, 8, 9, 15, 16, 17, 31, 32, 33)
_STEPS = (*_SMALL, 7, 9, 17, 33)
"""No vector runs along time, so that few of its edges matter; and a step costs the most."""

# Strategies are made once: making one costs as much as many draws from it. Sizes and seed are numbers, so that
# Hypothesis can steer by them, and lower a size while it tries other contents.
_choices = st.binary(min_size=_CHOICES, max_size=_CHOICES)
_seeds = st.integers(0, 2**16 - 1)
_steps = {True: st.sampled_from((*_STEPS, 0)), False: st.sampled_from(_STEPS)}
_sizes = {True: st.sampled_from((*_SIZES, 0)), False: st.sampled_from(_SIZES)}


class _Choices:
    """The choices of a case but for sizes and seed, a byte each: a draw of Hypothesis costs more than all of them.

    The lower a byte, the earlier the value that it chooses. Every case makes the same choices, needed or not: so a
    byte that shrinks leaves the others their meaning.
    """

    def __init__(self, drawn: bytes) -> None:
        self._left = iter(drawn)

    def one_of(self, values: Sequence[T]) -> T:
        """What the next byte chooses."""
        return values[next(self._left) * len(values) // 256]


@st.composite
def valid_cases(draw: DrawFn, operators: Sequence[str] = tuple(OPERATORS), *, empty: bool = True) -> Case:
    """Valid cases with any options.

    They shrink to forward cases of size 1 with the fewest inputs and attributes.

    Args:
        draw: given by Hypothesis.
        operators: which operators to draw.
        empty: whether seq, batch and input may be 0.
    """
    return _built(draw, _Choices(draw(_choices)), operators, empty=empty)


@st.composite
def invalid_cases(draw: DrawFn, operators: Sequence[str] = tuple(OPERATORS)) -> Case:
    """Cases with exactly one of ``DEFECTS``."""
    choices = _Choices(draw(_choices))
    defect = choices.one_of(tuple(DEFECTS.values()))
    return defect(_built(draw, choices, operators, empty=False))


@st.composite
def cases(draw: DrawFn, operators: Sequence[str] = tuple(OPERATORS)) -> Case:
    """Valid cases and, one time in eight, invalid ones."""
    choices = _Choices(draw(_choices))
    is_valid, defect = choices.one_of(_VALIDITIES), choices.one_of(tuple(DEFECTS.values()))
    case = _built(draw, choices, operators, empty=is_valid)
    return case if is_valid else defect(case)


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


def _built(draw: DrawFn, choices: _Choices, operators: Sequence[str], *, empty: bool) -> Case:
    """A valid case; ``empty`` tells whether seq, batch and input may be 0."""
    operator = OPERATORS[choices.one_of(operators)]
    opset, direction = choices.one_of(OPSETS[::-1]), choices.one_of(tuple(DIRECTIONS))
    layout = int(choices.one_of(_RARELY) and opset >= LAYOUT_OPSET)
    optional = [name for name in _OPTIONAL if choices.one_of(_BOOLEANS)]
    constants, outputs = choices.one_of(_CONSTANTS), choices.one_of(_OUTPUTS[operator.name])
    kind_of_lengths, is_poisoned = choices.one_of(_LENGTHS), choices.one_of(_BOOLEANS)
    attributes = _chosen_attributes(choices, operator, direction)
    has_hidden_size = not choices.one_of(_RARELY)
    sizes = {
        "dirs": len(DIRECTIONS[direction]),
        "seq": draw(_steps[empty]),
        "batch": draw(_sizes[empty]),
        "input": draw(_sizes[empty]),
        "hidden": draw(_sizes[False]),
    }
    contents = Contents(choices.one_of(_DISTRIBUTIONS), draw(_seeds))
    for name, value in (
        ("operator", operator.name),
        ("direction", direction),
        ("lengths", kind_of_lengths),
        ("values", contents.distribution),
    ):
        hypothesis.event(name, value)  # what pytest --hypothesis-show-statistics counts
    if has_hidden_size:
        attributes["hidden_size"] = sizes["hidden"]
    if layout:
        attributes["layout"] = 1
    inputs = contents.tensors(operator, sizes, layout, ["X", "W", "R", *optional])
    lengths = _lengths(kind_of_lengths, sizes, contents)
    if lengths is not None:
        inputs["sequence_lens"] = lengths
        if is_poisoned:
            _poison_padding(inputs["X"], lengths, layout)
    return Case(operator.name, opset, attributes, inputs, outputs, frozenset(constants) & inputs.keys())


def _lengths(kind: str, sizes: dict[str, int], contents: Contents) -> Array | None:
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


def _chosen_attributes(choices: _Choices, operator: Operator, direction: str) -> AttributeValues:
    """The attributes but for hidden_size and layout."""
    attributes: AttributeValues = {}
    if direction != "forward":
        attributes["direction"] = direction
    clip = choices.one_of(_CLIPS)
    if clip is not None:
        attributes["clip"] = clip
    is_switched = choices.one_of(_BOOLEANS)
    for switch in {"linear_before_reset", "input_forget"} & operator.attributes.keys():
        if is_switched:
            attributes[switch] = 1
    has_names, has_one_set = choices.one_of(_BOOLEANS), choices.one_of(_RARELY)
    names = _chosen_names(choices, operator)
    parameters = {name: choices.one_of(_PARAMETER_LISTS) for name in ("activation_alpha", "activation_beta")}
    if has_names:
        names = names[: 1 if has_one_set else len(DIRECTIONS[direction])]
        attributes["activations"] = tuple(name for own in names for name in own)
        for name, values in parameters.items():
            if values:
                attributes[name] = values[: len(names) * len(names[0])]
    return attributes


def _chosen_names(choices: _Choices, operator: Operator) -> list[tuple[str, ...]]:
    """Activations of two directions; those of the second follow from one choice, so that it can fall away."""
    numbers = range(len(_NAMES))
    places = [choices.one_of(numbers) for _ in range(_MOST_ACTIVATIONS)][: len(operator.default_activations)]
    offset = choices.one_of(numbers)
    return [tuple(_NAMES[place] for place in places), tuple(_NAMES[place - offset] for place in places)]


def _poison_padding(X: Array, lengths: Array, layout: int) -> None:
    """NaN past every row's length: no bit of it may reach an output (D17)."""
    rows = X if layout else X.swapaxes(0, 1)
    for row, length in enumerate(lengths):
        rows[row, length:] = np.nan
