"""The eleven activation functions on balls.

A function is evaluated at three points of each ball: its center and both ends. All eleven are monotone there except
where a negative alpha folds LeakyRelu and Elu at 0 or ThresholdedRelu jumps at alpha; such a point, where a ball
contains it, is one more value. The hull of the values, and the error of the function in float32, make the new ball.
Source: the note, section "Activations"; D05, D06, D35.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from gatewise_corpus.activations import Activation
from gatewise_oracle.ball import INFLATION, LARGEST, OVERFLOW, TINY, UNIT, Ball, Floats, Mask, gamma

Values = tuple[Floats, Floats | float]
Function = Callable[[Floats, Activation, float], Values]
"""From the points [3, ...] of a ball (center, lower end, upper end), the activation and its error (absolute, not in
units) to the values there (any number, the center's first) and the bound of the float32 error."""

_EVALUATION = 2.0**-48
"""Relative error of numpy's float64 functions: at most 4 units in the last place, at both ends of a ball."""


def _relu(x: Floats, _: Activation, error: float) -> Values:
    return np.maximum(x, 0), error


def _tanh(x: Floats, _: Activation, error: float) -> Values:
    return np.tanh(x), error


def _sigmoid(x: Floats, _: Activation, error: float) -> Values:
    return 1 / (1 + np.exp(-x)), error


def _affine(x: Floats, activation: Activation, error: float) -> Values:
    scaled = activation.alpha * x
    overflows = np.abs(scaled) + abs(activation.beta) > LARGEST
    rounding = np.where(overflows, np.inf, _rounding_of_affine(scaled, activation))
    return _with_doubt(scaled + activation.beta, x, scaled, activation), rounding + error


def _rounding_of_affine(scaled: Floats, activation: Activation) -> Floats:
    """Of alpha * x + beta, overflow apart: a product by 0, 1 or -1 and a sum with 0 do not round."""
    roundings = (activation.alpha not in (0, 1, -1)) + (activation.beta != 0)
    magnitude = np.abs(scaled) + abs(activation.beta)
    return np.asarray(gamma(roundings) * magnitude + np.minimum(TINY, magnitude) * (roundings > 0))


def _with_doubt(values: Floats, x: Floats, scaled: Floats, activation: Activation) -> Floats:
    """The ``values`` of alpha * x + beta, in doubt where float32 may give NaN and the reals do not.

    That is at x = 0 for an infinite alpha, and for an infinite beta where alpha * x overflows to the other infinity.
    """
    if np.isinf(activation.alpha):
        values = _in_doubt(values, _reaches_zero(x))
    if np.isinf(activation.beta):
        values = _in_doubt(values, (scaled * np.sign(activation.beta) < -LARGEST).any(axis=0))
    return values


def _in_doubt(values: Floats, doubtful: Mask) -> Floats:
    """The values and one more: NaN where ``doubtful``, so that nothing is constrained unless all are NaN."""
    return np.concatenate((values, np.where(doubtful, np.nan, values[0])[np.newaxis]))


def _reaches_zero(x: Floats) -> Mask:
    """Where a ball of these points holds a value that float32 may round to 0."""
    return np.asarray((x.min(axis=0) <= TINY) & (x.max(axis=0) >= -TINY))


def _leaky_relu(x: Floats, activation: Activation, error: float) -> Values:
    scaled = activation.alpha * x
    values = np.where(x < 0, scaled, x)
    rounding = np.where(x < 0, UNIT * np.abs(scaled) + np.minimum(TINY, np.abs(scaled)), 0)
    return with_jump(values, 0.0, x) if activation.alpha < 0 else values, rounding + error


def _thresholded_relu(x: Floats, activation: Activation, error: float) -> Values:
    values = np.where(x > activation.alpha, x, 0)
    return with_jump(values, activation.alpha, x, activation.alpha) if activation.alpha < 0 else values, error


def _scaled_tanh(x: Floats, activation: Activation, error: float) -> Values:
    # The rounding of w = beta * x moves tanh(w) by at most u |w| / cosh(w)^2 < u / 2.
    values = activation.alpha * np.tanh(activation.beta * x)
    scale = abs(activation.alpha)
    if np.isinf(activation.beta):
        values = _in_doubt(values, _reaches_zero(x))
    if np.isinf(activation.alpha):
        values = _in_doubt(values, _reaches_zero(activation.beta * x))
    return values, scale * (error + UNIT / 2 + 2 * TINY) * (1 + UNIT) + UNIT * np.abs(values) + TINY


def _hard_sigmoid(x: Floats, activation: Activation, error: float) -> Values:
    # The clamp is exact, so the rounding of its argument moves the ends and vanishes where both saturate.
    scaled = activation.alpha * x
    affine = scaled + activation.beta
    rounding = _rounding_of_affine(scaled, activation) * INFLATION
    rounding[~np.isfinite(rounding)] = 0  # an infinity saturates
    values = np.clip(np.concatenate((affine[:1], affine - rounding, affine + rounding)), 0, 1)
    return _with_doubt(values, x, scaled, activation), error


def _elu(x: Floats, activation: Activation, error: float) -> Values:
    values = np.where(x >= 0, x, activation.alpha * np.expm1(np.minimum(x, 0)))
    scaled = abs(activation.alpha) * error * (1 + UNIT)
    rounding = np.where(x < 0, scaled + UNIT * np.abs(values) + TINY, 0)
    return with_jump(values, 0.0, x) if activation.alpha < 0 else values, rounding


def _softsign(x: Floats, _: Activation, error: float) -> Values:
    # As written, Inf / (1 + Inf) is NaN.
    values = x / (1 + np.abs(x))
    return values, (gamma(2) * np.abs(values) + np.minimum(TINY, np.abs(values))) + error


def _softplus(x: Floats, _: Activation, error: float) -> Values:
    values = np.where(x > 20, x, np.log1p(np.exp(np.minimum(x, 20))))
    return values, error * np.maximum(1, np.abs(values))


def with_jump(values: Floats, position: float, x: Floats, value: float = 0.0) -> Floats:
    """``values`` and one more, ``value``, where the ball with the points ``x`` reaches beyond ``position``."""
    between = (x[1] <= position) & (position < x[2])
    return np.concatenate((values, np.where(between, value, values[0])[np.newaxis]))


# The range of float32 keeps every one of these from overflowing in float64.
FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        "Relu": _relu,
        "Tanh": _tanh,
        "Sigmoid": _sigmoid,
        "Affine": _affine,
        "LeakyRelu": _leaky_relu,
        "ThresholdedRelu": _thresholded_relu,
        "ScaledTanh": _scaled_tanh,
        "HardSigmoid": _hard_sigmoid,
        "Elu": _elu,
        "Softsign": _softsign,
        "Softplus": _softplus,
    }
)


def points(ball: Ball) -> Floats:
    """The center, the lower and the upper end of each ball: [3, ...]."""
    result = np.empty((3, *ball.center.shape))
    result[0] = ball.center
    np.subtract(ball.center, ball.radius, out=result[1])
    np.add(ball.center, ball.radius, out=result[2])
    return result


def hull(values: Floats, error: Floats | float, ball: Ball) -> Ball:
    """The ball around the values of a function on ``ball``, the first being the one at its center.

    NaN or an infinity is certain where every value is the same one; where only some are, or where a float32
    evaluation may overflow, nothing is constrained.
    """
    center = values[0]
    spread = np.abs(values[1:] - center).max(axis=0)
    if isinstance(error, np.ndarray):
        error = error.max(axis=0)
    radius = (spread + error + _EVALUATION * np.abs(center)) * INFLATION
    if ball.finite and (np.abs(center) + radius).max(initial=0.0) < OVERFLOW:
        return Ball(center, radius, finite=True)
    certain = np.isnan(values).all(axis=0) | (np.isinf(center) & (values == center).all(axis=0))
    certain &= np.isfinite(ball.radius)
    free = ~certain & ~(np.abs(center) + radius < OVERFLOW) | np.isinf(ball.radius)
    center = np.where(free & ~np.isfinite(center), 0, center)
    radius = np.where(free, np.inf, np.where(certain, 0, radius))
    return Ball(center, radius, bool(np.isfinite(center).all() and not free.any()))
