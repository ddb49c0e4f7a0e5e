"""OpenVINO's RNNCell, GRUCell and LSTMCell, built directly: a node for each step of each direction.

Source: OpenVINO's page RNNCell-3. A cell knows no time: the steps are chained here, from the last to the first where
the direction is reverse. It knows no lengths either, and is given none: a row that ends early would test what is
chained, not the cell.
"""

from typing import Any

import numpy as np
from openvino import opset5

from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_corpus.layer import Layer, output_to_layout
from gatewise_corpus.outcome import Ran
from gatewise_implementations import openvino_operators, translation
from gatewise_implementations.contracts import declared
from gatewise_implementations.openvino_device import VERSIONS, Device, refusing
from gatewise_implementations.openvino_operators import Graph
from gatewise_implementations.options import only_threads
from gatewise_implementations.translation import expressible

CELLS = {"RNN": opset5.rnn_cell, "GRU": opset5.gru_cell, "LSTM": opset5.lstm_cell}
LIMITS: translation.Limits = {
    **openvino_operators.LIMITS,
    "rows that end early in a cell": translation.is_ragged,
    "cell without a step": lambda layer: layer.seq == 0,
}


class OpenVinoCell:
    """The adapter; ``threads`` compute one model."""

    def __init__(self, threads: int) -> None:
        self._device = Device(threads)

    def describe(self) -> Description:
        """What runs here."""
        return Description("openvino-cell", VERSIONS, self._device.settings, decisions=declared("openvino-cell"))

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if the cells cannot express the case, or OpenVINO cannot compile or run the model.
        """
        layer = expressible(case, "OpenVINO", LIMITS)
        graph = Graph(case)
        with refusing():
            states = [_chain(graph, case, layer, index) for index in range(len(layer.directions))]
            values = graph.run([state for own in states for state in own], self._device)
        kinds = len(layer.operator.output_names) - 1
        stacked = np.stack(values).reshape(len(states), layer.seq, kinds, layer.batch, layer.hidden)
        return Ran({name: _output(name, stacked, layer) for name in case.outputs})


def make_adapter(argument: str) -> OpenVinoCell:
    """The adapter with the option ``threads=N``.

    Raises:
        SetupError: if an option is unknown or has no such value.
    """
    return OpenVinoCell(only_threads("openvino-cell", argument))


def _chain(graph: Graph, case: Case, layer: Layer, index: int) -> list[Any]:
    """The states after each step of one direction, h or h and c, in the order of processing."""
    make = CELLS[layer.operator.name]
    options = openvino_operators.options(case, layer, index)
    weights = [graph.add(name, array[index]) for name, array in openvino_operators.weights(layer).items()]
    states = [graph.add(name, array[index]) for name, array in translation.initial_states(layer).items()]
    after: list[Any] = []
    X = layer.X[::-1] if layer.directions[index] == "reverse" else layer.X
    for x in X:
        states = make(graph.add("X", x), *states, *weights, **options).outputs()
        after += states
    return after


def _output(name: str, states: Array, layer: Layer) -> Array:
    """An output of the case from all states [D, T, S, N, H] in the order of processing."""
    if name != "Y":
        array = states[:, -1, layer.operator.output_names.index(name) - 1]
    else:
        in_time = [
            own[::-1] if direction == "reverse" else own
            for own, direction in zip(states[:, :, 0], layer.directions, strict=True)
        ]
        array = np.stack(in_time, axis=1)
    return output_to_layout(name, array, layer.attributes.layout)
