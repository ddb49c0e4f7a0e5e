"""The cell of LSTM. Source: the note, section "Computation"; D22."""

from gatewise_oracle.ball import Ball, Floats, Sum, complement, exact, product, stack, term
from gatewise_oracle.direction import Direction


class LstmCell:
    """One direction of an LSTM. Of its gates i, o, f and c, the first three are computed with f."""

    def __init__(self, direction: Direction) -> None:
        self._direction = direction
        self._tiny = direction.semantics.tiny
        layer = direction.layer
        self._coupled = layer.attributes.input_forget
        self._pre = direction.projection(layer.operator.gates)
        self._peepholes = None if layer.P is None else [exact(row) for row in layer.P[direction.index]]

    def steps(self, x: Floats, h: Ball, c: Ball, *, stateless: bool) -> tuple[Ball, Ball]:
        """The new states and cell states; see ``gatewise_oracle.direction.Cell``."""
        seq, batch, hidden = h.center.shape
        flat = self._pre(x.reshape(seq * batch, x.shape[2]), h.reshape(seq * batch, hidden), fresh=batch * stateless)
        sums = flat.reshape(seq, batch, 4, hidden)
        candidate = self._direction.gate(sums[:, :, 3].rounded(self._tiny), 1)
        if self._peepholes is None:
            gates = self._direction.gate(sums[:, :, :3].rounded(self._tiny), 0)
            i, o = gates[:, :, 0], gates[:, :, 1]
            # The gate f, computed from blocks that input_forget does not read, is dropped (D22).
            f = complement(i) if self._coupled else gates[:, :, 2]
            cells = self._cells(f, term(i, candidate), c)
        else:
            cells = self._peephole_cells(sums, candidate, c)
            pre_o = sums[:, :, 1] + term(self._peepholes[1], cells)
            o = self._direction.gate(pre_o.rounded(self._tiny), 0)
        return product(o, self._direction.output(cells), self._tiny), cells

    def _cells(self, f: Ball, gain: Sum, c: Ball) -> Ball:
        """The cell states from forget gates and i * candidate, all [T, N, H], starting from c [N, H]."""
        cells = []
        for step in range(f.center.shape[0]):
            c = self._direction.cell((term(f[step], c) + gain[step]).rounded(self._tiny))
            cells.append(c)
        return stack(cells)

    def _peephole_cells(self, sums: Sum, candidate: Ball, c: Ball) -> Ball:
        """The same where i and f depend on the previous cell state."""
        cells = []
        for step in range(candidate.center.shape[0]):
            i, f = self._gates_of_cell(sums[step], c)
            c = self._direction.cell((term(f, c) + term(i, candidate[step])).rounded(self._tiny))
            cells.append(c)
        return stack(cells)

    def _gates_of_cell(self, sums: Sum, c: Ball) -> tuple[Ball, Ball]:
        """The gates i and f of one step, from its sums [N, G, H] and the previous cell state."""
        assert self._peepholes is not None  # noqa: S101  # only called with peepholes
        pre_i = sums[:, 0] + term(self._peepholes[0], c)
        if self._coupled:
            i = self._direction.gate(pre_i.rounded(self._tiny), 0)
            return i, complement(i)
        pre_f = sums[:, 2] + term(self._peepholes[2], c)
        both = self._direction.gate(stack([pre_i.rounded(self._tiny), pre_f.rounded(self._tiny)]), 0)
        return both[0], both[1]
