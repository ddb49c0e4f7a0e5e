"""What OpenVINO's cells and sequence operators have in common: how they are told of a layer.

Source: OpenVINO's pages RNNCell-3, GRUCell-3, LSTMCell-4 and RNNSequence-5, GRUSequence-5, LSTMSequence-5, which are
the operators of operation set 5.
"""

from typing import Any

import numpy as np
import openvino as ov
from openvino import opset5

from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import Layer
from gatewise_corpus.onnx_model import feeds
from gatewise_implementations import translation
from gatewise_implementations.openvino_device import Device
from gatewise_implementations.translation import in_gate_order

GATES = {"RNN": ("i",), "GRU": ("z", "r", "h"), "LSTM": ("f", "i", "c", "o")}
"""The order of the blocks of W, R and B, by ONNX's names."""
ACTIVATIONS = ("Relu", "Sigmoid", "Tanh")


def _has_other_activations(layer: Layer) -> bool:
    return any(activation.name not in ACTIVATIONS for own in layer.activations for activation in own)


def _rounds_bias(layer: Layer) -> bool:
    return layer.dtype == np.float16 and layer.Wb is not None


LIMITS: translation.Limits = {
    "activations but Relu, Sigmoid and Tanh in these operators": _has_other_activations,
    "peepholes in these operators": translation.has_peepholes,
    "input_forget in these operators": translation.couples_gates,
    "two biases in these operators, and float16 would round their sum": _rounds_bias,
}


class Graph:
    """A model in the making: its parameters, with what is fed to each.

    A tensor that the case holds as a constant, or leaves out, is a constant of the model.
    """

    def __init__(self, case: Case) -> None:
        self._fed = feeds(case).keys()
        self._parameters: list[Any] = []
        self._arrays: list[Array] = []

    def add(self, name: str, array: Array) -> Any:
        """The node for ``array``, which is the input ``name`` of the case or made from it."""
        if name not in self._fed:
            return opset5.constant(np.ascontiguousarray(array))
        self._parameters.append(opset5.parameter(array.shape, array.dtype))
        self._arrays.append(np.ascontiguousarray(array))
        return self._parameters[-1]

    def run(self, results: list[Any], device: Device) -> list[Array]:
        """The values of ``results``, outputs of nodes.

        Raises:
            RuntimeError: if OpenVINO cannot compile or run the model.
        """
        request = device.request(ov.Model(results, self._parameters))
        request.infer(self._arrays)
        return [request.get_output_tensor(index).data.copy() for index in range(len(results))]


def options(case: Case, layer: Layer, index: int) -> dict[str, Any]:
    """The attributes of the cell or sequence that computes direction ``index``; clip as it is given."""
    result: dict[str, Any] = {
        "hidden_size": layer.hidden,
        "activations": [activation.name.lower() for activation in layer.activations[index]],
        "activations_alpha": [],
        "activations_beta": [],
    }
    if "clip" in case.attributes:
        result["clip"] = case.attributes["clip"]
    if layer.operator.name == "GRU":
        result["linear_before_reset"] = layer.attributes.linear_before_reset
    return result


def weights(layer: Layer) -> dict[str, Array]:
    """W [D, G*H, I], R [D, G*H, H] and the one bias B [D, G*H], by the inputs that they come from.

    The bias is Wb + Rb, but for a GRU with linear_before_reset: there the candidate's halves stand apart, [D, 4*H].
    """
    gates = GATES[layer.operator.name]
    return {
        "W": in_gate_order(layer.W, layer, gates),
        "R": in_gate_order(layer.R, layer, gates),
        "B": _bias(layer),
    }


def _bias(layer: Layer) -> Array:
    gates = GATES[layer.operator.name]
    of_input, of_state = translation.biases(layer)
    if not translation.resets_after_product(layer):
        return in_gate_order(of_input + of_state, layer, gates)
    both = in_gate_order(of_input + of_state, layer, gates[:2])
    return np.concatenate((both, of_input[:, 2], of_state[:, 2]), axis=1)
