"""P of the LSTM: order, time, absence."""

from dataclasses import replace

from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import Layer
from gatewise_oracle.ball import Ball, Floats, Sum, concatenate
from gatewise_oracle.lstm import LstmCell
from gatewise_oracle.misreadings import when
from gatewise_oracle.misreadings.changes import tensors
from gatewise_oracle.readings import Reading

_LSTM = ("LSTM",)


def _order(order: str, source: str) -> Reading:
    blocks = [order.index(gate) for gate in "iof"]
    return Reading(
        f"peepholes-{order}",
        f"the blocks of P stand in the order {', '.join(order)}",
        applies=when.has_peepholes,
        source=source,
        operators=_LSTM,
        layer=tensors(lambda P: P[:, blocks], "P"),
    )


def _without(gate: int, P: Array) -> Array:
    copy = P.copy()
    copy[:, gate] = 0
    return copy


def _uncoupled(case: Case, layer: Layer) -> bool:
    return when.has_peepholes(case, layer) and not layer.attributes.input_forget


class _OutputSeesPreviousCell(LstmCell):
    def seen_by_output(self, c: Ball, cells: Ball) -> Ball:
        return concatenate([c.reshape(1, *c.center.shape), cells[:-1]])


class _PeepholesSeeState(LstmCell):
    """The peepholes multiply the previous state h rather than the cell."""

    def steps(self, x: Floats, h: Ball, c: Ball, *, stateless: bool) -> tuple[Ball, Ball]:
        self._h, self._step = h, 0
        return super().steps(x, h, c, stateless=stateless)

    def with_peephole(self, sums: Sum, block: int, cells: Ball) -> Sum:  # noqa: ARG002  # it sees h
        if block == 1:
            return super().with_peephole(sums, block, self._h)
        seen = self._h[self._step]
        self._step += block == 2  # i and f of one step are asked for in this order
        return super().with_peephole(sums, block, seen)


PEEPHOLES = (
    Reading(
        "peepholes-ignored",
        "P is not applied",
        applies=when.has_peepholes,
        source="OpenVINO 2026.4.1, PyTorch and all who build on an LSTM without peepholes",
        operators=_LSTM,
        layer=lambda layer: replace(layer, P=None),
    ),
    _order("ifo", "OpenCV 5, whose LSTM passes ONNX's own peephole test with it (opencv#29931)"),
    _order("fio", "the order of the gates in OpenVINO's LSTM, f, i, c, o, without the candidate"),
    _order("oif", "blocks rotated by one, as where the first is taken for the last"),
    Reading(
        "output-peephole-sees-previous-cell",
        "the output gate's peephole multiplies the previous cell state",
        applies=when.has_peepholes,
        source="all three peepholes added before the cell is computed, in one expression",
        operators=_LSTM,
        semantics={"cells": {"LSTM": _OutputSeesPreviousCell}},
    ),
    Reading(
        "peepholes-see-state",
        "the peepholes multiply the previous state h",
        applies=when.has_peepholes,
        source="state and cell taken for each other in an argument list",
        operators=_LSTM,
        semantics={"cells": {"LSTM": _PeepholesSeeState}},
    ),
    Reading(
        "output-peephole-ignored",
        "the output gate has no peephole",
        applies=when.has_peepholes,
        source="the third addition forgotten, because it stands after the cell's update",
        operators=_LSTM,
        layer=tensors(lambda P: _without(1, P), "P"),
    ),
    Reading(
        "only-output-peephole",
        "only the output gate has a peephole",
        applies=when.has_peepholes,
        source="the step's first phase shared with an LSTM without peepholes",
        operators=_LSTM,
        layer=tensors(lambda P: _without(0, _without(2, P)), "P"),
    ),
    Reading(
        "forget-peephole-ignored",
        "the forget gate has no peephole",
        applies=_uncoupled,
        source="a kernel written for coupled gates, where f needs none",
        operators=_LSTM,
        layer=tensors(lambda P: _without(2, P), "P"),
    ),
)
"""Misreadings of P."""
