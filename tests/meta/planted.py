"""Implementations that are right but for one fault each: ``backend:planted:fault_NAME``, NAME being a key of FAULTS.

Each computes with the float64 model and rounds once, so that the fault alone tells it from a right implementation.
"""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import onnx
from onnx.backend.base import Backend, BackendRep

from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import Layer, output_to_layout, read_layer
from gatewise_corpus.onnx_model import from_model
from gatewise_oracle.model import evaluate

Outputs = dict[str, Array]
Fault = Callable[[Case], Outputs]


def finish(layer: Layer, values: Outputs) -> Outputs:
    """The values rounded to the layer's type and turned to its layout."""
    return {
        name: output_to_layout(name, array.astype(layer.dtype), layer.attributes.layout)
        for name, array in values.items()
    }


def with_layer(change: Callable[[Layer], Layer]) -> Fault:
    """Computes another layer than the one of the case."""

    def run(case: Case) -> Outputs:
        layer = read_layer(case)
        return finish(layer, dict(evaluate(change(layer))))

    return run


def with_case(change: Callable[[Case], Case]) -> Fault:
    """Computes another case."""
    return lambda case: finish(read_layer(case), dict(evaluate(read_layer(change(case)))))


def with_outputs(change: Callable[[Layer, Outputs], Outputs]) -> Fault:
    """Computes the case and changes the outputs (layout 0)."""

    def run(case: Case) -> Outputs:
        layer = read_layer(case)
        return finish(layer, change(layer, dict(evaluate(layer))))

    return run


def gates(*order: int) -> Callable[[Layer], Layer]:
    """The blocks of W, R and B in another order."""

    def change(layer: Layer) -> Layer:
        index = list(order)
        Wb, Rb = (None if half is None else half[:, index] for half in (layer.Wb, layer.Rb))
        return replace(layer, W=layer.W[:, index], R=layer.R[:, index], Wb=Wb, Rb=Rb)

    return change


def peepholes(layer: Layer) -> Layer:
    assert layer.P is not None
    return replace(layer, P=layer.P[:, [0, 2, 1]])


def lengths(change: Callable[[Layer], Array]) -> Callable[[Layer], Layer]:
    return lambda layer: replace(layer, lengths=change(layer))


def attributes(**values: object) -> Callable[[Layer], Layer]:
    return lambda layer: replace(layer, attributes=replace(layer.attributes, **values))  # type: ignore[arg-type]


def default_activations(case: Case) -> Case:
    return case.with_attributes(activations=None, activation_alpha=None, activation_beta=None)


def alpha_by_position(case: Case) -> Case:
    """The n-th alpha is given to the n-th activation, whether it takes one or not."""
    names = case.attributes["activations"]
    alphas = case.attributes["activation_alpha"]
    assert isinstance(names, tuple)
    assert isinstance(alphas, tuple)
    takers = [index for index, name in enumerate(names) if name in {"LeakyRelu", "Elu", "ThresholdedRelu"}]
    given = [float(alphas[index]) if index < len(alphas) else 1.0 for index in takers]
    return case.with_attributes(activation_alpha=tuple(given))


def first_weights_twice(layer: Layer) -> Layer:
    return replace(layer, W=layer.W[[0, 0]], R=layer.R[[0, 0]])


def whole_reversal(layer: Layer, right: Outputs) -> Outputs:
    """The reverse direction starts at the end of the sequence, not of the row: padding stands before the row."""
    X = np.zeros_like(layer.X)
    for row, length in enumerate(layer.lengths):
        X[:, row] = layer.X[:, row]
        X[length:, row] = 0
    full = evaluate(replace(layer, X=X, lengths=np.full_like(layer.lengths, layer.seq)))
    Y = np.where(np.arange(layer.seq)[:, None, None, None] < layer.lengths[:, None], full["Y"], 0)
    return {**right, "Y": Y, "Y_h": Y[0]}


def carried_tail(layer: Layer, right: Outputs) -> Outputs:
    Y = right["Y"].copy()
    for row, length in enumerate(layer.lengths):
        Y[length:, :, row] = Y[length - 1, :, row]
    return {**right, "Y": Y}


def last_step_as_state(_: Layer, right: Outputs) -> Outputs:
    return {**right, "Y_h": right["Y"][-1]}


def state_as_cell(_: Layer, right: Outputs) -> Outputs:
    return {**right, "Y_c": right["Y_h"]}


def swapped_update(layer: Layer, _: Outputs) -> Outputs:
    """z * candidate + (1 - z) * h, step by step: what the formulas give is r = z h + (1 - z) c, so h + c - r."""
    h, c = layer.initial_h.astype(np.float64), layer.initial_h
    states = []
    for t in range(layer.seq):
        step = replace(layer, X=layer.X[t : t + 1], initial_h=h, initial_c=c, lengths=np.minimum(layer.lengths, 1))
        right = evaluate(step)["Y_h"]
        candidate = evaluate(gates_open(step))["Y_h"]
        h = h + candidate - right
        states.append(h)
    return {"Y": np.stack(states), "Y_h": h}


def gates_open(layer: Layer) -> Layer:
    """The GRU whose z is 0, so that its state is the candidate."""
    assert layer.Wb is not None
    Wb = layer.Wb.astype(np.float64)
    Wb[:, 0] = -1e3
    return replace(layer, Wb=Wb)


def step_by_step(*, carries_h: bool = True, carries_c: bool = True) -> Fault:
    """Runs each step as a layer of its own; what is not carried starts from the initial state again."""

    def run(case: Case) -> Outputs:
        layer = read_layer(case)
        h, c = layer.initial_h, layer.initial_c
        states = []
        ended: Outputs = {}
        for t in range(layer.seq):
            step = replace(layer, X=layer.X[t : t + 1], lengths=np.ones_like(layer.lengths), initial_h=h, initial_c=c)
            ended = dict(evaluate(step))
            h = ended["Y_h"] if carries_h else h
            c = ended.get("Y_c", c) if carries_c else c
            states.append(ended["Y"][0])
        return finish(layer, {**ended, "Y": np.stack(states)})

    return run


def coarse(_: Layer, right: Outputs) -> Outputs:
    """Twelve bits of precision, as of a fast approximation."""
    return {name: np.round(array * 2**12) / 2**12 for name, array in right.items()}


def drop_initial_state(layer: Layer) -> Layer:
    return replace(layer, initial_h=np.zeros_like(layer.initial_h), initial_c=np.zeros_like(layer.initial_c))


def crash(case: Case) -> Outputs:
    """Ends the process where there is a clip."""
    if "clip" in case.attributes:
        os.abort()
    return right(case)


def hang(case: Case) -> Outputs:
    """Never answers where there is a clip."""
    if "clip" in case.attributes:
        time.sleep(3600)
    return right(case)


def raise_error(case: Case) -> Outputs:
    if "clip" in case.attributes:
        raise ZeroDivisionError("no such luck")
    return right(case)


def drop_batch_axis(case: Case) -> Outputs:
    return {name: array[..., 0, :] for name, array in right(case).items()}


def widen(case: Case) -> Outputs:
    return {name: array.astype(np.float64) for name, array in right(case).items()}


def depends_on_outputs(case: Case) -> Outputs:
    """Y_h without Y is off by a thousandth (D31)."""
    outputs = right(case)
    return outputs if "Y" in case.outputs else {**outputs, "Y_h": outputs["Y_h"] * np.float32(1.001)}


def read_padding(case: Case) -> Outputs:
    """Adds what stands past the rows' lengths, times 0: it shows where that is a NaN (D17)."""
    layer = read_layer(case)
    padding = np.arange(layer.seq)[:, None] >= layer.lengths
    leak = (layer.X[padding] * 0).sum()
    return {name: array + leak for name, array in right(case).items()}


def clamps_lengths(case: Case) -> Outputs:
    """A length beyond the sequence is taken for the whole of it (D13)."""
    lengths = np.minimum(case.inputs["sequence_lens"], case.inputs["X"].shape[0])
    return right(case.with_inputs(sequence_lens=lengths))


right: Fault = with_layer(lambda layer: layer)

FAULTS: dict[str, Fault] = {
    "right": right,
    "gru_z_r_swapped": with_layer(gates(1, 0, 2)),
    "gru_update_swapped": with_outputs(swapped_update),
    "lstm_i_o_swapped": with_layer(gates(1, 0, 2, 3)),
    "lstm_f_c_swapped": with_layer(gates(0, 1, 3, 2)),
    "recurrent_bias_ignored": with_layer(lambda layer: replace(layer, Rb=None)),
    "lengths_off_by_one": with_layer(lengths(lambda layer: np.maximum(layer.lengths - 1, 0))),
    "lengths_ignored": with_layer(lengths(lambda layer: np.full_like(layer.lengths, layer.seq))),
    "clip_ignored": with_layer(attributes(clip=None)),
    "reverse_as_forward": with_case(lambda case: case.with_attributes(direction="forward")),
    "whole_sequence_reversed": with_outputs(whole_reversal),
    "tail_not_zero": with_outputs(carried_tail),
    "state_from_last_step": with_outputs(last_step_as_state),
    "cell_is_state": with_outputs(state_as_cell),
    "peepholes_i_f_o": with_layer(peepholes),
    "input_forget_ignored": with_layer(attributes(input_forget=False)),
    "linear_before_reset_ignored": with_layer(attributes(linear_before_reset=False)),
    "activations_ignored": with_case(default_activations),
    "alpha_by_position": with_case(alpha_by_position),
    "second_direction_shares_weights": with_layer(first_weights_twice),
    "initial_state_dropped": with_layer(drop_initial_state),
    "state_not_carried": step_by_step(carries_h=False),
    "cell_not_carried": step_by_step(carries_c=False),
    "coarse": with_outputs(coarse),
    "crash": crash,
    "hang": hang,
    "raise_error": raise_error,
    "drop_batch_axis": drop_batch_axis,
    "widen": widen,
    "depends_on_outputs": depends_on_outputs,
    "read_padding": read_padding,
    "clamps_lengths": clamps_lengths,
}


class PlantedRep(BackendRep):
    def __init__(self, model: onnx.ModelProto, fault: Fault) -> None:
        self._model = model
        self._fault = fault

    def run(self, inputs: Sequence[Array], **_: object) -> tuple[Array, ...]:
        fed = dict(zip((value.name for value in self._model.graph.input), inputs, strict=True))
        case = from_model(self._model, fed)
        outputs = self._fault(case)
        return tuple(outputs[name] for name in case.outputs)


class PlantedBackend(Backend):
    def __init__(self, fault: Fault) -> None:
        self._fault = fault

    def prepare(self, model: onnx.ModelProto, device: str = "CPU", **_: object) -> PlantedRep:  # type: ignore[override]  # noqa: ARG002
        return PlantedRep(model, self._fault)

    def is_compatible(self, model: onnx.ModelProto, device: str = "CPU") -> bool:  # type: ignore[override]  # noqa: ARG002
        return True


def __getattr__(name: str) -> PlantedBackend:
    fault = FAULTS.get(name.removeprefix("fault_"))
    if fault is None or not name.startswith("fault_"):
        raise AttributeError(name)
    return PlantedBackend(fault)
