"""Balls: float64 values with a radius inside which every float32 evaluation lies.

The rounding model is the standard one (Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed.,
sections 2.2 and 3.1): an operation in float32 gives x(1 + d) + e with |d| <= u = 2^-24 and, for products only,
|e| <= 2^-150; k roundings in a row multiply by 1 + t with |t| <= gamma(k) = k u / (1 - k u). A fused operation rounds
less often, so it is covered. docs/model.md derives the bound.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gatewise_corpus.case import Array

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

UNIT = 2.0**-24
"""u, the unit roundoff of float32."""
TINY = 2.0**-149
"""The smallest positive float32: more than a product that underflows can lose."""
LARGEST = float(np.finfo(np.float32).max)
OVERFLOW = 2.0**128 - 2.0**103
"""The midpoint between the largest float32 and 2^128: what lies below it does not round to infinity."""
INFLATION = 1 + 2.0**-20
"""Covers the float64 evaluation, whose error is below 2^-25 of the float32 bound beside it (docs/model.md)."""
GRID = 2.0**-8
"""Products of multiples of GRID are multiples of GRID^2, so their sums are exact up to EXACT_LIMIT, in any order."""
EXACT_LIMIT = GRID * GRID / UNIT


def gamma(roundings: int) -> float:
    """The relative error of k = ``roundings`` float32 roundings in a row: k u / (1 - k u), infinite from 2^24 on."""
    return roundings * UNIT / (1 - roundings * UNIT) if roundings * UNIT < 1 else np.inf


@dataclass(frozen=True, eq=False, slots=True)
class Ball:
    """Where every float32 evaluation of a value lies: |value - center| <= radius, elementwise.

    A center that is NaN or infinite has radius 0: only NaN, or only that infinity, is admissible. An infinite radius
    means *not constrained*: any value is admissible, NaN and infinities too.

    Attributes:
        center, radius: float64 arrays of one shape.
        finite: whether every center and every radius is finite.
    """

    center: Floats
    radius: Floats
    finite: bool

    def __getitem__(self, key: Any) -> "Ball":
        return Ball(self.center[key], self.radius[key], self.finite)

    @property
    def free(self) -> Mask:
        """Where nothing is constrained."""
        return np.isinf(self.radius)

    def reshape(self, *shape: int) -> "Ball":
        """The same balls in another shape."""
        return Ball(self.center.reshape(shape), self.radius.reshape(shape), self.finite)

    def freed(self, mask: Mask) -> "Ball":
        """The same balls, those in ``mask`` not constrained."""
        center, radius = self.center.copy(), self.radius.copy()
        _free(center, radius, mask)
        return Ball(center, radius, self.finite and not mask.any())


@dataclass(frozen=True, eq=False, slots=True)
class Sum:
    """A sum of terms before its roundings; the order in which the terms are added is open.

    Attributes:
        center: the sum at the centers of its operands.
        radius: what the radii of the operands add to it.
        magnitude: the sum of the largest absolute values of the finite terms.
        roundings: how many float32 roundings a term can pass.
        finite: whether every operand is finite.
        exact: where no rounding can occur, or None if nowhere.
    """

    center: Floats
    radius: Floats
    magnitude: Floats
    roundings: int
    finite: bool
    exact: Mask | None = None

    def __add__(self, other: "Sum") -> "Sum":
        return Sum(
            self.center + other.center,
            self.radius + other.radius,
            self.magnitude + other.magnitude,
            self.roundings + other.roundings,
            self.finite and other.finite,
        )

    def __getitem__(self, key: Any) -> "Sum":
        center, radius, magnitude = self.center[key], self.radius[key], self.magnitude[key]
        exact = None if self.exact is None else self.exact[key]
        return Sum(center, radius, magnitude, self.roundings, self.finite, exact)

    def reshape(self, *shape: int) -> "Sum":
        """The same sums in another shape."""
        exact = None if self.exact is None else self.exact.reshape(shape)
        center, radius, magnitude = (part.reshape(shape) for part in (self.center, self.radius, self.magnitude))
        return Sum(center, radius, magnitude, self.roundings, self.finite, exact)

    def rounded(self, tiny: float = TINY) -> Ball:
        """The ball of the float32 sums. ``tiny`` is what one product can lose by underflow (D26)."""
        relative = gamma(self.roundings)
        error = relative * self.magnitude + np.minimum(self.roundings * tiny, self.magnitude)
        if self.exact is not None:
            error[self.exact] = 0
        radius = (self.radius + error) * INFLATION
        limit = OVERFLOW / (1 + relative) / INFLATION
        if self.finite and self.magnitude.max(initial=0.0) <= limit:
            return Ball(self.center, radius, finite=True)
        return _settled(self.center, radius, self.magnitude > limit)


@dataclass(frozen=True, eq=False)
class Matrix:
    """Exact weights [rows, columns] as float64, with what the bounds need of them."""

    values: Floats
    absolute: Floats
    finite: bool
    on_grid: bool


def matrix(*blocks: Array) -> Matrix:
    """The weights that stand side by side in ``blocks``, each [rows, columns of the block]."""
    values = np.concatenate(blocks, axis=1, dtype=np.float64)
    finite = bool(np.isfinite(values).all())
    return Matrix(values, np.abs(values), finite, finite and bool(_on_grid(values).all()))


def exact(array: Array) -> Ball:
    """The balls of values that are known exactly."""
    center = np.asarray(array, dtype=np.float64)
    return Ball(center, np.zeros(center.shape), bool(np.isfinite(center).all()))


def rounded_to_float16(ball: Ball) -> Ball:
    """The balls after one rounding to float16, overflow included (D30)."""
    low, high = ball.center - ball.radius, ball.center + ball.radius
    largest = np.maximum(np.abs(low), np.abs(high))
    # Half a unit in the last place of x in float16: 2^-11 of the power of two below |x|, at least 2^-25.
    _, exponent = np.frexp(np.where(np.isfinite(largest), largest, 0))
    known = ball.radius == 0
    radius = ball.radius + np.where(known, 0, np.ldexp(1.0, np.maximum(exponent - 12, -25)))
    with np.errstate(over="ignore"):
        rounded = ball.center.astype(np.float16)
    overflow = 65520.0  # the midpoint between the largest float16 and 2^16 rounds to infinity
    if ball.finite and largest.max(initial=0.0) < overflow:
        return Ball(np.where(known, rounded, ball.center), radius * INFLATION, finite=True)
    center = np.where(low >= overflow, np.inf, np.where(high <= -overflow, -np.inf, ball.center))
    center = np.where(known, rounded, center)
    return _settled(center, radius * INFLATION, ~known & np.isfinite(center) & (largest >= overflow))


def from_float16(array: Array) -> Ball:
    """The float32 values that may have been rounded to the float16 ``array``."""
    center = np.asarray(array, dtype=np.float64)
    _, exponent = np.frexp(np.where(np.isfinite(center), center, 0))
    radius = np.ldexp(1.0, np.maximum(exponent - 12, -25))
    if np.isfinite(center).all():
        return Ball(center, radius, finite=True)
    return _settled(center, radius, np.isinf(center))


def term(left: Ball, right: Ball) -> Sum:
    """The product of two balls, elementwise, as a sum of one term."""
    center = left.center * right.center
    magnitude = (np.abs(left.center) + left.radius) * (np.abs(right.center) + right.radius)
    # |a|s + |b|r + rs; the cancellation costs 2^-52 of the magnitude, far less than its rounding to float32.
    radius = magnitude - np.abs(center)
    if left.finite and right.finite:
        return Sum(center, radius, magnitude, 1, finite=True)
    free = np.isinf(left.radius) | np.isinf(right.radius)
    free |= np.isinf(left.center) & _around_zero(right) | np.isinf(right.center) & _around_zero(left)
    # The product of finite centers is beyond float64 only where the tensors are float64.
    free |= np.isinf(center) & np.isfinite(left.center) & np.isfinite(right.center)
    free &= ~(np.isnan(left.center) | np.isnan(right.center))
    special = free | ~np.isfinite(center)
    magnitude[special] = 0
    radius[special] = 0
    _free(center, radius, free)
    return Sum(center, radius, magnitude, 1, finite=False)


def product(left: Ball, right: Ball, tiny: float = TINY) -> Ball:
    """The float32 product of two balls, elementwise."""
    return term(left, right).rounded(tiny)


def complement(ball: Ball) -> Ball:
    """1 - x, one rounding."""
    center = 1 - ball.center
    magnitude = np.abs(center) + ball.radius
    if not ball.finite:
        magnitude[~np.isfinite(magnitude)] = 0
    return Sum(center, ball.radius, magnitude, 1, ball.finite).rounded()


def linear(x: Ball, weights: Matrix) -> Sum:
    """The dot products of rows [M, K] with the rows of the weights [J, K]: [M, J], each a sum of K terms."""
    if not (x.finite and weights.finite):
        return _special_linear(x, weights)
    largest, has_radius = np.abs(x.center), x.radius.any()
    center = x.center @ weights.values.T
    if has_radius:
        largest += x.radius
    magnitude = largest @ weights.absolute.T
    radius = x.radius @ weights.absolute.T if has_radius else np.zeros(center.shape)
    exact_sums = None
    if weights.on_grid:
        known = ~x.radius.any(axis=1, keepdims=True) & _on_grid(x.center).all(axis=1, keepdims=True)
        exact_sums = known & (magnitude <= EXACT_LIMIT)
    return Sum(center, radius, magnitude, x.center.shape[1], finite=True, exact=exact_sums)


def concatenate(balls: Sequence[Ball], axis: int = 0) -> Ball:
    """Balls joined along an axis."""
    return Ball(
        np.concatenate([ball.center for ball in balls], axis=axis),
        np.concatenate([ball.radius for ball in balls], axis=axis),
        all(ball.finite for ball in balls),
    )


def stack(balls: Sequence[Ball], axis: int = 0) -> Ball:
    """Balls of one shape stacked along a new axis."""
    return Ball(
        np.stack([ball.center for ball in balls], axis=axis),
        np.stack([ball.radius for ball in balls], axis=axis),
        all(ball.finite for ball in balls),
    )


def where(mask: Mask, ball: Ball, other: Ball) -> Ball:
    """``ball`` where ``mask`` holds, ``other`` elsewhere; ``mask`` broadcasts."""
    center, radius = np.where(mask, ball.center, other.center), np.where(mask, ball.radius, other.radius)
    finite = ball.finite and other.finite
    return Ball(center, radius, finite or bool(np.isfinite(center).all() and np.isfinite(radius).all()))


def inside(ball: Ball, array: Array) -> Mask:
    """Where ``array`` holds an admissible value. The sign of zero and the bits of a NaN do not matter (D24, D25)."""
    return distance(ball, array) <= 1


def distance(ball: Ball, array: Array) -> Floats:
    """|value - center| / radius: at most 1 where the value is admissible.

    0 where nothing is constrained, infinite where the radius is 0 and the value another, or where one of value and
    center is NaN or infinite and the other is not the same.
    """
    with np.errstate(all="ignore"):
        value = np.asarray(array, dtype=np.float64)
        quotient = np.abs(value - ball.center) / ball.radius
        same = (value == ball.center) | (np.isnan(value) & np.isnan(ball.center)) | np.isinf(ball.radius)
        return np.where(same, 0.0, np.where(np.isnan(quotient), np.inf, quotient))


def _free(center: Floats, radius: Floats, mask: Mask) -> None:
    """Take every constraint from the elements in ``mask``; their centers stay finite, so that none looks certain."""
    radius[mask] = np.inf
    center[mask & ~np.isfinite(center)] = 0


def _settled(center: Floats, radius: Floats, overflow: Mask) -> Ball:
    """The balls of sums of which some are NaN, infinite or not constrained.

    ``overflow`` tells where a float32 evaluation may overflow; there nothing is constrained.
    """
    certain = ~np.isfinite(center)
    free = overflow | (np.isinf(radius) & ~np.isnan(center)) | np.isnan(radius) & ~certain
    center, radius = center.copy(), np.where(certain, 0.0, radius)
    _free(center, radius, free)
    return Ball(center, radius, bool(np.isfinite(center).all() and np.isfinite(radius).all()))


def _around_zero(ball: Ball) -> Mask:
    """Where a ball contains 0 without being exactly 0."""
    return (np.abs(ball.center) <= ball.radius) & (ball.radius > 0)


def _on_grid(values: Floats) -> Mask:
    scaled = values / GRID
    return np.asarray(scaled == np.rint(scaled))


def _special_linear(x: Ball, weights: Matrix) -> Sum:
    """``linear`` where NaN, infinities or unconstrained values stand among the operands.

    The finite terms are summed as ever; the others are found by counting, one matrix product of masks for each way
    in which a term can be special, so that the outcome does not depend on how a BLAS treats 0 * Inf.
    """
    w = weights.values
    finite, w_finite = np.isfinite(x.center) & np.isfinite(x.radius), np.isfinite(w)
    xs = Ball(np.where(finite, x.center, 0), np.where(finite, x.radius, 0), finite=True)
    ws = matrix(np.where(w_finite, w, 0))
    sums = linear(xs, ws)

    def some(left: Mask, right: Mask) -> Mask:
        return np.asarray(left.astype(np.float64) @ right.astype(np.float64).T > 0)

    zero = finite & (x.center == 0) & (x.radius == 0)
    positive, negative = finite & (x.center > x.radius), finite & (-x.center > x.radius)
    nan = np.isnan(x.center).any(axis=1, keepdims=True) | np.isnan(w).any(axis=1)
    nan |= some(zero, np.isinf(w)) | some(np.isinf(x.center), w == 0)
    free = np.isinf(x.radius).any(axis=1, keepdims=True) | some(finite & _around_zero(x), np.isinf(w))
    up = some(x.center == np.inf, w > 0) | some(x.center == -np.inf, w < 0)
    up |= some(positive, w == np.inf) | some(negative, w == -np.inf)
    down = some(x.center == np.inf, w < 0) | some(x.center == -np.inf, w > 0)
    down |= some(positive, w == -np.inf) | some(negative, w == np.inf)
    center = np.where(up, np.inf, np.where(down, -np.inf, sums.center))
    center[nan | (up & down)] = np.nan
    radius = np.where(free, np.inf, sums.radius)
    return Sum(center, radius, sums.magnitude, sums.roundings, finite=False, exact=sums.exact)
