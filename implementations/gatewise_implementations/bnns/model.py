"""What the page says that gru computes, in float32, under a choice of readings.

Source: the page of BNNSGraph.Builder.Tensor.gru, Accelerate, macOS 26.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gatewise_corpus.case import Array
from gatewise_implementations.bnns.call import Call, Result

Reset = Literal["formula", "name"]
Biases = Literal["formula", "parameter"]
Reverse = Literal["time", "index", "processing"]


@dataclass(frozen=True)
class Readings:
    """How the page is read where it says two things (docs/bnns.md).

    Attributes:
        reset: where applyResetGateAfterMatMul is false, r multiplies the product of W_hn and h ("formula", as the
            formula has it) or h before the product ("name", as the parameter's name has it).
        biases: bias holds b_h and inputBias b_i, and both count ("formula", as the formulas have it); or bias holds
            their sum, and inputBias counts only where applyResetGateAfterMatMul is true ("parameter", as the
            descriptions of the parameters have it).
        reverse: output in the order of time and hiddenStates from the last computed step ("time") or from its last
            index ("index"), or both in the order of processing ("processing").
    """

    reset: Reset = "formula"
    biases: Biases = "formula"
    reverse: Reverse = "time"


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "linear": lambda x: x,
    "relu": lambda x: np.maximum(x, np.float32(0)),
    "sigmoid": lambda x: np.float32(1) / (np.float32(1) + np.exp(-x)),
    "tanh": np.tanh,
}


def gru(call: Call, readings: Readings) -> Result:
    """What ``call`` returns under ``readings``."""
    is_reverse = call.direction == "reverse"
    with np.errstate(over="ignore", invalid="ignore"):  # e^-x of a very negative x: the sigmoid is 0
        states = _states(call, readings)
    last = states[-1]
    if is_reverse and readings.reverse != "processing":
        states = states[::-1]
    if is_reverse and readings.reverse == "index":
        last = states[-1]
    return Result(states if call.output_sequence else last[np.newaxis], last)


def _states(call: Call, readings: Readings) -> Array:
    """The states h [L, N, Hout] in the order of processing."""
    A, RA = FUNCTIONS[call.activation], FUNCTIONS[call.recurrent_activation]
    W_ir, W_in, W_iz = np.split(call.input_hidden_weight, 3)
    W_hr, W_hn, W_hz = np.split(call.hidden_hidden_weight, 3)
    b_hr, b_hn, b_hz = np.split(call.bias, 3)
    b_ir, b_in, b_iz = np.split(_counted_input_bias(call, readings), 3)
    h = call.initial_hidden_states
    states = []
    for x in call.x[::-1] if call.direction == "reverse" else call.x:
        r = RA(x @ W_ir.T + b_ir + h @ W_hr.T + b_hr)
        z = RA(x @ W_iz.T + b_iz + h @ W_hz.T + b_hz)
        if call.apply_reset_gate_after_mat_mul:
            n = A(x @ W_in.T + b_in + (h @ W_hn.T + b_hn) * r)
        elif readings.reset == "formula":
            n = A(x @ W_in.T + b_in + h @ W_hn.T * r + b_hn)
        else:
            n = A(x @ W_in.T + b_in + (h * r) @ W_hn.T + b_hn)
        h = (1 - z) * n + z * h
        states.append(h)
    return np.stack(states)


def _counted_input_bias(call: Call, readings: Readings) -> Array:
    is_counted = call.apply_reset_gate_after_mat_mul or readings.biases == "formula"
    return call.input_bias if is_counted else np.zeros_like(call.input_bias)
