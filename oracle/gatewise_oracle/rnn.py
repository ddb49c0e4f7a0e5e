"""The cell of RNN: H = f(pre). Source: the note, section "Computation"."""

from gatewise_oracle.ball import Ball, Floats
from gatewise_oracle.direction import Direction


class RnnCell:
    """One direction of an RNN."""

    def __init__(self, direction: Direction) -> None:
        self._direction = direction
        self._pre = direction.projection(["i"])

    def steps(self, x: Floats, h: Ball, c: Ball, *, stateless: bool) -> tuple[Ball, Ball]:  # noqa: ARG002  # no cell
        """The new states; see ``gatewise_oracle.direction.Cell``."""
        seq, batch, hidden = h.center.shape
        sums = self._pre(x.reshape(seq * batch, x.shape[2]), h.reshape(seq * batch, hidden), fresh=batch * stateless)
        states = self._direction.gate(sums.rounded(self._direction.semantics.tiny), 0).reshape(seq, batch, hidden)
        return states, states
