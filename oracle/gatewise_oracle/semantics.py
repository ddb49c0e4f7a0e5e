"""What the model can be told to do otherwise: the options that a reading changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from gatewise_oracle.activations import FUNCTIONS, Function
from gatewise_oracle.ball import TINY, Floats

Clamp = Callable[[Floats, float | None], Floats]


def clamp(x: Floats, clip: float | None) -> Floats:
    """Values clamped to [-clip, clip]; NaN passes (D03), and no clip leaves all as it is (D02)."""
    return x if clip is None else np.clip(x, -clip, clip)


@dataclass(frozen=True)
class Semantics:
    """The semantics of the model; the defaults are the decisions of this project.

    Attributes:
        functions: the activation functions by name (D05, D06, D35).
        clamp: what clip does to the input of an activation (D02, D03).
        clips_cell: whether clip clamps the LSTM's new cell state (D04).
        clips_input_of_h: whether clip clamps the input of the LSTM's h (D04).
        multiplies_omitted_state: whether an omitted initial_h is multiplied like zeros (D23).
        empty_row: the final state of a row of length 0 (D14).
        no_steps: the final state where seq is 0 and sequence_lens is omitted (D15).
        padding: Y past the length of a row: zeros, or the row's last state (D18).
        reverse_order: the order of Y in the reverse direction: of input time, or of processing (D19).
        tiny: what one operation can lose by underflow (D26).
    """

    functions: Mapping[str, Function] = field(default_factory=lambda: FUNCTIONS)
    clamp: Clamp = clamp
    clips_cell: bool = False
    clips_input_of_h: bool = False
    multiplies_omitted_state: bool = True
    empty_row: Literal["zero", "initial"] = "zero"
    no_steps: Literal["zero", "initial"] = "initial"
    padding: Literal["zero", "last"] = "zero"
    reverse_order: Literal["time", "processing"] = "time"
    tiny: float = TINY


BASE = Semantics()
