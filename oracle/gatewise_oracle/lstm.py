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
            i, f = self.coupled(gates[:, :, 0], gates[:, :, 2])
            o = gates[:, :, 1]
            cells = self._cells(f, term(i, candidate), c)
        else:
            cells = self._peephole_cells(sums, candidate, c)
            pre_o = self.with_peephole(sums[:, :, 1], 1, self.seen_by_output(c, cells))
            o = self._direction.gate(pre_o.rounded(self._tiny), 0)
        return product(o, self._direction.output(cells), self._tiny), cells

    def coupled(self, i: Ball, f: Ball) -> tuple[Ball, Ball]:
        """The gates i and f: with input_forget f is 1 - i, and what its own blocks gave is dropped (D22)."""
        return i, complement(i) if self._coupled else f

    def with_peephole(self, sums: Sum, block: int, cells: Ball) -> Sum:
        """The sums of a gate with the product of its peephole, block i, o or f of P, and the cell states."""
        return sums if self._peepholes is None else sums + term(self._peepholes[block], cells)

    def seen_by_output(self, c: Ball, cells: Ball) -> Ball:  # noqa: ARG002  # a misreading takes the previous one
        """The cell states that the output gate's peephole sees: the new ones, from ``c`` before the first step."""
        return cells

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
        pre_i, pre_f = self.with_peephole(sums[:, 0], 0, c), self.with_peephole(sums[:, 2], 2, c)
        both = self._direction.gate(stack([pre_i.rounded(self._tiny), pre_f.rounded(self._tiny)]), 0)
        return self.coupled(both[0], both[1])
