"""The cell of GRU. Source: the note, section "Computation"."""

import numpy as np

from gatewise_oracle.ball import LARGEST, Ball, Floats, Sum, complement, product, term, where
from gatewise_oracle.direction import Direction


class GruCell:
    """One direction of a GRU."""

    def __init__(self, direction: Direction) -> None:
        self._direction = direction
        self._tiny = direction.semantics.tiny
        self._linear_before_reset = direction.layer.attributes.linear_before_reset
        self._gates = direction.projection(["z", "r"])
        if self._linear_before_reset:
            self._candidate_input = direction.projection(["h"], state=False)
            self._candidate_state = direction.projection(["h"], inputs=False)
        else:
            self._candidate = direction.projection(["h"])

    def steps(self, x: Floats, h: Ball, c: Ball, *, stateless: bool) -> tuple[Ball, Ball]:  # noqa: ARG002  # no cell
        """The new states; see ``gatewise_oracle.direction.Cell``."""
        seq, batch, hidden = h.center.shape
        x, h = x.reshape(seq * batch, x.shape[2]), h.reshape(seq * batch, hidden)
        fresh = batch * stateless
        gates = self._direction.gate(self._gates(x, h, fresh=fresh).rounded(self._tiny), 0)
        z, r = gates[:, :hidden], gates[:, hidden:]
        candidate = self._direction.gate(self.pre_candidate(x, h, r, fresh), 1)
        states = self.updated(z, h, candidate).reshape(seq, batch, hidden)
        return states, states

    def updated(self, z: Ball, h: Ball, candidate: Ball) -> Ball:
        """The new states (1 - z) * candidate + z * h."""
        return updated(z, h, candidate, self._tiny)

    def pre_candidate(self, x: Floats, h: Ball, r: Ball, fresh: int) -> Ball:
        """The candidate's sums [M, H] from x [M, I], h and r [M, H]; the first ``fresh`` rows have no state."""
        if not self._linear_before_reset:
            return self._candidate(x, product(r, h, self._tiny), fresh=fresh).rounded(self._tiny)
        recurrent = self._candidate_state(None, h, fresh=fresh).rounded(self._tiny)
        return (self._candidate_input(x, None) + term(r, recurrent)).rounded(self._tiny)


def updated(z: Ball, h: Ball, candidate: Ball, tiny: float) -> Ball:
    """(1 - z) * candidate + z * h, or candidate + z * (h - candidate): both forms are in use.

    Three roundings at most fall on a term of either form, and the magnitude of the second covers the first.
    """
    Z, H, C = (np.abs(ball.center) + ball.radius for ball in (z, h, candidate))
    center = (1 - z.center) * candidate.center + z.center * h.center
    # The derivatives of candidate + z * (h - candidate), and its mixed term.
    radius = np.abs(1 - z.center) * candidate.radius + np.abs(z.center) * h.radius
    radius += z.radius * (np.abs(h.center - candidate.center) + h.radius + candidate.radius)
    sums = Sum(center, radius, C + Z * (H + C), 3, finite=True)
    if z.finite and h.finite and candidate.finite:
        ball = sums.rounded(tiny)
    else:
        first_form = term(complement(z), candidate) + term(z, h)
        first_form = Sum(first_form.center, first_form.radius, first_form.magnitude, 3, finite=False)
        operands_finite = np.isfinite(Z) & np.isfinite(H) & np.isfinite(C)
        # With an infinite candidate or z, one form gives an infinity where the other subtracts two.
        infinite = np.isinf(candidate.center) | np.isinf(z.center)
        nan = np.isnan(z.center) | np.isnan(h.center) | np.isnan(candidate.center)
        special = first_form.rounded(tiny).freed(infinite & ~nan)
        parts = [np.where(operands_finite, part, 0) for part in (center, radius, sums.magnitude)]
        finite = Sum(parts[0], parts[1], parts[2], 3, finite=True)
        ball = where(operands_finite, finite.rounded(tiny), special)
    difference = H + C
    if difference.max(initial=0.0) <= LARGEST:
        return ball
    return ball.freed(np.isfinite(difference) & (difference > LARGEST) & ~np.isnan(ball.center))
