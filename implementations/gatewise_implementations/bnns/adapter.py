"""The adapter of the model: GRU cases as calls of gru, under the readings that its options choose."""

from typing import cast, get_args

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.layer import output_to_layout
from gatewise_corpus.outcome import Ran
from gatewise_implementations.bnns.model import Biases, Readings, Reset, Reverse, gru
from gatewise_implementations.bnns.translation import to_bnns, to_outputs
from gatewise_implementations.contracts import declared
from gatewise_implementations.options import Options

NAMES = {"formula": "bnns-model", "name": "bnns-model-reset-before"}
"""By the reading of the reset gate, which settles what can be expressed."""


class BnnsModel:
    """The adapter."""

    def __init__(self, readings: Readings) -> None:
        self._readings = readings

    def describe(self) -> Description:
        """What runs here: a model of a document, not BNNS."""
        return Description(
            NAMES[self._readings.reset],
            versions={"document": "macOS 26"},
            settings={
                "model of": "the page of BNNSGraph.Builder.Tensor.gru",
                "reset": self._readings.reset,
                "biases": self._readings.biases,
                "reverse": self._readings.reverse,
            },
            decisions=declared("bnns-model"),
        )

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if there is no call that computes it.
        """
        call, layer = to_bnns(case, self._readings)
        outputs = to_outputs(gru(call, self._readings), layer, self._readings)
        return Ran({name: output_to_layout(name, outputs[name], layer.attributes.layout) for name in case.outputs})


def make_adapter(argument: str) -> BnnsModel:
    """The adapter with the options ``reset``, ``biases`` and ``reverse``, whose values are those of ``Readings``.

    Raises:
        SetupError: if an option is unknown or has no such value.
    """
    options = Options("bnns-model", argument)
    readings = Readings(
        cast(Reset, options.choice("reset", get_args(Reset), "formula")),
        cast(Biases, options.choice("biases", get_args(Biases), "formula")),
        cast(Reverse, options.choice("reverse", get_args(Reverse), "time")),
    )
    options.finish()
    return BnnsModel(readings)
