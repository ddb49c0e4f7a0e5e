"""A call of gru: the page's parameters, their names in Python's spelling.

L steps, N rows, Hin inputs, Hout hidden units. The blocks of weights and biases stand in the order r, n, z.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from gatewise_corpus.case import Array

Direction = Literal["forward", "reverse"]
Activation = Literal["linear", "relu", "sigmoid", "tanh"]
"""BNNSGraph.Builder has hardSigmoid and scaledTanh too, and no page states their parameters."""


@dataclass(frozen=True, eq=False)
class Call:
    """The tensor that gru is a method of, and its parameters; all tensors are float32.

    Attributes:
        x: [L, N, Hin].
        initial_hidden_states: [N, Hout].
        input_hidden_weight, hidden_hidden_weight: [3*Hout, Hin], [3*Hout, Hout].
        bias, input_bias: [3*Hout].
        direction: the order of the steps.
        activation: the function A of the new gate.
        recurrent_activation: the function RA of the reset and the update gate.
        apply_reset_gate_after_mat_mul: which of the two formulas of the new gate is meant.
        output_sequence: whether the output has all steps or one.
    """

    x: Array
    initial_hidden_states: Array
    input_hidden_weight: Array
    hidden_hidden_weight: Array
    bias: Array
    input_bias: Array
    direction: Direction = "forward"
    activation: Activation = "tanh"
    recurrent_activation: Activation = "sigmoid"
    apply_reset_gate_after_mat_mul: bool = True
    output_sequence: bool = True

    def __post_init__(self) -> None:
        """Checks types and shapes.

        Raises:
            ValueError: if a tensor has another type or shape than the page gives it.
        """
        steps, rows, inputs = self.x.shape
        hidden = self.initial_hidden_states.shape[-1]
        wanted = {
            "x": (steps, rows, inputs),
            "initial_hidden_states": (rows, hidden),
            "input_hidden_weight": (3 * hidden, inputs),
            "hidden_hidden_weight": (3 * hidden, hidden),
            "bias": (3 * hidden,),
            "input_bias": (3 * hidden,),
        }
        for name, shape in wanted.items():
            array: Array = getattr(self, name)
            if array.dtype != np.float32 or array.shape != shape:
                raise ValueError(f"{name} is {array.dtype} {list(array.shape)}, but must be float32 {list(shape)}")


@dataclass(frozen=True, eq=False)
class Result:
    """What gru returns: output [L, N, Hout], or [1, N, Hout] of one step, and hidden_states [N, Hout]."""

    output: Array
    hidden_states: Array
