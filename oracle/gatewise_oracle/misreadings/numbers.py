"""Special values that are lost, and numbers that are kept in fewer bits."""

from collections.abc import Callable

import ml_dtypes
import numpy as np

from gatewise_corpus.activations import Activation
from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import Layer
from gatewise_oracle.activations import FUNCTIONS, Function, Values
from gatewise_oracle.ball import LARGEST, Ball, Floats
from gatewise_oracle.direction import Direction
from gatewise_oracle.misreadings import when
from gatewise_oracle.misreadings.changes import changed, nan_where, tensors
from gatewise_oracle.readings import Balls, Reading
from gatewise_oracle.semantics import Steps

_TENSORS = ("W", "R", "Wb", "Rb", "P")
_INT8 = 127


def rounded_to(dtype: type) -> Callable[[Array], Array]:
    """Rounds an array's values to another type and keeps its own."""

    def change(array: Array) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(array.astype(dtype).astype(array.dtype))

    return change


_to_bfloat16 = rounded_to(ml_dtypes.bfloat16)
_to_float16 = rounded_to(np.float16)


def _to_tf32(array: Array) -> Array:
    """Rounded to the 11 significant bits of TF32, in the range of float32."""
    fraction, exponent = np.frexp(array.astype(np.float64))
    return np.where(np.isfinite(array), np.ldexp(np.rint(fraction * 2.0**11), exponent - 11), array).astype(
        array.dtype
    )


def _to_int8(array: Array) -> Array:
    """Rounded to 255 steps of one size, symmetric around 0, for the whole tensor."""
    step = float(np.abs(array).max(initial=0.0)) / _INT8
    if not np.isfinite(step) or step == 0:
        return array
    return (np.rint(array.astype(np.float64) / step) * step).astype(array.dtype)


def _state(change: Callable[[Array], Array]) -> Callable[[Layer, Ball, Steps], Ball]:
    return lambda _, states, __: Ball(change(states.center), states.radius, states.finite)


def _is_float32(case: Case, layer: Layer) -> bool:
    return layer.dtype == np.float32 and when.runs(case, layer)


def _carries_float32(case: Case, layer: Layer) -> bool:
    return layer.dtype == np.float32 and when.sees_state(case, layer)


def _is_float16(case: Case, layer: Layer) -> bool:
    return layer.dtype == np.float16 and when.runs(case, layer)


def _rounded_function(function: Function) -> Function:
    def rounded(x: Floats, activation: Activation, error: float) -> Values:
        values, bound = function(x, activation, error)
        return _to_float16(values), bound + 2.0**-11 * np.abs(np.where(np.isfinite(values), values, 0)) + 2.0**-24

    return rounded


class _Float16Cell(Direction):
    """Keeps the LSTM's cell in float16."""

    def cell(self, ball: Ball) -> Ball:
        return Ball(_to_float16(ball.center), ball.radius + 2.0**-11 * np.abs(ball.center) + 2.0**-25, ball.finite)


def _without_nan(x: Floats, clip: float | None) -> Floats:
    x = np.where(np.isnan(x), 0, x)
    return x if clip is None else np.clip(x, -clip, clip)


def _is_poisoned(case: Case, layer: Layer) -> bool:
    return when.not_finite(case, layer) and when.runs(case, layer)


def _x_is_poisoned(case: Case, layer: Layer) -> bool:
    return not bool(np.isfinite(layer.X).all()) and when.runs(case, layer)


def _finite(array: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.clip(array, -LARGEST, LARGEST)


def _nan_for_infinities(array: Array) -> Array:
    return np.where(np.isinf(array), np.nan, array).astype(array.dtype)


def _nan_in_all_rows(layer: Layer, balls: Balls) -> Balls:
    """A NaN in one row is one in all rows, at the same step and unit."""
    ran = (layer.lengths > 0)[:, np.newaxis]
    return {
        name: nan_where(np.isnan(ball.center).any(axis=-2, keepdims=True) & ran, ball) for name, ball in balls.items()
    }


def _small_as_zero(x: Floats, clip: float | None) -> Floats:
    x = np.where(np.abs(x) < 2.0**-14, 0, x)
    return x if clip is None else np.clip(x, -clip, clip)


NUMBERS = (
    Reading(
        "nan-is-zero",
        "a NaN in the input of an activation counts as 0",
        applies=_is_poisoned,
        source="max(0, x) and min(x, y) of hardware return the operand that is a number",
        semantics={"clamp": _without_nan},
    ),
    Reading(
        "nan-in-x-is-zero",
        "a NaN in X counts as 0",
        applies=lambda _, layer: bool(np.isnan(layer.X).any()) and bool(layer.lengths.any()),
        source="inputs cleaned on the way in",
        layer=tensors(lambda X: np.where(np.isnan(X), 0, X).astype(X.dtype), "X"),
    ),
    Reading(
        "infinity-in-x-is-largest",
        "an infinity in X counts as the largest float32",
        applies=lambda _, layer: bool(np.isinf(layer.X).any()) and bool(layer.lengths.any()),
        source="saturating conversions on the way in",
        layer=tensors(_finite, "X"),
    ),
    Reading(
        "infinity-in-x-is-nan",
        "an infinity in X counts as NaN",
        applies=lambda _, layer: bool(np.isinf(layer.X).any()) and bool(layer.lengths.any()),
        source="compilers that assume finite values; Inf * 0 in a padded product",
        layer=tensors(_nan_for_infinities, "X"),
    ),
    Reading(
        "nan-spreads-over-rows",
        "a NaN in one row reaches the other rows of its step",
        applies=lambda case, layer: _x_is_poisoned(case, layer) and layer.batch > 1,
        source="rows mixed by products with zeros, in which NaN * 0 is NaN",
        outputs=_nan_in_all_rows,
        shows_states=False,
    ),
    Reading(
        "weights-in-bfloat16",
        "W, R, B and P are rounded to bfloat16",
        applies=_is_float32,
        source="OpenVINO 2026.4.1 without a precision hint",
        layer=tensors(_to_bfloat16, *_TENSORS),
        narrows=True,
    ),
    Reading(
        "weights-in-float16",
        "W, R, B and P are rounded to float16",
        applies=_is_float32,
        source="models compressed to float16 and computed in float32",
        layer=tensors(_to_float16, *_TENSORS),
        narrows=True,
    ),
    Reading(
        "weights-in-int8",
        "W and R are rounded to 8-bit integers with one scale a tensor",
        applies=_is_float32,
        source="dynamic quantization",
        layer=tensors(_to_int8, "W", "R"),
        narrows=True,
    ),
    Reading(
        "products-in-tf32",
        "the operands of the matrix products are rounded to TF32",
        applies=_is_float32,
        source="the tensor cores of NVIDIA's GPUs, by default in some frameworks",
        layer=tensors(_to_tf32, "X", "W", "R"),
        semantics={"previous": _state(_to_tf32)},
        narrows=True,
    ),
    Reading(
        "x-in-bfloat16",
        "X is rounded to bfloat16",
        applies=_is_float32,
        source="activations of the network kept in bfloat16",
        layer=tensors(_to_bfloat16, "X"),
        narrows=True,
    ),
    Reading(
        "x-in-float16",
        "X is rounded to float16",
        applies=_is_float32,
        source="activations of the network kept in float16",
        layer=tensors(_to_float16, "X"),
        narrows=True,
    ),
    Reading(
        "state-in-bfloat16",
        "the state is rounded to bfloat16 between steps",
        applies=_carries_float32,
        source="a state buffer of the type of the weights",
        semantics={"previous": _state(_to_bfloat16)},
        narrows=True,
    ),
    Reading(
        "state-in-float16",
        "the state is rounded to float16 between steps",
        applies=_carries_float32,
        source="a state buffer of the type of the weights",
        semantics={"previous": _state(_to_float16)},
        narrows=True,
    ),
    Reading(
        "all-in-bfloat16",
        "X, the weights and the state between steps are rounded to bfloat16",
        applies=_is_float32,
        source="OpenVINO 2026.4.1 on processors with bfloat16 and no precision hint",
        layer=lambda layer: changed(layer, _to_bfloat16, "X", *_TENSORS),
        semantics={"previous": _state(_to_bfloat16)},
        narrows=True,
    ),
    Reading(
        "activations-in-float16",
        "what an activation gives is rounded to float16",
        applies=_is_float32,
        source="gates kept in half precision",
        functions={name: _rounded_function(function) for name, function in FUNCTIONS.items()},
        narrows=True,
    ),
    Reading(
        "cell-in-float16",
        "in float16 the cell is rounded at every step (D30)",
        applies=lambda case, layer: _is_float16(case, layer) and when.is_recurrent(case, layer),
        source="every intermediate result kept in the tensor's type",
        operators=("LSTM",),
        semantics={"directions": _Float16Cell},
        narrows=True,
    ),
    Reading(
        "activations-in-float16-for-float16",
        "in float16 what an activation gives is rounded to float16 (D30)",
        applies=_is_float16,
        source="every intermediate result kept in the tensor's type",
        operators=("GRU", "LSTM"),
        equivalent={"RNN": "its state is what the activation gives, and is rounded to float16 in any case"},
        functions={name: _rounded_function(function) for name, function in FUNCTIONS.items()},
        narrows=True,
    ),
    Reading(
        "small-sums-flushed",
        "the input of an activation counts as 0 below 2^-14 in magnitude",
        applies=when.runs,
        source="the smallest normal float16, under flush to zero",
        semantics={"clamp": _small_as_zero},
    ),
)
"""Misreadings of numbers."""
