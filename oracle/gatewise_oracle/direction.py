"""One direction of a layer, as the cells use it: its weights side by side, its activations, its clip."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gatewise_corpus.case import Array
from gatewise_corpus.layer import Layer
from gatewise_oracle.activations import hull, points
from gatewise_oracle.ball import TINY, UNIT, Ball, Floats, Matrix, Sum, linear, matrix
from gatewise_oracle.semantics import Semantics
from gatewise_oracle.tolerance import Tolerance


class Cell(Protocol):
    """The formulas of one operator, for any number of steps whose previous states are known."""

    def steps(self, x: Floats, h: Ball, c: Ball, *, stateless: bool) -> tuple[Ball, Ball]:
        """The new states of steps in processing order.

        Args:
            x: inputs [T, N, I].
            h: the previous state of each step [T, N, H].
            c: the cell state before the first step [N, H]; only the LSTM reads it.
            stateless: whether the first step has no recurrent product at all (D23).

        Returns:
            The states after each step, and an LSTM's cell states (else the states again): [T, N, H].
        """


@dataclass(frozen=True, eq=False)
class Projection:
    """The sums of inputs, previous state and biases that stand before an activation.

    One dot product holds all the terms, [x, h, 1, 1] with [W, R, Wb, Rb], because their order is open.
    """

    weights: Matrix
    without_state: Matrix | None
    biases: int

    def __call__(self, x: Floats | None, h: Ball | None, *, fresh: int = 0) -> Sum:
        """The sums [M, J] of x [M, I] and h [M, H]; the first ``fresh`` rows take no recurrent product."""
        parts = [] if x is None else [x]
        parts += [] if h is None else [h.center]
        rows = parts[0].shape[0]
        center = np.concatenate([*parts, np.ones((rows, self.biases))], axis=1)
        radius = np.zeros(center.shape)
        finite = bool(np.isfinite(center).all())
        if h is not None and h.radius.any():
            start = 0 if x is None else x.shape[1]
            radius[:, start : start + h.radius.shape[1]] = h.radius
            finite = finite and h.finite
        operands = Ball(center, radius, finite)
        sums = linear(operands, self.weights)
        if fresh and self.without_state is not None:
            sums = _joined(linear(operands[:fresh], self.without_state), sums[fresh:])
        return sums


def _joined(first: Sum, rest: Sum) -> Sum:
    center, radius, magnitude = (
        np.concatenate(pair)
        for pair in (
            (first.center, rest.center),
            (first.radius, rest.radius),
            (first.magnitude, rest.magnitude),
        )
    )
    return Sum(center, radius, magnitude, rest.roundings, first.finite and rest.finite)


@dataclass(frozen=True, eq=False)
class Direction:
    """Direction number ``index`` of a layer, with the tolerance and the semantics in force."""

    layer: Layer
    index: int
    tolerance: Tolerance
    semantics: Semantics

    def projection(self, gates: Sequence[str], *, inputs: bool = True, state: bool = True) -> Projection:
        """The projection onto the named gates, from X with Wb (``inputs``) and from the state with Rb (``state``)."""
        layer = self.layer
        which = [layer.operator.gates.index(gate) for gate in gates]
        rows = len(gates) * layer.hidden

        def block(tensor: Array) -> Array:
            chosen: Array = tensor[self.index][which]
            return chosen.reshape(rows, chosen.shape[2] if chosen.ndim == 3 else 1)

        weights = [block(layer.W)] if inputs else []
        recurrent = [block(layer.R)] if state else []
        biases = [layer.Wb] * inputs + [layer.Rb] * state
        columns = [block(bias) for bias in biases if bias is not None]
        without = None
        if state and not self.semantics.multiplies_omitted_state:
            without = matrix(*weights, np.zeros_like(recurrent[0]), *columns)
        return Projection(matrix(*weights, *recurrent, *columns), without, len(columns))

    def gate(self, ball: Ball, activation: int) -> Ball:
        """A gate or candidate: activation number ``activation`` (0 is f) of the clamped ``ball``."""
        return self.activated(ball, self.semantics.clamp(points(ball), self.layer.attributes.clip), activation)

    def output(self, ball: Ball) -> Ball:
        """The LSTM's h of a cell state, which clip leaves alone (D04)."""
        clip = self.layer.attributes.clip if self.semantics.clips_input_of_h else None
        return self.activated(ball, self.semantics.clamp(points(ball), clip) if clip else points(ball), 2)

    def cell(self, ball: Ball) -> Ball:
        """A new cell state as it is kept: unchanged (D04)."""
        clip = self.layer.attributes.clip
        if not self.semantics.clips_cell or clip is None:
            return ball
        return hull(self.semantics.clamp(points(ball), clip), 0.0, ball)

    def activated(self, ball: Ball, x: Floats, number: int) -> Ball:
        """Activation ``number`` (f, g, h) of the points ``x`` of ``ball``."""
        activation = self.layer.activations[self.index][number]
        error = self.tolerance.error(activation.name) * UNIT
        values, bound = self.semantics.functions[activation.name](x, activation, error)
        if self.semantics.tiny > TINY:
            bound = bound + self.semantics.tiny
        return hull(values, bound, ball)
