"""layout = 1: which tensors are transposed. Which outputs stand where."""

import numpy as np

from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import Layer
from gatewise_oracle.ball import Ball
from gatewise_oracle.misreadings import when
from gatewise_oracle.misreadings.changes import changed, mapped, zeros_where
from gatewise_oracle.readings import Balls, Reading


def _raw(array: Array, *shape: int) -> Array:
    return np.ascontiguousarray(array).reshape(shape)


def _y_memory(Y: Array) -> Array:
    """Y [T, D, N, H] whose memory, declared as [N, T, D, H], holds [T, D, N, H]."""
    seq, dirs, batch, hidden = Y.shape
    return _raw(Y, batch, seq, dirs, hidden).transpose(1, 2, 0, 3)


def _y_from_memory(_: Layer, Y: Array) -> Array:
    return _raw(Y.transpose(2, 0, 1, 3), *Y.shape)


def _y_directions_first(Y: Array) -> Array:
    """Y [T, D, N, H] whose memory, declared as [N, T, D, H], holds [N, D, T, H]."""
    seq, dirs, batch, hidden = Y.shape
    return _raw(Y.transpose(2, 1, 0, 3), batch, seq, dirs, hidden).transpose(1, 2, 0, 3)


def _y_from_directions_first(_: Layer, Y: Array) -> Array:
    seq, dirs, batch, hidden = Y.shape
    return _raw(Y.transpose(2, 0, 1, 3), batch, dirs, seq, hidden).transpose(2, 1, 0, 3)


def _state_memory(state: Array) -> Array:
    """[D, N, H] whose memory, declared as [N, D, H], holds [D, N, H]."""
    dirs, batch, hidden = state.shape
    return _raw(state, batch, dirs, hidden).swapaxes(0, 1)


def _initial_memory(state: Array) -> Array:
    """A state [N, D, H] of layout 1, here turned to [D, N, H], read from memory as [D, N, H]."""
    return _raw(state.swapaxes(0, 1), *state.shape)


def _x_memory(X: Array) -> Array:
    return _raw(X.swapaxes(0, 1), *X.shape)


def _untransposed_final(_: Layer, balls: Balls) -> Balls:
    return {name: ball if name == "Y" else mapped(ball, _state_memory) for name, ball in balls.items()}


def _untransposed_y(_: Layer, balls: Balls) -> Balls:
    return {**balls, "Y": mapped(balls["Y"], _y_memory)}


def _two_directions(case: Case, layer: Layer) -> bool:
    return when.is_layout_1(case, layer) and when.is_bidirectional(case, layer) and layer.batch > 1


def _has_steps(case: Case, layer: Layer) -> bool:
    return when.is_layout_1(case, layer) and when.runs(case, layer) and layer.batch > 1


def _omits_outputs(_: Case, layer: Layer) -> bool:
    names = layer.operator.output_names
    return layer.outputs != names[: len(layer.outputs)] and bool(layer.batch)


def _moved_up(layer: Layer, balls: Balls) -> Balls:
    """The requested outputs filled with the operator's outputs from the first on."""
    taken = dict(zip(layer.outputs, layer.operator.output_names, strict=False))
    return {name: balls[taken.get(name, name)] for name in balls}


def _final_needs_y(layer: Layer, balls: Balls) -> Balls:
    if "Y" in layer.outputs:
        return balls
    return {name: ball if name == "Y" else zeros_where(np.array(True), ball) for name, ball in balls.items()}


def _without_direction(layer: Layer, balls: Balls) -> Balls:
    def dropped(name: str, ball: Ball) -> Ball:
        return ball[:, 0] if name == "Y" else ball[0]

    return {name: dropped(name, ball) for name, ball in balls.items()} if len(layer.directions) == 1 else balls


LAYOUTS = (
    Reading(
        "layout-1-x-untransposed",
        "with layout = 1, X is read from memory as [seq, batch, input]",
        applies=lambda case, layer: _has_steps(case, layer) and layer.seq > 1,
        source="the attribute honoured for the outputs only",
        layer=lambda layer: changed(layer, _x_memory, "X"),
    ),
    Reading(
        "layout-1-y-untransposed",
        "with layout = 1, Y lies in memory as [seq, directions, batch, hidden]",
        applies=lambda case, layer: _has_steps(case, layer) and layer.seq > 1,
        source="the attribute honoured for the inputs only",
        outputs=_untransposed_y,
        states=_y_from_memory,
    ),
    Reading(
        "layout-1-y-directions-first",
        "with layout = 1, Y lies in memory as [batch, directions, seq, hidden]",
        applies=lambda case, layer: _two_directions(case, layer) and layer.seq > 1,
        source="directions before steps, as in layout 0 with only the batch moved",
        outputs=lambda _, balls: {**balls, "Y": mapped(balls["Y"], _y_directions_first)},
        states=_y_from_directions_first,
    ),
    Reading(
        "layout-1-final-states-untransposed",
        "with layout = 1, Y_h and Y_c lie in memory as [directions, batch, hidden]",
        applies=_two_directions,
        source="only X and Y are transposed, since one direction hides it",
        outputs=_untransposed_final,
    ),
    Reading(
        "layout-1-initial-states-untransposed",
        "with layout = 1, the initial states are read from memory as [directions, batch, hidden]",
        applies=lambda case, layer: _two_directions(case, layer) and when.has_state(case, layer),
        source="only X and Y are transposed, since one direction hides it",
        layer=lambda layer: changed(layer, _initial_memory, "initial_h", "initial_c"),
    ),
    Reading(
        "omitted-outputs-move-up",
        "an omitted output does not keep its place: the next takes it",
        applies=_omits_outputs,
        source="empty names dropped from the list of outputs (onnx#373, opencv#29931)",
        outputs=_moved_up,
    ),
    Reading(
        "final-states-need-y",
        "the final states stay zero where Y is not requested",
        applies=lambda case, layer: "Y" not in layer.outputs and when.runs(case, layer),
        source="the state is picked from a Y that was not computed (torch-mlir#3771)",
        outputs=_final_needs_y,
    ),
    Reading(
        "single-direction-dropped",
        "the outputs of one direction have no axis of directions",
        applies=lambda _, layer: len(layer.directions) == 1,
        source="Keras and PyTorch have no such axis",
        outputs=_without_direction,
        states=lambda _, Y: Y[:, np.newaxis],
    ),
)
"""Misreadings of layout and of the places of outputs."""
