"""OpenVINO's RNNSequence, GRUSequence and LSTMSequence, built directly: one node, rows first.

Source: OpenVINO's pages RNNSequence-5, GRUSequence-5 and LSTMSequence-5.
"""

from typing import Any

import numpy as np
from openvino import opset5

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.layer import Layer, output_to_layout
from gatewise_corpus.outcome import Ran
from gatewise_implementations import openvino_operators, translation
from gatewise_implementations.contracts import declared
from gatewise_implementations.openvino_device import VERSIONS, Device, refusing
from gatewise_implementations.openvino_operators import Graph
from gatewise_implementations.options import only_threads
from gatewise_implementations.translation import expressible

SEQUENCES = {"RNN": opset5.rnn_sequence, "GRU": opset5.gru_sequence, "LSTM": opset5.lstm_sequence}
FROM_ROWS_FIRST = {"Y": (2, 1, 0, 3), "Y_h": (1, 0, 2), "Y_c": (1, 0, 2)}
"""The axes of Y [N, D, T, H] and of the final states [N, D, H] in the order of layout 0."""


def _has_two_sets(layer: Layer) -> bool:
    return any(own != layer.activations[0] for own in layer.activations)


LIMITS: translation.Limits = {
    **openvino_operators.LIMITS,
    "sequence with other activations in the second direction": _has_two_sets,
}


class OpenVinoSequence:
    """The adapter; ``threads`` compute one model."""

    def __init__(self, threads: int) -> None:
        self._device = Device(threads)

    def describe(self) -> Description:
        """What runs here."""
        return Description(
            "openvino-sequence", VERSIONS, self._device.settings, decisions=declared("openvino-sequence")
        )

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if the operator cannot express the case, or OpenVINO cannot compile or run the model.
        """
        layer = expressible(case, "OpenVINO", LIMITS)
        graph = Graph(case)
        with refusing():
            outputs = _node(graph, case, layer).outputs()
            values = graph.run(outputs, self._device)
        in_time = {
            name: value.transpose(FROM_ROWS_FIRST[name])
            for name, value in zip(layer.operator.output_names, values, strict=True)
        }
        layout = layer.attributes.layout
        return Ran({name: output_to_layout(name, in_time[name], layout) for name in case.outputs})


def make_adapter(argument: str) -> OpenVinoSequence:
    """The adapter with the option ``threads=N``.

    Raises:
        SetupError: if an option is unknown or has no such value.
    """
    return OpenVinoSequence(only_threads("openvino-sequence", argument))


def _node(graph: Graph, case: Case, layer: Layer) -> Any:
    return SEQUENCES[layer.operator.name](
        graph.add("X", layer.X.swapaxes(0, 1)),
        *(graph.add(name, state.swapaxes(0, 1)) for name, state in translation.initial_states(layer).items()),
        graph.add("sequence_lens", layer.lengths.astype(np.int32)),
        *(graph.add(name, array) for name, array in openvino_operators.weights(layer).items()),
        direction=layer.attributes.direction,
        **openvino_operators.options(case, layer, 0),
    )
