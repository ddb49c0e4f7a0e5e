"""What exact mode promises beyond the bound: NaN bits, signs of zero, ranges, equal bits in every configuration."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gatewise.comparison import first_place
from gatewise.judgement import Judgement
from gatewise_corpus.case import Array
from gatewise_corpus.layer import Layer
from gatewise_corpus.outcome import canonical
from gatewise_oracle.ball import Ball

_RANGES = {"Sigmoid": (0.0, 1.0), "Tanh": (-1.0, 1.0)}
_BITS = {2: np.uint16, 4: np.uint32, 8: np.uint64}


@dataclass(frozen=True, eq=False)
class _Promise:
    """A rule of exact mode: where ``broken`` holds, the value is not the one admissible value or in the interval."""

    clause: str
    message: str
    broken: NDArray[np.bool_]
    low: float
    high: float


def digest_problem(digests: Mapping[str, str]) -> str:
    """Which two configurations gave different bits, as a sentence; "" if none did."""
    first = next(iter(digests), "")
    for name, digest in digests.items():
        if digest != digests[first]:
            return f"{name} gives other bits than {first}"
    return ""


def judge_exactness(layer: Layer, outputs: Mapping[str, Array]) -> Judgement | None:
    """The first promise of exact mode that ``outputs`` (layout 0) break, or None."""
    for name in sorted(outputs, key=layer.operator.output_names.index):
        array = outputs[name]
        for promise in _promises(layer, name, array):
            if promise.broken.any():
                middle, half = (promise.low + promise.high) / 2, (promise.high - promise.low) / 2
                ball = Ball(np.full(array.shape, middle), np.full(array.shape, half), np.isfinite(middle))
                place = first_place(layer, name, array, promise.broken, ball)
                outside = int(promise.broken.sum())
                return Judgement("wrong", promise.clause, promise.message, place, outside, judged="stepwise")
    return None


def _promises(layer: Layer, name: str, array: Array) -> Iterator[_Promise]:
    bits = _BITS[array.dtype.itemsize]
    if np.isnan(array).any():
        other = array.view(bits) != canonical(array).view(bits)
        yield _Promise("D24", "a NaN has other bits than exact mode writes", other, np.nan, np.nan)
    dropped = _dropped(layer, name)
    if dropped.any():
        negative = np.broadcast_to(dropped, array.shape) & np.signbit(array)
        clause = "D18" if name == "Y" else "D14"
        yield _Promise(clause, "a zero that no step computed is negative", negative, 0.0, 0.0)
    yield from _ranges(layer, name, array)


def _dropped(layer: Layer, name: str) -> NDArray[np.bool_]:
    """Where no step computes the element: past a row's length (Y), or in a row of length 0; broadcasts."""
    if name == "Y":
        past = np.arange(layer.seq)[:, None] >= layer.lengths
        return np.asarray(past[:, None, :, None])
    empty = (layer.lengths == 0) & layer.has_lengths
    return np.asarray(empty[None, :, None])


def _ranges(layer: Layer, name: str, array: Array) -> Iterator[_Promise]:
    """D34, where an output is an activation's value (RNN) or a product of two in [-1, 1] (LSTM).

    Without steps, the final states are the initial ones (D15).
    """
    if name == "Y_c" or layer.operator.name == "GRU" or not layer.seq:
        return
    for direction, activations in enumerate(layer.activations):
        limits = [_RANGES.get(activation.name) for activation in (activations[0], activations[-1])]
        if None in limits or (layer.operator.name == "LSTM" and activations[0].name != "Sigmoid"):
            continue
        low, high = limits[-1] or (0.0, 0.0)
        beyond = np.zeros(array.shape, dtype=np.bool_)
        part = (slice(None), direction) if name == "Y" else (direction,)
        beyond[part] = (array[part] < low) | (array[part] > high)
        yield _Promise("D34", "a value is beyond the range of its activation", beyond, low, high)
