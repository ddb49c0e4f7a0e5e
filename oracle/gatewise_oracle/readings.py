"""Readings: the specification read in another way, as small changes of the case, the layer, or the model.

A reading of an open point (D01 ...) tells *deviates* from *wrong*; the same mechanism names a misreading.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import Layer, output_from_layout, output_to_layout, outputs_from_layout, read_layer
from gatewise_corpus.refusal import RefusedError
from gatewise_oracle.activations import FUNCTIONS, Function
from gatewise_oracle.ball import Ball, Mask, inside
from gatewise_oracle.model import end_to_end, stepwise
from gatewise_oracle.semantics import Semantics, processing_order
from gatewise_oracle.tolerance import DEFAULT, Tolerance

Balls = dict[str, Ball]
NOTHING: Mapping[str, Mask] = MappingProxyType({})
HUGE = 2.0**64
"""From here on the product of two float32 values may overflow."""
EVERY_OPERATOR = ("RNN", "GRU", "LSTM")


def _always(case: Case, layer: Layer) -> bool:  # noqa: ARG001  # the signature of ``applies``
    return True


@dataclass(frozen=True, eq=False)
class Reading:
    """One other way to read the specification.

    Attributes:
        name: a short id, words joined by hyphens.
        sentence: what an implementation with this reading does.
        decision: the open point (D01 ...) that it settles otherwise, or "" for a misreading of settled text.
        applies: whether it can change an output of the case.
        source: what makes it plausible: who reads it so, or which slip leads there.
        operators: the operators that it can touch.
        equivalent: by operator, why its outputs are always right there, although it is read in this way.
        accepts: for which reasons (``gatewise_corpus.refusal.REASONS``) it runs a case that must be refused.
        case: the case that such an implementation believes to have read.
        layer: the same as a change of the normal form.
        functions: activation functions computed otherwise.
        semantics: options of ``Semantics`` with other values.
        outputs: a change of the admissible outputs (layout 0).
        states: the states [T, D, N, H] in time order that an output Y changed by ``outputs`` shows.
        shows_states: whether Y tells every state, so that its steps can be followed.
        narrows: whether it only keeps numbers in fewer bits. That shows in ordinary numbers: where all of these are
            right, it explains nothing, however its own narrow range overflows.
    """

    name: str
    sentence: str
    decision: str = ""
    applies: Callable[[Case, Layer], bool] = _always
    source: str = ""
    operators: tuple[str, ...] = EVERY_OPERATOR
    equivalent: Mapping[str, str] = field(default_factory=dict)
    accepts: tuple[str, ...] = ()
    case: Callable[[Case], Case] | None = None
    layer: Callable[[Layer], Layer] | None = None
    functions: Mapping[str, Function] = field(default_factory=dict)
    semantics: Mapping[str, Any] = field(default_factory=dict)
    outputs: Callable[[Layer, Balls], Balls] | None = None
    states: Callable[[Layer, Array], Array] | None = None
    shows_states: bool = True
    narrows: bool = False

    def touches(self, case: Case, layer: Layer) -> bool:
        """Whether it can change an output of the case, a valid one with the normal form ``layer``."""
        return layer.operator.name in self.operators and self.applies(case, layer)


def as_read(case: Case, readings: Sequence[Reading]) -> tuple[Layer, Semantics]:
    """The layer and the semantics of ``case`` under the readings.

    Raises:
        RefusedError: if the case, as read, is not valid.
    """
    for reading in readings:
        if reading.case:
            case = reading.case(case)
    layer = read_layer(case)
    functions = dict(FUNCTIONS)
    options: dict[str, Any] = {}
    for reading in readings:
        if reading.layer:
            layer = reading.layer(layer)
        functions.update(reading.functions)
        options.update(reading.semantics)
    return layer, replace(Semantics(functions=functions), **options)


def admissible(
    case: Case,
    outputs: Mapping[str, Array],
    tolerance: Tolerance = DEFAULT,
    readings: Sequence[Reading] = (),
    steps: int | None = None,
) -> Balls:
    """What is admissible for each output of a case under the readings, in layout 0.

    Args:
        case: a valid case.
        outputs: what the implementation gave, in the case's layout. With Y, each step follows from the
            implementation's own previous state; without it, the bound holds from end to end and is wider.
        tolerance: the errors of its activation functions.
        readings: the readings in force; their changes apply in this order.
        steps: how many steps of each direction to look at where they can be followed; all by default.

    Returns:
        Balls by output name, of all outputs of the operator: Y [T, D, N, H], Y_h and Y_c [D, N, H].

    Raises:
        RefusedError: if the case, as read, is not valid.
        ValueError: if Y has another shape than the case, as read, gives it.
    """
    layer, semantics = as_read(case, readings)
    if "Y" in outputs and all(reading.shows_states for reading in readings):
        Y = output_from_layout("Y", outputs["Y"], layer.attributes.layout)
        for reading in reversed(readings):
            Y = reading.states(layer, Y) if reading.states else Y
        balls = stepwise(layer, Y, tolerance, semantics, steps)
    else:
        balls = end_to_end(layer, tolerance, semantics)
    for reading in readings:
        if reading.outputs:
            balls = reading.outputs(layer, balls)
    return balls


def fits(
    case: Case,
    outputs: Mapping[str, Array],
    tolerance: Tolerance = DEFAULT,
    readings: Sequence[Reading] = (),
) -> bool:
    """Whether every value of every output is admissible under the readings.

    A reading explains nothing that it does not constrain: see ``telling_values``.

    Raises:
        RefusedError: if the case itself is not valid.
    """
    read_layer(case)
    return outside(case, outputs, tolerance, readings, telling=telling_values(case, outputs, tolerance)) == 0


def telling_values(case: Case, outputs: Mapping[str, Array], tolerance: Tolerance = DEFAULT) -> dict[str, Mask]:
    """Where a reading must constrain the outputs to explain them, in the layout of the case; {} if that is invalid.

    That is where one ordinary number stands for another, in Y only at the step at which its row goes wrong: what
    follows an overflow may be anything, and what stands there itself if it is huge, infinite or NaN.
    """
    try:
        layer = read_layer(case)
        balls = admissible(case, outputs, tolerance)
    except (RefusedError, ValueError):
        return {}
    layout = layer.attributes.layout
    given = outputs_from_layout(outputs, layout)
    if any(array.shape != balls[name].center.shape for name, array in given.items()):
        return {}
    wrong = {name: ~inside(balls[name], array) for name, array in given.items()}
    if "Y" in wrong:
        Y = wrong.pop("Y")
        told = np.asarray(Y.any(axis=(0, 3)))[..., np.newaxis]
        wrong = {"Y": _at_first_step(layer, Y), **{name: mask & ~told for name, mask in wrong.items()}}
    return {
        name: output_to_layout(name, mask & _is_ordinary(given[name]) & np.isfinite(balls[name].center), layout)
        for name, mask in wrong.items()
    }


def _at_first_step(layer: Layer, wrong: Mask) -> Mask:
    """Of Y [T, D, N, H], what is wrong at the first step of its row and direction at which anything is."""
    if not layer.seq:
        return wrong
    steps = np.stack([processing_order(layer, index) for index in range(wrong.shape[1])], axis=1)
    first = np.where(wrong.any(axis=3), steps, layer.seq).min(axis=0)
    return np.asarray(wrong & (steps == first)[..., np.newaxis])


def _is_ordinary(array: Array) -> Mask:
    return np.asarray(np.abs(array.astype(np.float64)) < HUGE)


def outside(
    case: Case,
    outputs: Mapping[str, Array],
    tolerance: Tolerance = DEFAULT,
    readings: Sequence[Reading] = (),
    steps: int | None = None,
    *,
    telling: Mapping[str, Mask] = NOTHING,
) -> int:
    """How many values are not admissible under the readings: all, where outputs have other shapes.

    ``steps`` limits how many steps of each direction are looked at; the case may be invalid, if not as read. Where
    ``telling`` holds, in the layout of the case, a value must be constrained to be admissible.
    """
    total = sum(array.size for array in outputs.values()) or 1
    try:
        layer, _ = as_read(case, readings)
        balls = admissible(case, outputs, tolerance, readings, steps)
    except (RefusedError, ValueError, IndexError):  # numpy raises either where a reading turns another shape
        return total
    layout = layer.attributes.layout
    found = 0
    for name, array in outputs.items():
        value, ball = output_from_layout(name, array, layout), balls[name]
        if value.shape != ball.center.shape:
            return total
        wrong = ~inside(ball, value)
        if name in telling and not ball.finite:
            wrong |= output_from_layout(name, telling[name], layout) & ball.free
        found += int(wrong.sum())
    return found


def readings_for(case: Case, readings: Sequence[Reading]) -> list[Reading]:
    """Those readings that can change an output of a valid case.

    Raises:
        RefusedError: if the case is not valid.
    """
    layer = read_layer(case)
    return [reading for reading in readings if reading.touches(case, layer)]
