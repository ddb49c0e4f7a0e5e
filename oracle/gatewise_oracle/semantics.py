"""What the model can be told to do otherwise: the options that a reading changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gatewise_corpus.layer import Layer
from gatewise_oracle.activations import FUNCTIONS, Function
from gatewise_oracle.ball import TINY, Ball, Floats

Clamp = Callable[[Floats, float | None], Floats]
Steps = NDArray[np.int64]


def clamp(x: Floats, clip: float | None) -> Floats:
    """Values clamped to [-clip, clip]; NaN passes (D03), and no clip leaves all as it is (D02)."""
    return x if clip is None else np.clip(x, -clip, clip)


def in_time(layer: Layer) -> Steps:
    """[T, N]: the steps of every row in the order of input time."""
    return np.broadcast_to(np.arange(layer.seq)[:, np.newaxis], (layer.seq, layer.batch))


def processing_order(layer: Layer, index: int) -> Steps:
    """[T, N]: the time of each row's s-th step in direction ``index``: the valid steps reversed, or as they are."""
    forward = in_time(layer)
    if layer.directions[index] == "forward":
        return forward
    return np.where(forward < layer.lengths, layer.lengths - 1 - forward, forward)


def row_lengths(layer: Layer, index: int) -> Steps:  # noqa: ARG001  # the same in both directions
    """[N]: the steps that direction ``index`` runs in each row."""
    return layer.lengths


def as_it_is(layer: Layer, states: Ball, steps: Steps) -> Ball:  # noqa: ARG001  # as ``Semantics.previous``
    """The previous states as they were computed."""
    return states


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
        padding: Y past the length of a row: zeros, the row's last state (D18), or whatever a further step computes.
        reverse_order: the order of Y in the reverse direction: of input time, or of processing (D19).
        tiny: what one operation can lose by underflow (D26).
        order: the time of each row's s-th step in a direction, [T, N]; its own inverse along T.
        lengths: how many steps a direction runs in each row, [N].
        previous: what steps see of their previous states [S, N, H], given the numbers of the steps [S].
        directions: a class to use instead of ``gatewise_oracle.direction.Direction``.
        cells: by operator, a class to use instead of the cell of ``gatewise_oracle.rnn``, ``gru`` or ``lstm``.
    """

    functions: Mapping[str, Function] = field(default_factory=lambda: FUNCTIONS)
    clamp: Clamp = clamp
    clips_cell: bool = False
    clips_input_of_h: bool = False
    multiplies_omitted_state: bool = True
    empty_row: Literal["zero", "initial"] = "zero"
    no_steps: Literal["zero", "initial"] = "initial"
    padding: Literal["zero", "last", "computed"] = "zero"
    reverse_order: Literal["time", "processing"] = "time"
    tiny: float = TINY
    order: Callable[[Layer, int], Steps] = processing_order
    lengths: Callable[[Layer, int], Steps] = row_lengths
    previous: Callable[[Layer, Ball, Steps], Ball] = as_it_is
    directions: Any = None
    cells: Mapping[str, Any] = field(default_factory=dict)


BASE = Semantics()
