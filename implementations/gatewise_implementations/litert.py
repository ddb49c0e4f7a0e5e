"""LiteRT (TensorFlow Lite) on the CPU: UNIDIRECTIONAL_SEQUENCE_RNN and _LSTM, in a model built by hand.

Source: the kernels' own headers, for the order of the inputs; the schema of the model comes with LiteRT.
"""

from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter

from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_corpus.layer import Layer, turned
from gatewise_corpus.operators import PEEPHOLES
from gatewise_corpus.outcome import Ran
from gatewise_implementations import translation
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.contracts import declared
from gatewise_implementations.options import only_threads
from gatewise_implementations.specs import distribution_version
from gatewise_implementations.translation import expressible

SCHEMA_VERSION = 3
OMITTED = -1
"""The index of an optional tensor that is not there."""
GATES = ("i", "f", "c", "o")
PEEPHOLE_GATES = ("i", "f", "o")
FUSED = {
    "Tanh": schema.ActivationFunctionType.TANH,
    "Relu": schema.ActivationFunctionType.RELU,
}
"""The activation of the candidate and of the cell, or of an RNN."""


def _has_other_activations(layer: Layer) -> bool:
    gates = ("Sigmoid",) if layer.operator.name == "LSTM" else ()
    repeated = 2 if layer.operator.name == "LSTM" else 1
    return not any(translation.uses_only(layer, *gates, *(name,) * repeated) for name in FUSED)


LIMITS: translation.Limits = {
    "GRU": lambda layer: layer.operator.name == "GRU",
    "direction but forward in these operators": lambda layer: layer.directions != ("forward",),
    "type but float32 in the model that is built": lambda layer: layer.dtype != np.float32,
    "activations but Tanh and Relu beside Sigmoid": _has_other_activations,
    "clip of gates": translation.clips,
    "input_forget (its coupled gates are i = 1 - f)": translation.couples_gates,
    "sequence_lens": translation.is_ragged,
}


class LiteRt:
    """The adapter; ``threads`` compute one model."""

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def describe(self) -> Description:
        """What runs here."""
        return Description(
            name="litert",
            versions={"litert": distribution_version("ai-edge-litert")},
            settings={"device": "cpu", "threads": str(self._threads)},
            decisions=declared("litert"),
        )

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if the operators cannot express the case, or LiteRT raises a RuntimeError or a ValueError.
        """
        layer = expressible(case, "LiteRT", LIMITS)
        model = _Model(layer)
        try:
            interpreter = Interpreter(model_content=model.serialized(), num_threads=self._threads)
            interpreter.allocate_tensors()
            for name, initial in (("h", layer.initial_h), ("c", layer.initial_c)):
                if name in model.states:
                    interpreter.tensor(model.states[name])()[:] = initial[0]
            interpreter.set_tensor(model.X, case.inputs["X"])
            interpreter.invoke()
            Y = interpreter.get_tensor(model.Y)
            final = {name: interpreter.get_tensor(index)[np.newaxis] for name, index in model.states.items()}
        except (RuntimeError, ValueError) as error:
            raise RefusalError(str(error)) from error
        layout = layer.attributes.layout
        outputs = {"Y": Y[:, :, np.newaxis] if layout else Y[:, np.newaxis]}
        for name, state in final.items():
            outputs[f"Y_{name}"] = turned(f"Y_{name}", state) if layout else state
        return Ran({name: outputs[name] for name in case.outputs})


def make_adapter(argument: str) -> LiteRt:
    """The adapter with the option ``threads=N``.

    Raises:
        SetupError: if an option is unknown or has no such value.
    """
    return LiteRt(only_threads("litert", argument))


class _Model:
    """A model of one operator with constant weights.

    Attributes:
        X, Y: indices of the tensors, [T, N, I] and [T, N, H], or with layout 1 [N, T, I] and [N, T, H].
        states: indices of the variable tensors [N, H], by "h" and "c".
    """

    def __init__(self, layer: Layer) -> None:
        self._layer = layer
        self._tensors: list[Any] = []
        self._buffers: list[Any] = [_buffer(b"")]  # buffer 0 is the empty one, of every tensor without data
        rows = (layer.batch, layer.seq) if layer.attributes.layout else (layer.seq, layer.batch)
        self.X = self._add((*rows, layer.input))
        self.Y = self._add((*rows, layer.hidden))
        is_lstm = layer.operator.name == "LSTM"
        self.states = {name: self._add_variable() for name in ("hc" if is_lstm else "h")}
        self._inputs = self._lstm_inputs() if is_lstm else self._rnn_inputs()

    def serialized(self) -> bytes:
        """The model as a file holds it."""
        graph = schema.SubGraphT()
        graph.tensors, graph.inputs, graph.outputs = self._tensors, [self.X], [self.Y]
        graph.operators = [self._operator()]
        model = schema.ModelT()
        model.version, model.operatorCodes = SCHEMA_VERSION, [self._operator_code()]
        model.subgraphs, model.buffers = [graph], self._buffers
        builder = flatbuffers.Builder()
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    def _operator(self) -> Any:
        is_lstm = self._layer.operator.name == "LSTM"
        options = schema.UnidirectionalSequenceLSTMOptionsT() if is_lstm else schema.SequenceRNNOptionsT()
        options.fusedActivationFunction = FUSED[self._layer.activations[0][-1].name]
        options.timeMajor = not self._layer.attributes.layout
        kinds = schema.BuiltinOptions
        operator = schema.OperatorT()
        operator.inputs, operator.outputs = self._inputs, [self.Y]
        operator.builtinOptions = options
        operator.builtinOptionsType = kinds.UnidirectionalSequenceLSTMOptions if is_lstm else kinds.SequenceRNNOptions
        return operator

    def _operator_code(self) -> Any:
        builtins = schema.BuiltinOperator
        is_lstm = self._layer.operator.name == "LSTM"
        code = schema.OperatorCodeT()
        code.builtinCode = builtins.UNIDIRECTIONAL_SEQUENCE_LSTM if is_lstm else builtins.UNIDIRECTIONAL_SEQUENCE_RNN
        code.deprecatedBuiltinCode = code.builtinCode
        code.version = 1
        return code

    def _rnn_inputs(self) -> list[int]:
        layer = self._layer
        weights = [self._add_constant(array[0, 0]) for array in (layer.W, layer.R, self._bias())]
        return [self.X, *weights, self.states["h"]]

    def _lstm_inputs(self) -> list[int]:
        layer = self._layer
        gates = [layer.operator.gates.index(gate) for gate in GATES]
        weights = [self._add_constant(array[0, gate]) for array in (layer.W, layer.R) for gate in gates]
        blocks = [] if layer.P is None else [layer.P[0, PEEPHOLES.index(gate)] for gate in PEEPHOLE_GATES]
        peepholes = [self._add_constant(block) for block in blocks] or [OMITTED] * len(PEEPHOLE_GATES)
        biases = [self._add_constant(self._bias()[0, gate]) for gate in gates]
        projection, normalization = [OMITTED] * 2, [OMITTED] * 4
        states = [self.states["h"], self.states["c"]]
        return [self.X, *weights, *peepholes, *biases, *projection, *states, *normalization]

    def _bias(self) -> Array:
        """The one bias that the operators have, [1, G, H]: the sum of both of ONNX's."""
        of_input, of_state = translation.biases(self._layer)
        total: Array = of_input + of_state
        return total

    def _add(self, shape: tuple[int, ...], buffer: int = 0) -> int:
        tensor = schema.TensorT()
        tensor.name = f"tensor_{len(self._tensors)}".encode()
        tensor.shape, tensor.type, tensor.buffer = list(shape), schema.TensorType.FLOAT32, buffer
        self._tensors.append(tensor)
        return len(self._tensors) - 1

    def _add_constant(self, array: Array) -> int:
        self._buffers.append(_buffer(array.tobytes()))
        return self._add(array.shape, len(self._buffers) - 1)

    def _add_variable(self) -> int:
        index = self._add((self._layer.batch, self._layer.hidden))
        self._tensors[index].isVariable = True
        return index


def _buffer(data: bytes) -> Any:
    buffer = schema.BufferT()
    buffer.data = np.frombuffer(data, np.uint8)
    return buffer
