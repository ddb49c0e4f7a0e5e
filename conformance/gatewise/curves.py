"""The errors of outputs over the steps, in units of the bound: where a failure begins, and how it goes on."""

from collections.abc import Iterator, Mapping

import numpy as np

from gatewise.comparison import steps_of
from gatewise_corpus.case import Array
from gatewise_corpus.layer import Layer
from gatewise_oracle.ball import Ball, Floats, distance
from gatewise_reports.record import Curve, Number, number

MOST = 64
"""So many numbers a curve has at most."""
_DIGITS = 4


def error_curves(layer: Layer, outputs: Mapping[str, Array], balls: Mapping[str, Ball]) -> tuple[Curve, ...]:
    """The curve of each output in each direction; ``outputs`` and ``balls`` are by name and in layout 0."""
    names = sorted(outputs, key=layer.operator.output_names.index)
    return tuple(curve for name in names for curve in _curves(layer, name, outputs[name], balls[name]))


def _curves(layer: Layer, name: str, array: Array, ball: Ball) -> Iterator[Curve]:
    """The errors of Y [seq, directions, batch, hidden], or of a final state [directions, batch, hidden]."""
    if not array.size:
        return
    errors = np.where(ball.free, np.nan, distance(ball, array))
    by_time = errors if name == "Y" else errors[None]
    for index, direction in enumerate(layer.directions):
        largest = _largest(by_time[:, index])  # [seq or 1, batch]
        if name == "Y":
            largest = _in_step_order(layer, index, largest)
        stride = -(-len(largest) // MOST)
        parts = (largest[begin : begin + stride] for begin in range(0, len(largest), stride))
        yield Curve(name, direction, tuple(_told(float(_largest(part.ravel()))) for part in parts), stride)


def _in_step_order(layer: Layer, direction: int, errors: Floats) -> Floats:
    """The errors [seq, batch] by the step that computed each, no more by time."""
    t, row = np.indices(errors.shape)
    steps = steps_of(layer, t.ravel(), np.full(t.size, direction), row.ravel()).reshape(errors.shape)
    ordered = np.empty_like(errors)
    ordered[steps, row] = errors
    return ordered


def _largest(errors: Floats) -> Floats:
    """The largest along the last axis; NaN only where all are."""
    return np.asarray(np.fmax.reduce(errors, axis=-1))


def _told(error: float) -> Number | None:
    return None if np.isnan(error) else number(float(f"{error:.{_DIGITS}g}"))
