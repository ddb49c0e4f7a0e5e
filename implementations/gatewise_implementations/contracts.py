"""Where a system's own document says something else than ONNX or than the decisions (docs/semantics.md).

A document that differs is no fault of the system that follows it. What an adapter cannot translate it refuses, and
what it can neither translate nor refuse it declares: the judge then expects the deviation.
"""

from dataclasses import dataclass
from typing import Literal

Handling = Literal["declared", "translated", "refused", "handed over"]


@dataclass(frozen=True)
class Point:
    """One decision on which a document differs or is silent.

    Attributes:
        decision: its id.
        says: what the document says, as a part of a sentence.
        handling: "declared": such deviations are expected; "translated": the adapter makes up for it; "refused": it
            refuses the cases that show it; "handed over": it leaves them to the system, and expects no deviation.
        how: what the adapter does about it, where that needs words.
    """

    decision: str
    says: str
    handling: Handling
    how: str = ""


@dataclass(frozen=True)
class Contract:
    """The document of a system, by the name of its adapter, and the points on which it differs."""

    adapter: str
    document: str
    points: tuple[Point, ...]


_NO_LENGTHS = "there are no lengths of rows"
_CLIP = "clip is positive, and infinite where there is none; 0, a negative one and NaN are not allowed"
_TAKEN_FOR_NONE = "the operators take these for none"
_LOWER_CASE = Point("D08", "activations are named in lower case", "translated")

CONTRACTS = (
    Contract(
        "keras",
        "The pages of Keras 3 on the layers SimpleRNN, GRU and LSTM.",
        (
            Point("D14", "a masked step keeps the state, so that an empty row ends in its initial state", "declared"),
            Point(
                "D18", "the output of a masked step is the one before", "translated", "zero_output_for_mask is set"
            ),
            Point("D19", "go_backwards returns the outputs in the order of processing", "translated", "Y is turned"),
        ),
    ),
    Contract(
        "torch",
        "The pages of torch.nn on RNN, GRU and LSTM, and of torch.nn.utils.rnn on packed sequences.",
        (
            Point("D14", "a packed sequence takes lengths greater than 0", "refused"),
            Point("D28", "batch_first is about X and Y only", "translated", "the states are turned"),
        ),
    ),
    Contract(
        "openvino-cell",
        "The pages of OpenVINO on RNNCell-3, GRUCell-3 and LSTMCell-4.",
        (
            Point("D02", _CLIP, "handed over", _TAKEN_FOR_NONE),
            _LOWER_CASE,
            Point("D14", _NO_LENGTHS, "refused"),
        ),
    ),
    Contract(
        "openvino-sequence",
        "The pages of OpenVINO on RNNSequence-5, GRUSequence-5 and LSTMSequence-5.",
        (
            Point("D02", _CLIP, "handed over", _TAKEN_FOR_NONE),
            _LOWER_CASE,
            Point("D28", "X and Y have rows first, and the states too", "translated", "all are turned"),
        ),
    ),
    Contract(
        "litert",
        "The header of LiteRT's kernel of UNIDIRECTIONAL_SEQUENCE_LSTM.",
        (Point("D22", "coupled gates are i = 1 - f", "refused"),),
    ),
    Contract(
        "bnns-model",
        "The page of Accelerate on BNNSGraph.Builder.Tensor.gru, which [bnns.md](bnns.md) goes through.",
        (
            Point("D02", "there is no clip", "refused"),
            Point("D14", _NO_LENGTHS, "refused"),
            Point("D16", "nothing is said of a size of 0", "refused"),
            Point("D19", "the order in reverse has three readings", "translated", "by the option reverse"),
        ),
    ),
    Contract(
        "webgpu",
        "The card of the WebGPU kernel ai.onnx.RNN, which [webgpu.md](webgpu.md) goes through, and the text of WGSL.",
        (
            Point("D02", "clip is not negative, and 0 clamps to 0", "declared", "a negative one or NaN is refused"),
            Point("D09", "two directions use two activations", "translated", "one set is written twice"),
            Point("D26", "a device may flush subnormal numbers", "declared"),
            Point("D30", "all is float32", "refused"),
            Point("D31", "y and y_h are both produced", "translated", "what is not requested is dropped"),
        ),
    ),
)
"""The documents of systems with layers of their own; the other adapters hand over the ONNX model itself."""


def declared(adapter: str) -> tuple[str, ...]:
    """The decisions that the adapter declares to differ on."""
    return tuple(
        point.decision
        for contract in CONTRACTS
        for point in contract.points
        if contract.adapter == adapter and point.handling == "declared"
    )
