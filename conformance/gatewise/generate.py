"""Cases drawn by Hypothesis: valid by construction, or valid but for one named defect."""

import math
from collections.abc import Callable, Mapping
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

import hypothesis
import numpy as np
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.strategies import DrawFn, SearchStrategy
from numpy.random import Generator

from gatewise_corpus.activations import ACTIVATIONS
from gatewise_corpus.case import Array, AttributeValue, Case
from gatewise_corpus.features import sizes
from gatewise_corpus.operators import DIRECTIONS, LAYOUT_OPSET, OPERATORS, Operator, size_of

Sizes = Mapping[str, int]
OPSETS = (7, 14, 22)
_SEED_BITS = 32
"""Seeds are smaller than 2^32; what lies above tells apart the attempts that one seed makes."""
_INVALID_SHARE = 8
"""One case in so many has a defect."""
_RARE_SHARE = 6
"""One time in so many, what few runtimes support."""
_ZERO_SHARE = 20
"""One size in so many is 0, where a size may be."""
_TILE_EDGES = (7, 8, 9, 15, 16, 17, 31, 33)
_PORTABLE_CLIPS = (0.5, 0.05, 3.0)
_CLIPS = (math.inf, 0.0, -0.5, math.nan)
_SPECIALS = (math.nan, math.inf, -math.inf, -0.0, 1e-40, -1e-40, 3e38, 65504.0)


@st.composite
def valid_cases(draw: DrawFn) -> Case:
    """Valid cases of all three operators. Sizes, options and contents shrink to the plainest."""
    operator = OPERATORS[draw(st.sampled_from(tuple(OPERATORS)))]
    opset = draw(st.sampled_from(OPSETS[::-1]))
    direction = draw(st.sampled_from(tuple(DIRECTIONS)))
    layout = int(draw(_rarely())) if opset >= LAYOUT_OPSET else 0
    dims = {**draw(_sizes()), "dirs": len(DIRECTIONS[direction])}
    lengths = draw(_lengths(dims["seq"], dims["batch"]))
    optional = draw(st.sets(st.sampled_from(("B", "initial_h", "initial_c", "P"))))
    constants = draw(st.sampled_from(((), ("W", "R", "B", "P"), ("W",))))
    outputs = draw(st.sets(st.sampled_from(operator.output_names), min_size=1))
    inputs = _tensors(operator, dims, layout, draw(_contents()), optional)
    if lengths is not None:
        inputs["sequence_lens"] = np.array(lengths, dtype=np.int32)
        if draw(st.booleans()):
            _poison_padding(inputs["X"], lengths, layout)
    return Case(
        operator.name,
        opset,
        {
            **draw(_attributes(operator, dims)),
            **({"direction": direction} if direction != "forward" else {}),
            **({"layout": 1} if layout else {}),
        },
        inputs,
        tuple(name for name in operator.output_names if name in outputs),
        frozenset(constants) & inputs.keys(),
    )


@st.composite
def invalid_cases(draw: DrawFn) -> Case:
    """Cases with exactly one of ``DEFECTS``."""
    case = draw(valid_cases().filter(lambda case: 0 not in sizes(case).values()))
    return DEFECTS[draw(st.sampled_from(tuple(DEFECTS)))](case)


@st.composite
def cases(draw: DrawFn) -> Case:
    """Valid cases and, one time in eight, invalid ones."""
    is_valid = draw(st.integers(0, _INVALID_SHARE - 1)) < _INVALID_SHARE - 1
    return draw(valid_cases() if is_valid else invalid_cases())


def fresh_cases(count: int, seed: int) -> list[Case]:
    """``count`` different cases; the same count and seed give the same under the same versions of the libraries."""
    found: dict[str, Case] = {}
    attempt = 0
    # Hypothesis keeps what it learns of the caller's modules in a folder, by default in the current one.
    with TemporaryDirectory(prefix="gatewise-") as home:
        set_hypothesis_home_dir(home)
        try:
            while len(found) < count:
                found |= {case.summary(): case for case in _draw(count, seed + (attempt << _SEED_BITS))}
                attempt += 1
        finally:
            set_hypothesis_home_dir(None)
    return list(found.values())[:count]


def _draw(count: int, seed: int) -> list[Case]:
    """``count`` cases, some of them more than once."""
    drawn: list[Case] = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(cases())
    def collect(case: Case) -> None:
        drawn.append(case)

    collect()
    return drawn


DEFECTS: Mapping[str, Callable[[Case], Case]] = MappingProxyType(
    {
        "direction": lambda case: case.with_attributes(direction="Forward"),
        "opset": lambda case: case.replace(opset=6),
        "layout": lambda case: case.replace(opset=LAYOUT_OPSET).with_attributes(layout=2),
        "hidden-size": lambda case: case.with_attributes(hidden_size=0),
        "hidden-size-mismatch": lambda case: case.with_attributes(hidden_size=case.inputs["R"].shape[2] + 1),
        "activation-name": lambda case: case.with_attributes(activations=_unknown_names(case)),
        "activation-count": lambda case: case.with_attributes(activations=("Tanh",) * 7),
        "missing-input": lambda case: case.with_inputs(R=None),
        "rank": lambda case: case.with_inputs(W=case.inputs["W"][0]),
        "shape": lambda case: case.with_inputs(R=np.concatenate([case.inputs["R"]] * 2, axis=1)),
        "dtype-mismatch": lambda case: case.with_inputs(W=case.inputs["W"].astype(np.float64)),
        "lengths-range": lambda case: case.with_inputs(sequence_lens=_equal_lengths(case, sizes(case)["seq"] + 1)),
        "lengths-dtype": lambda case: case.with_inputs(sequence_lens=_equal_lengths(case, 1).astype(np.int64)),
    }
)
"""What makes a valid case without empty sizes invalid, by the reason for which it must then be refused."""


def _unknown_names(case: Case) -> tuple[str, ...]:
    return ("Gelu",) * len(OPERATORS[case.operator].default_activations)


def _equal_lengths(case: Case, length: int) -> Array:
    return np.full(sizes(case)["batch"], length, dtype=np.int32)


def _rarely() -> SearchStrategy[bool]:
    return st.sampled_from((False,) * (_RARE_SHARE - 1) + (True,))


def _size(*, may_be_zero: bool = True) -> SearchStrategy[int]:
    small: SearchStrategy[int] = st.integers(1, 6) | st.integers(1, 6) | st.sampled_from(_TILE_EDGES)
    if not may_be_zero:
        return small
    return st.integers(1, _ZERO_SHARE).flatmap(lambda chance: st.just(0) if chance == _ZERO_SHARE else small)


def _sizes() -> SearchStrategy[dict[str, int]]:
    return st.fixed_dictionaries(
        {"seq": _size(), "batch": _size(), "input": _size(), "hidden": _size(may_be_zero=False)}
    )


@st.composite
def _lengths(draw: DrawFn, seq: int, batch: int) -> list[int] | None:
    if not draw(st.booleans()):
        return None
    return draw(st.lists(st.integers(0, seq), min_size=batch, max_size=batch))


@st.composite
def _attributes(draw: DrawFn, operator: Operator, dims: Sizes) -> dict[str, AttributeValue]:
    attributes: dict[str, AttributeValue] = {}
    if not draw(_rarely()):
        attributes["hidden_size"] = dims["hidden"]
    if draw(st.booleans()):
        attributes["clip"] = draw(st.sampled_from(_CLIPS if draw(_rarely()) else _PORTABLE_CLIPS))
    for switch in {"linear_before_reset", "input_forget"} & operator.attributes.keys():
        attributes[switch] = draw(st.sampled_from((0, 1)))
    if draw(st.booleans()):
        attributes |= draw(_activations(operator, dims["dirs"]))
    return attributes


@st.composite
def _activations(draw: DrawFn, operator: Operator, dirs: int) -> dict[str, AttributeValue]:
    sets = 1 if draw(_rarely()) else dirs
    count = len(operator.default_activations) * sets
    names = st.lists(st.sampled_from(tuple(ACTIVATIONS)), min_size=count, max_size=count)
    attributes: dict[str, AttributeValue] = {"activations": tuple(draw(names))}
    for name in ("activation_alpha", "activation_beta"):
        given = draw(st.integers(0, count))
        if given:
            attributes[name] = tuple(draw(st.sampled_from((0.5, 0.25, 1.5, -0.3))) for _ in range(given))
    return attributes


@st.composite
def _contents(draw: DrawFn) -> Callable[[tuple[int, ...], float], Array]:
    """How a tensor of a shape is filled, given the scale at which gates neither saturate nor idle."""
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    fill = draw(st.sampled_from(_FILLS))
    return lambda shape, scale: np.asarray(fill(rng, shape, scale), dtype=np.float32)


def _uniform(rng: Generator, shape: tuple[int, ...], scale: float) -> Any:
    return rng.uniform(-scale, scale, shape)


def _strong(rng: Generator, shape: tuple[int, ...], scale: float) -> Any:
    """So large that the recurrence is chaotic: only a stepwise bound can judge it."""
    return rng.uniform(-4 * scale, 4 * scale, shape)


def _coarse(rng: Generator, shape: tuple[int, ...], _: float) -> Any:
    """Multiples of 1/4, so that most sums are exact and activations meet their break points."""
    return rng.integers(-4, 5, shape) / 4


def _sprinkled(rng: Generator, shape: tuple[int, ...], scale: float) -> Any:
    special = rng.random(shape) < min(0.05, 1 / max(1, math.prod(shape)))
    return np.where(special, rng.choice(_SPECIALS, shape), rng.uniform(-scale, scale, shape))


_FILLS = (_uniform, _coarse, _strong, _sprinkled)


def _tensors(
    operator: Operator,
    dims: Sizes,
    layout: int,
    fill: Callable[[tuple[int, ...], float], Array],
    optional: set[str],
) -> dict[str, Array]:
    fan_in = {"W": dims["input"], "R": dims["hidden"]}
    return {
        slot.name: fill(
            tuple(size_of(dimension, dims) for dimension in slot.shape(layout)),
            1.5 / math.sqrt(max(1, fan_in.get(slot.name, 1))),
        )
        for slot in operator.inputs
        if slot.required or slot.name in optional
    }


def _poison_padding(X: Array, lengths: list[int], layout: int) -> None:
    """NaN past every row's length: no bit of it may reach an output (D17)."""
    rows = X if layout else X.swapaxes(0, 1)
    for row, length in enumerate(lengths):
        rows[row, length:] = np.nan
