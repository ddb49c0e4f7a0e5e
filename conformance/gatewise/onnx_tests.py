"""ONNX's own node tests of RNN, GRU and LSTM, for comparison: which misreadings they notice."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from gatewise.mutant import outputs_under
from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import read_layer
from gatewise_corpus.onnx_model import from_model
from gatewise_oracle.readings import Reading


@dataclass(frozen=True, eq=False)
class NodeTest:
    """One of ONNX's tests: its case, the outputs that it expects, and its tolerances."""

    name: str
    case: Case
    expected: dict[str, Array]
    relative: float
    absolute: float

    def notices(self, reading: Reading) -> bool:
        """Whether the test fails an implementation with this reading, as ONNX's runner compares."""
        if not reading.touches(self.case, read_layer(self.case)):
            return False
        outputs = outputs_under(self.case, (reading,))
        return not all(self._agrees(outputs[name], array) for name, array in self.expected.items())

    def _agrees(self, output: Array, expected: Array) -> bool:
        if output.shape != expected.shape:
            return False
        return np.allclose(output, expected, rtol=self.relative, atol=self.absolute, equal_nan=True)


@cache
def node_tests() -> tuple[NodeTest, ...]:
    """The node tests of the installed onnx."""
    from onnx.backend.test.case import node  # noqa: PLC0415 - it and the next line register the tests
    from onnx.backend.test.case.node import gru, lstm, rnn  # noqa: F401, PLC0415

    wanted = ("RNN", "GRU", "LSTM")
    registered: list[Any] = node._NodeTestCases  # noqa: SLF001 - onnx has no public list of one operator's tests
    return tuple(_node_test(test) for test in registered if test.model.graph.node[0].op_type in wanted)


def _node_test(test: Any) -> NodeTest:
    inputs, outputs = test.data_sets[0]
    names = [value.name for value in test.model.graph.input]
    case = from_model(test.model, dict(zip(names, inputs, strict=True)))
    return NodeTest(test.name, case, dict(zip(case.outputs, outputs, strict=True)), test.rtol, test.atol)


def noticing_tests(reading: Reading, operator: str) -> list[str]:
    """The names of ONNX's tests of ``operator`` that notice the reading."""
    return [test.name for test in node_tests() if test.case.operator == operator and test.notices(reading)]
