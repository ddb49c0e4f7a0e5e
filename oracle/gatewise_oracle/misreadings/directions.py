"""Forward, reverse and bidirectional: who runs how, with whose weights, into which place of Y."""

from dataclasses import replace

import numpy as np

from gatewise_corpus.activations import ACTIVATIONS, Activation
from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import Layer
from gatewise_oracle.misreadings import when
from gatewise_oracle.misreadings.changes import WEIGHTS, mapped, tensors, zeros_where
from gatewise_oracle.readings import Balls, Reading
from gatewise_oracle.semantics import Steps, in_time


def _as_forward(layer: Layer, _: int) -> Steps:
    return in_time(layer)


def _first_twice(tensor: Array) -> Array:
    return np.stack([tensor[0], tensor[0]]) if len(tensor) == 2 else tensor


def _reversed(tensor: Array) -> Array:
    return tensor[::-1]


def _swapped(_: Layer, balls: Balls) -> Balls:
    return {name: mapped(ball, _swapped_array) for name, ball in balls.items()}


def _swapped_array(array: Array) -> Array:
    """[T, D, N, H] or [D, N, H] with the directions exchanged."""
    return np.flip(array, axis=array.ndim - 3)


def _second_zero(_: Layer, balls: Balls) -> Balls:
    second = np.array([False, True])[:, np.newaxis, np.newaxis]
    return {name: zeros_where(second, ball) for name, ball in balls.items()}


def _rows_outside(array: Array) -> Array:
    """[T, D, N, H] whose memory holds [T, N, D, H]."""
    return np.ascontiguousarray(array.swapaxes(1, 2)).reshape(array.shape)


def _rows_inside(_: Layer, Y: Array) -> Array:
    seq, dirs, batch, hidden = Y.shape
    return np.ascontiguousarray(Y).reshape(seq, batch, dirs, hidden).swapaxes(1, 2)


def _activations_of_first(layer: Layer) -> Layer:
    return replace(layer, activations=(layer.activations[0],) * len(layer.activations))


def _activations_swapped(layer: Layer) -> Layer:
    return replace(layer, activations=layer.activations[::-1])


def defaults(layer: Layer) -> tuple[Activation, ...]:
    """The operator's own activations for one direction."""
    return tuple(Activation(ACTIVATIONS[name]) for name in layer.operator.default_activations)


def _second_default(layer: Layer) -> Layer:
    return replace(layer, activations=(*layer.activations[:1], *[defaults(layer)] * (len(layer.activations) - 1)))


def _activations_differ(case: Case, layer: Layer) -> bool:
    return when.is_bidirectional(case, layer) and layer.activations[0] != layer.activations[1]


def _second_is_not_default(case: Case, layer: Layer) -> bool:
    return when.is_bidirectional(case, layer) and layer.activations[1] != defaults(layer)


def _tensor_of_first(tensor: str, *names: str) -> Reading:
    return Reading(
        f"{tensor.lower()}-of-forward-for-both",
        f"both directions use the forward direction's {tensor}",
        applies=lambda case, layer: when.is_bidirectional(case, layer) and getattr(layer, names[0]) is not None,
        source="an offset for the direction left out",
        operators=("LSTM",) if tensor == "P" else ("RNN", "GRU", "LSTM"),
        layer=tensors(_first_twice, *names),
    )


DIRECTIONS = (
    Reading(
        "reverse-as-forward",
        "the reverse direction runs forward",
        applies=when.has_reverse,
        source="tract 0.23; OpenCV 5 for the GRU",
        semantics={"order": _as_forward},
    ),
    Reading(
        "directions-swapped",
        "the outputs hold the reverse direction first",
        applies=when.is_bidirectional,
        source="directions stacked in the order in which they end",
        outputs=_swapped,
        states=lambda _, Y: _swapped_array(Y),
    ),
    Reading(
        "weights-of-directions-swapped",
        "the directions use each other's W, R, B and P",
        applies=when.is_bidirectional,
        source="a converter that lists the backward cell first",
        layer=tensors(_reversed, *WEIGHTS, "P"),
    ),
    Reading(
        "weights-of-forward-for-both",
        "both directions use the forward direction's W, R, B and P",
        applies=when.is_bidirectional,
        source="one cell object wrapped twice",
        layer=tensors(_first_twice, *WEIGHTS, "P"),
    ),
    _tensor_of_first("W", "W"),
    _tensor_of_first("R", "R"),
    _tensor_of_first("B", "Wb", "Rb"),
    _tensor_of_first("P", "P"),
    Reading(
        "reverse-not-computed",
        "of two directions the reverse one stays zero",
        applies=when.is_bidirectional,
        source="bidirectional read as forward, into outputs of the right shape",
        outputs=_second_zero,
    ),
    Reading(
        "y-rows-before-directions",
        "Y lies in memory as [seq, batch, directions, hidden]",
        applies=lambda case, layer: when.is_bidirectional(case, layer) and layer.batch > 1,
        source="both directions side by side, as PyTorch, Keras and MXNet give them, without the transpose",
        outputs=lambda _, balls: {**balls, "Y": mapped(balls["Y"], _rows_outside)},
        states=_rows_inside,
    ),
    Reading(
        "activations-of-forward-for-both",
        "the first set of activations serves both directions",
        applies=_activations_differ,
        source="TensorRT#1417 and others: activations kept once a layer",
        layer=_activations_of_first,
    ),
    Reading(
        "activations-of-directions-swapped",
        "the directions use each other's activations",
        applies=_activations_differ,
        source="directions stored in the opposite order",
        layer=_activations_swapped,
    ),
    Reading(
        "default-activations-in-reverse",
        "of two directions the reverse one uses the default activations",
        applies=_second_is_not_default,
        source="a list read up to the first direction's end",
        layer=_second_default,
    ),
)
"""Misreadings of directions."""
