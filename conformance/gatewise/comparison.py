"""Outputs held against the balls of the model: which elements are outside, and which of them comes first."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import Layer, output_shapes
from gatewise_oracle.ball import Ball, distance
from gatewise_reports.record import Place, number


@dataclass(frozen=True)
class Comparison:
    """Outputs against balls, both in layout 0.

    Attributes:
        place: the first element outside in processing order, or None where every element is inside.
        outside: number of elements outside.
        ratio: largest distance from a center, in radii.
        unconstrained: number of elements that may have any value.
        elements: number of all elements.
    """

    place: Place | None
    outside: int
    ratio: float
    unconstrained: int
    elements: int


def form_problem(case: Case, outputs: Mapping[str, Array]) -> str:
    """What is wrong with the outputs' names, types or shapes, as one sentence; "" if nothing is.

    Outputs have the type of X and the shapes of the ONNX schemas.
    """
    shapes = output_shapes(case)
    dtype = case.inputs["X"].dtype
    for name in case.outputs:
        if name not in outputs:
            return f"output {name} is missing"
        if outputs[name].dtype != dtype:
            return f"output {name} is {outputs[name].dtype}, but must be {dtype} as X is"
        if outputs[name].shape != shapes[name]:
            return f"output {name} has shape {list(outputs[name].shape)}, but must be {list(shapes[name])}"
    surplus = [name for name in outputs if name not in case.outputs]
    return f"output {surplus[0]} was not requested" if surplus else ""


def compare(layer: Layer, outputs: Mapping[str, Array], balls: Mapping[str, Ball]) -> Comparison:
    """Holds ``outputs`` against ``balls``, both by name and in layout 0."""
    place, outside, ratio, unconstrained, elements = None, 0, 0.0, 0, 0
    for name in sorted(outputs, key=layer.operator.output_names.index):
        ball, array = balls[name], outputs[name]
        distances = distance(ball, array)
        elements += array.size
        unconstrained += 0 if ball.finite else int(np.isinf(ball.radius).sum())
        largest = float(distances.max(initial=0.0))
        ratio = max(ratio, largest)
        if largest > 1:
            outside += int((distances > 1).sum())
            place = place or first_place(layer, name, array, distances > 1, ball)
    return Comparison(place, outside, ratio, unconstrained, elements)


def first_place(layer: Layer, name: str, array: Array, mask: NDArray[np.bool_], ball: Ball) -> Place:
    """The first element of ``mask`` in processing order: by step, then direction, row and unit."""
    found = np.argwhere(mask)
    t, direction, row, unit = found.T if name == "Y" else (None, *found.T)
    steps = steps_of(layer, t, direction, row)
    first = int(np.lexsort((unit, row, direction, steps))[0])
    index = tuple(int(i) for i in found[first])
    center, radius = float(ball.center[index]), float(ball.radius[index])
    value = float(array[index])
    return Place(
        output=name,
        direction=layer.directions[int(direction[first])],
        row=int(row[first]),
        step=int(steps[first]),
        unit=int(unit[first]),
        index=_index_in_layout(name, index, layer.attributes.layout),
        value=number(value),
        low=number(center - radius),
        high=number(center + radius),
        times=number(float(distance(ball[index], array[index]))),
        past_length=bool(name == "Y" and t is not None and t[first] >= layer.lengths[row[first]]),
    )


def steps_of(
    layer: Layer, t: NDArray[np.intp] | None, direction: NDArray[np.intp], row: NDArray[np.intp]
) -> NDArray[np.int64]:
    """How many steps the direction computed before, in each row; past a row's length, the index in time (D19)."""
    lengths = layer.lengths[row]
    if t is None:
        return np.asarray(np.maximum(lengths - 1, 0))
    reverse = np.array([name == "reverse" for name in layer.directions])[direction]
    return np.asarray(np.where(reverse & (t < lengths), lengths - 1 - t, t))


def _index_in_layout(name: str, index: tuple[int, ...], layout: int) -> tuple[int, ...]:
    """The index of an element of layout 0 in the output as the case lays it out (D28)."""
    if not layout:
        return index
    if name == "Y":
        t, direction, row, unit = index
        return row, t, direction, unit
    direction, row, unit = index
    return row, direction, unit
