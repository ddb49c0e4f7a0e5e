"""Why a case is not run: the ids of all reasons, and the exception that carries one."""

from types import MappingProxyType

INVALID = MappingProxyType(
    {
        "operator": "the operator is not RNN, GRU or LSTM",
        "opset": "the opset is below 7 (D29)",
        "layout-opset": "the layout attribute stands in an opset below 14 (D29)",
        "layout": "layout is neither 0 nor 1",
        "attribute": "the operator has no such attribute",
        "attribute-type": "an attribute has a value of another type",
        "direction": "direction is not exactly forward, reverse or bidirectional (D33)",
        "hidden-size": "the hidden size is 0 or negative (D20)",
        "hidden-size-mismatch": "hidden_size is not R's last dimension (D20)",
        "activation-name": "no activation has this name (D08)",
        "activation-count": "the number of activations fits neither one direction nor all (D09-D11)",
        "missing-input": "X, W or R is missing",
        "unknown-input": "the operator has no such input",
        "rank": "a tensor has another number of dimensions",
        "shape": "a tensor's dimension differs from what the others say",
        "dtype": "a tensor's type is not a floating-point type of the operator",
        "dtype-mismatch": "the tensors have different floating-point types",
        "lengths-dtype": "sequence_lens is not int32",
        "lengths-range": "a length lies outside 0..seq (D13)",
        "no-outputs": "no output is requested",
        "output": "the operator has no such output, or it is requested twice",
        "constant": "a name among the constants is not one of the inputs",
    }
)
UNSUPPORTED = MappingProxyType(
    {
        "float64": "the reference computes float32 and float16 only (D30)",
        "bfloat16": "bfloat16 is not judged",
        "scratch-limit": "a direction's scratch would reach 2^30 floats (D36)",
    }
)
REASONS = MappingProxyType({**INVALID, **UNSUPPORTED})


class RefusedError(ValueError):
    """A case that is not run: ``reason`` is an id from REASONS, the message one sentence."""

    def __init__(self, reason: str, message: str) -> None:
        """Raises KeyError if ``reason`` is not in REASONS."""
        self.reason = reason
        self.kind = "invalid" if REASONS[reason] is INVALID.get(reason) else "unsupported"
        super().__init__(message)
