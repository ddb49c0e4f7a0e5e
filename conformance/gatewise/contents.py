"""What stands in the tensors of generated cases: distributions that matter, drawn from a seed."""

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator

from gatewise_corpus.case import Array
from gatewise_corpus.operators import Operator, Slot, size_of

Sizes = Mapping[str, int]
_GRID = 0.25
_SPECIALS = (math.nan, math.inf, -math.inf, -0.0, 3e38, -3e38, 65504.0)
_SUBNORMALS = (2.0**-149, -(2.0**-149), 1e-40, -1e-40, 2.0**-126, -(2.0**-126), 2.0**-75, 0.0)
_PORTION = 0.05
"""The share of special values in a tensor; at most about one in a small one."""


class Distribution(Protocol):
    """Fills a shape from a generator; ``scale`` is that at which gates neither saturate nor idle."""

    def __call__(self, rng: Generator, shape: tuple[int, ...], scale: float, /) -> Any:
        """The values, float32 or wider."""


def _uniform(rng: Generator, shape: tuple[int, ...], scale: float) -> Any:
    return rng.uniform(-scale, scale, shape)


def _contracting(rng: Generator, shape: tuple[int, ...], scale: float) -> Any:
    """So small that every error dies out along the sequence."""
    return rng.uniform(-scale / 4, scale / 4, shape)


def _chaotic(rng: Generator, shape: tuple[int, ...], scale: float) -> Any:
    """So large that two right evaluations part: only a stepwise bound can judge it."""
    return rng.uniform(-4 * scale, 4 * scale, shape)


def _saturating(rng: Generator, shape: tuple[int, ...], scale: float) -> Any:
    """Far out on both sides, where gates are 0 or 1."""
    return rng.choice([-1, 1], shape) * rng.uniform(8 * scale, 40 * scale, shape)


def _grid(rng: Generator, shape: tuple[int, ...], _: float) -> Any:
    """Multiples of 1/4, so that most sums are exact and activations meet their break points."""
    return rng.integers(-4, 5, shape) * _GRID


def _powers_of_two(rng: Generator, shape: tuple[int, ...], _: float) -> Any:
    """Powers of two near 1: products are exact, and sums nearly always."""
    return rng.choice([-1, 1], shape) * 2.0 ** rng.integers(-3, 2, shape)


def _subnormal(rng: Generator, shape: tuple[int, ...], scale: float) -> Any:
    """Ordinary values with subnormal ones, and such whose products are subnormal."""
    return np.where(rng.random(shape) < 0.5, rng.choice(_SUBNORMALS, shape), rng.uniform(-scale, scale, shape))


def _special(rng: Generator, shape: tuple[int, ...], scale: float) -> Any:
    """Ordinary values with a few NaN, infinities, negative zeros and huge ones."""
    special = rng.random(shape) < min(_PORTION, 1 / max(1, math.prod(shape)))
    return np.where(special, rng.choice(_SPECIALS, shape), rng.uniform(-scale, scale, shape))


DISTRIBUTIONS: Mapping[str, Distribution] = MappingProxyType(
    {
        "uniform": _uniform,
        "contracting": _contracting,
        "chaotic": _chaotic,
        "saturating": _saturating,
        "grid": _grid,
        "powers-of-two": _powers_of_two,
        "subnormal": _subnormal,
        "special": _special,
    }
)
"""What the tensors of one case are filled from; the first is the plainest."""
_EXACT = {"grid", "powers-of-two"}


@dataclass(frozen=True)
class Contents:
    """What the tensors of a case hold.

    Attributes:
        distribution: a key of ``DISTRIBUTIONS``.
        seed: each tensor has a generator of its own, seeded by it and the tensor's name, so that to leave one out
            changes no other.
    """

    distribution: str
    seed: int

    def generator(self, name: str) -> Generator:
        """The generator of the tensor, or of the lengths, called ``name``."""
        return np.random.default_rng([self.seed, zlib.crc32(name.encode())])

    def tensors(self, operator: Operator, sizes: Sizes, layout: int, names: Sequence[str]) -> dict[str, Array]:
        """The float32 inputs called ``names``, in the order of the operator's inputs.

        ``sizes`` has seq, batch, input, hidden and dirs. No two gates' blocks of a tensor are equal.
        """
        return {slot.name: self._tensor(slot, sizes, layout) for slot in operator.inputs if slot.name in names}

    def _tensor(self, slot: Slot, sizes: Sizes, layout: int) -> Array:
        shape = tuple(size_of(dimension, sizes) for dimension in slot.shape(layout))
        fan_in = {"W": sizes["input"], "R": sizes["hidden"]}.get(slot.name, 1)
        rng = self.generator(slot.name)
        values = DISTRIBUTIONS[self.distribution](rng, shape, 1.5 / math.sqrt(max(1, fan_in)))
        array = np.asarray(values, dtype=np.float32)
        if slot.name in {"W", "R", "B", "P"} and self.distribution in _EXACT and array.size:
            _set_blocks_apart(rng, array.reshape(-1, sizes["hidden"] * math.prod(shape[2:])))
        return array


def _set_blocks_apart(rng: Generator, blocks: Array) -> None:
    """Gives every block [blocks, values] another first value: few values to choose from make equal blocks likely."""
    blocks[:, 0] = (rng.permutation(len(blocks)) - len(blocks) // 2) * _GRID
