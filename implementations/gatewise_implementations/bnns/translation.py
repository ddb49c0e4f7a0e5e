"""ONNX GRU cases as calls of gru, and back."""

import numpy as np

from gatewise_corpus.activations import Activation
from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import Layer
from gatewise_implementations import translation
from gatewise_implementations.bnns import call as page
from gatewise_implementations.bnns.call import Call, Result
from gatewise_implementations.bnns.model import Readings
from gatewise_implementations.translation import expressible, in_gate_order

SYSTEM = "the documented BNNS gru"
GATES = ("r", "h", "z")
"""The order of the blocks r, n, z, by ONNX's names."""
FUNCTIONS: dict[str, page.Activation] = {"Relu": "relu", "Sigmoid": "sigmoid", "Tanh": "tanh", "Affine": "linear"}
"""BNNS' activations by ONNX's names; Affine with alpha 1 and beta 0."""
OPSET = 14
"""Of the cases that are made from calls."""


def _is_known(activation: Activation) -> bool:
    is_linear = (activation.alpha, activation.beta) == (1.0, 0.0)
    return activation.name in FUNCTIONS and (activation.name != "Affine" or is_linear)


def _lacks_function(layer: Layer) -> bool:
    return not all(_is_known(activation) for own in layer.activations for activation in own)


LIMITS: translation.Limits = {
    "RNN or LSTM": lambda layer: layer.operator.name != "GRU",
    "two directions": lambda layer: len(layer.directions) == 2,
    "clip": translation.clips,
    "lengths of rows": translation.is_ragged,
    "stated function for these activations and parameters": _lacks_function,
    "type but float32 in its model": lambda layer: layer.dtype != np.float32,
    "statement on sizes of 0": lambda layer: 0 in layer.X.shape,
}
FORMULA_LIMIT: translation.Limits = {
    "reset gate before the product, unless R of the candidate is diagonal": lambda layer: (
        translation.resets_before_product(layer) and not _is_diagonal(layer.R[0, 2])
    ),
}
"""What the formulas lack, by which the product of a diagonal matrix with r * h is r times the product with h."""


def _is_diagonal(matrix: Array) -> bool:
    return bool((matrix == np.diag(np.diag(matrix))).all())


def to_bnns(case: Case, readings: Readings) -> tuple[Call, Layer]:
    """The call that computes ``case`` if gru is as ``readings`` say, and the layer of the case.

    Raises:
        RefusalError: as unsupported, with the reason, if there is no such call.
    """
    layer = expressible(case, SYSTEM, {**LIMITS, **FORMULA_LIMIT} if readings.reset == "formula" else LIMITS)
    bias, input_bias = _to_biases(layer, readings)
    f, g = layer.activations[0]
    return Call(
        x=np.ascontiguousarray(layer.X),
        initial_hidden_states=np.ascontiguousarray(layer.initial_h[0]),
        input_hidden_weight=in_gate_order(layer.W, layer, GATES)[0],
        hidden_hidden_weight=in_gate_order(layer.R, layer, GATES)[0],
        bias=bias,
        input_bias=input_bias,
        direction="reverse" if layer.directions == ("reverse",) else "forward",
        activation=FUNCTIONS[g.name],
        recurrent_activation=FUNCTIONS[f.name],
        apply_reset_gate_after_mat_mul=layer.attributes.linear_before_reset,
        output_sequence=True,
    ), layer


def _to_biases(layer: Layer, readings: Readings) -> tuple[Array, Array]:
    """The parameters bias and inputBias.

    Where inputBias may not count, bias holds the sum and inputBias zeros: that is right even if it does count.
    """
    of_input, of_state = (in_gate_order(half, layer, GATES)[0] for half in translation.biases(layer))
    if layer.attributes.linear_before_reset or readings.biases == "formula":
        return of_state, of_input
    return of_input + of_state, np.zeros_like(of_input)


def to_outputs(result: Result, layer: Layer, readings: Readings) -> dict[str, Array]:
    """ONNX's outputs in layout 0 from what the call of ``to_bnns`` returned, Y [T, 1, N, H] and Y_h [1, N, H]."""
    Y, Y_h = result.output, result.hidden_states
    if layer.directions == ("reverse",):
        if readings.reverse == "processing":
            Y = Y[::-1]
        elif readings.reverse == "index":
            Y_h = Y[0]
    return {"Y": Y[:, np.newaxis], "Y_h": Y_h[np.newaxis]}


def from_bnns(call: Call, readings: Readings) -> Case:
    """The GRU that computes the states of ``call``; it requests Y where the call has outputSequence.

    Its Y stands in the order of time, and its Y_h is the last computed state, whatever ``readings.reverse`` says.
    """
    order = [GATES.index(gate) for gate in ("z", "r", "h")]
    bias, input_bias = _from_biases(call, readings)
    is_after = call.apply_reset_gate_after_mat_mul or readings.reset == "formula"
    names = {bnns: onnx for onnx, bnns in FUNCTIONS.items()}
    return Case(
        "GRU",
        OPSET,
        {
            "activations": (names[call.recurrent_activation], names[call.activation]),
            "direction": call.direction,
            "hidden_size": call.bias.size // 3,
            "linear_before_reset": int(is_after),
            **_parameters(call),
        },
        {
            "X": call.x,
            "W": _in_order(call.input_hidden_weight, order)[np.newaxis],
            "R": _in_order(call.hidden_hidden_weight, order)[np.newaxis],
            "B": np.concatenate((_in_order(input_bias, order), _in_order(bias, order)))[np.newaxis],
            "initial_h": call.initial_hidden_states[np.newaxis],
        },
        ("Y", "Y_h") if call.output_sequence else ("Y_h",),
    )


def _from_biases(call: Call, readings: Readings) -> tuple[Array, Array]:
    """What counts as b_h and as b_i; where the formula leaves b_hn outside of the product with r, it is b_in's."""
    bias, input_bias = call.bias.copy(), call.input_bias.copy()
    if not call.apply_reset_gate_after_mat_mul:
        if readings.biases == "parameter":
            input_bias[:] = 0
        if readings.reset == "formula":
            n = slice(bias.size // 3, 2 * bias.size // 3)
            input_bias[n] += bias[n]
            bias[n] = 0
    return bias, input_bias


def _parameters(call: Call) -> dict[str, tuple[float, ...]]:
    """Alpha 1 and beta 0 for each linear activation, which is ONNX's Affine."""
    count = (call.recurrent_activation, call.activation).count("linear")
    return {"activation_alpha": (1.0,) * count, "activation_beta": (0.0,) * count} if count else {}


def _in_order(array: Array, order: list[int]) -> Array:
    return np.concatenate([np.split(array, 3)[place] for place in order])
