"""Initial and final states: from where they are taken and to where they go."""

from dataclasses import replace

import numpy as np

from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import Layer
from gatewise_oracle.ball import Ball, exact, where
from gatewise_oracle.misreadings import when
from gatewise_oracle.misreadings.changes import mapped, tensors, zeros_where
from gatewise_oracle.readings import Balls, Reading
from gatewise_oracle.semantics import Steps

_LSTM = ("LSTM",)
_STATES = ("initial_h", "initial_c")


def _gives(name: str) -> when.Applies:
    return lambda case, layer: name in case.inputs and when.runs(case, layer)


def _only_cell(case: Case, layer: Layer) -> bool:
    return _gives("initial_c")(case, layer) and "initial_h" not in case.inputs


def _state_in_two_directions(case: Case, layer: Layer) -> bool:
    return when.has_state(case, layer) and len(layer.directions) == 2


def _several_rows(case: Case, layer: Layer) -> bool:
    return when.has_state(case, layer) and layer.batch > 1


def _last_row_is_another(case: Case, layer: Layer) -> bool:
    return when.has_reverse(case, layer) or (when.has_padding(case, layer) and layer.seq > 0)


def _swapped(layer: Layer) -> Layer:
    return replace(layer, initial_h=layer.initial_c, initial_c=layer.initial_h)


def _shifted_slots(case: Case) -> Case:
    return case.with_inputs(initial_h=case.inputs["initial_c"], initial_c=None)


def _rows_first(state: Array) -> Array:
    """[D, N, H] read from the memory of [N, D, H]."""
    dirs, batch, hidden = state.shape
    return state.reshape(batch, dirs, hidden).swapaxes(0, 1)


def _with_second(state: Array, value: Array) -> Array:
    return np.stack([state[0], value])


def _forgotten(_: Layer, states: Ball, steps: Steps) -> Ball:
    first = (steps == 0)[:, np.newaxis, np.newaxis]
    return zeros_where(~first, states)


def _state_of_first_row(_: Layer, states: Ball, __: Steps) -> Ball:
    return mapped(states, lambda array: np.broadcast_to(array[:, :1], array.shape))


def _last_of_y(layer: Layer, balls: Balls) -> Balls:
    return {**balls, "Y_h": balls["Y"][layer.seq - 1]}


def _last_of_y_in_reverse(layer: Layer, balls: Balls) -> Balls:
    is_reverse = np.array([name == "reverse" for name in layer.directions])[:, np.newaxis, np.newaxis]
    return {**balls, "Y_h": where(is_reverse, balls["Y"][layer.seq - 1], balls["Y_h"])}


def _first_of_y(_: Layer, balls: Balls) -> Balls:
    return {**balls, "Y_h": balls["Y"][0]}


def _initial_as_final(layer: Layer, balls: Balls) -> Balls:
    initial = {"Y_h": exact(layer.initial_h), "Y_c": exact(layer.initial_c)}
    return {name: initial.get(name, ball) for name, ball in balls.items()}


def _no_final(_: Layer, balls: Balls) -> Balls:
    return {name: ball if name == "Y" else zeros_where(np.array(True), ball) for name, ball in balls.items()}


def _swapped_directions(_: Layer, balls: Balls) -> Balls:
    return {name: ball if name == "Y" else ball[::-1] for name, ball in balls.items()}


STATES = (
    Reading(
        "initial-h-ignored",
        "initial_h is not read",
        applies=_gives("initial_h"),
        source="an optional input that a kernel never binds",
        layer=tensors(np.zeros_like, "initial_h"),
    ),
    Reading(
        "initial-c-ignored",
        "initial_c is not read",
        applies=_gives("initial_c"),
        source="an optional input that a kernel never binds",
        operators=_LSTM,
        layer=tensors(np.zeros_like, "initial_c"),
    ),
    Reading(
        "initial-states-swapped",
        "initial_h and initial_c are taken for each other",
        applies=when.has_state,
        source="TensorFlow's LSTMStateTuple holds (c, h), others (h, c)",
        operators=_LSTM,
        layer=_swapped,
    ),
    Reading(
        "initial-c-in-place-of-h",
        "an initial_c without initial_h is taken for initial_h",
        applies=_only_cell,
        source="omitted inputs dropped from the list, so that the later ones move up (onnx-tensorflow#408)",
        operators=_LSTM,
        case=_shifted_slots,
    ),
    Reading(
        "initial-state-of-first-row",
        "the first row's initial state serves all rows",
        applies=_several_rows,
        source="a state kept without a batch axis (ncnn#3665)",
        layer=tensors(lambda state: np.broadcast_to(state[:, :1], state.shape), *_STATES),
    ),
    Reading(
        "initial-state-rows-first",
        "initial states are read as [batch, directions, hidden] although layout is 0",
        applies=lambda case, layer: (
            _state_in_two_directions(case, layer) and layer.batch > 1 and layer.attributes.layout == 0
        ),
        source="layout = 1 taken for the default",
        layer=tensors(_rows_first, *_STATES),
    ),
    Reading(
        "initial-state-of-forward-for-both",
        "both directions start from the forward direction's initial state",
        applies=_state_in_two_directions,
        source="an offset for the direction left out (onnxruntime#1607)",
        layer=tensors(lambda state: _with_second(state, state[0]) if len(state) == 2 else state, *_STATES),
    ),
    Reading(
        "reverse-starts-from-zeros",
        "of two directions the reverse one starts from zeros",
        applies=_state_in_two_directions,
        source="the state is bound to the first direction only (onnxruntime#1607)",
        layer=tensors(lambda s: _with_second(s, np.zeros_like(s[0])) if len(s) == 2 else s, *_STATES),
    ),
    Reading(
        "initial-states-of-directions-swapped",
        "the directions take each other's initial states",
        applies=_state_in_two_directions,
        source="directions stored in the opposite order",
        layer=tensors(lambda state: state[::-1], *_STATES),
    ),
    Reading(
        "state-not-carried",
        "every step but the first starts from zeros",
        applies=when.is_recurrent,
        source="a state variable of the loop body that is not written back",
        semantics={"previous": _forgotten},
    ),
    Reading(
        "state-of-first-row",
        "the recurrent product takes the first row's state for all rows",
        applies=lambda case, layer: (
            layer.batch > 1 and (when.is_recurrent(case, layer) or when.has_state(case, layer))
        ),
        source="a stride of 0 left over from a batch of one (ncnn#3665, tract#286)",
        semantics={"previous": _state_of_first_row},
    ),
    Reading(
        "final-state-from-last-of-y",
        "Y_h is the last step of Y, in both directions and for all lengths",
        applies=_last_row_is_another,
        source="OpenCV 5; Y[-1] is where Y_h stands in a forward layer of full rows (onnx-mlir#2479)",
        outputs=_last_of_y,
    ),
    Reading(
        "reverse-final-state-from-last-of-y",
        "Y_h of the reverse direction is its last row of Y",
        applies=when.has_reverse,
        source="OpenCV 5: Y_h of a reverse LSTM is Y[seq - 1]",
        outputs=_last_of_y_in_reverse,
    ),
    Reading(
        "final-state-from-first-of-y",
        "Y_h is the first step of Y",
        applies=lambda case, layer: layer.seq > 1 and when.runs(case, layer),
        source="the rule for the reverse direction applied to both",
        outputs=_first_of_y,
    ),
    Reading(
        "final-cell-is-state",
        "Y_c is Y_h",
        applies=when.runs,
        source="one output bound twice",
        operators=_LSTM,
        outputs=lambda _, balls: {**balls, "Y_c": balls["Y_h"]},
    ),
    Reading(
        "final-states-swapped",
        "Y_h and Y_c are taken for each other",
        applies=when.runs,
        source="TensorFlow's LSTMStateTuple holds (c, h), others (h, c)",
        operators=_LSTM,
        outputs=lambda _, balls: {**balls, "Y_h": balls["Y_c"], "Y_c": balls["Y_h"]},
    ),
    Reading(
        "final-state-is-initial",
        "the final states are the initial ones",
        applies=when.runs,
        source="the state is updated in a copy",
        outputs=_initial_as_final,
    ),
    Reading(
        "final-state-not-written",
        "the final states are zeros",
        applies=when.runs,
        source="an optional output that a kernel never writes",
        outputs=_no_final,
    ),
    Reading(
        "final-states-of-directions-swapped",
        "Y_h and Y_c hold the reverse direction first",
        applies=when.is_bidirectional,
        source="directions stacked in the order in which they end",
        outputs=_swapped_directions,
    ),
)
"""Misreadings of initial and final states."""
