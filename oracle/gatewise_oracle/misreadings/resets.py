"""linear_before_reset of the GRU: where r is applied and which bias stands inside."""

from dataclasses import replace

import numpy as np

from gatewise_corpus.case import Case
from gatewise_corpus.layer import Layer
from gatewise_oracle.ball import Ball, Floats, Sum, exact, product, term
from gatewise_oracle.direction import Direction
from gatewise_oracle.gru import GruCell
from gatewise_oracle.misreadings import when
from gatewise_oracle.misreadings.changes import with_attributes
from gatewise_oracle.readings import Reading


def resets_after(_: Case, layer: Layer) -> bool:
    """linear_before_reset is 1, and some step runs."""
    return layer.attributes.linear_before_reset and bool(layer.lengths.any())


def _resets_before(case: Case, layer: Layer) -> bool:
    return when.runs(case, layer) and not layer.attributes.linear_before_reset


class _Parts(GruCell):
    """A GRU that keeps the candidate's three parts apart: of the input, of the state, and the two biases."""

    def __init__(self, direction: Direction) -> None:
        super().__init__(direction)
        layer, index = direction.layer, direction.index
        bare = Direction(_without_bias(layer), index, direction.tolerance, direction.semantics)
        self.tiny = direction.semantics.tiny
        self.of_input = bare.projection(["h"], state=False)
        self.of_state = bare.projection(["h"], inputs=False)
        none = np.zeros(layer.hidden)
        self.Wb = none if layer.Wb is None else layer.Wb[index, 2].astype(np.float64)
        self.Rb = none if layer.Rb is None else layer.Rb[index, 2].astype(np.float64)

    def sum(self, x: Floats, inner: Ball, bias: Floats) -> Ball:
        """The candidate's sum of x, of what the state gives, and of a bias."""
        return (self.of_input(x, None) + _one_term(inner) + _one_term(exact(bias))).rounded(self.tiny)

    def shifted(self, h: Ball, bias: Floats, fresh: int) -> Ball:
        """The recurrent product and a bias."""
        return (self.of_state(None, h, fresh=fresh) + _one_term(exact(bias))).rounded(self.tiny)


def _one_term(ball: Ball) -> Sum:
    return term(ball, exact(np.ones(1)))


def _without_bias(layer: Layer) -> Layer:
    return replace(layer, Wb=None, Rb=None)


class _BothBiasesOutside(_Parts):
    def pre_candidate(self, x: Floats, h: Ball, r: Ball, fresh: int) -> Ball:
        none = np.zeros_like(self.Rb)
        return self.sum(x, product(r, self.shifted(h, none, fresh), self.tiny), self.Wb + self.Rb)


class _BothBiasesInside(_Parts):
    def pre_candidate(self, x: Floats, h: Ball, r: Ball, fresh: int) -> Ball:
        none = np.zeros_like(self.Rb)
        return self.sum(x, product(r, self.shifted(h, self.Wb + self.Rb, fresh), self.tiny), none)


class _ResetOfInputToo(_Parts):
    def pre_candidate(self, x: Floats, h: Ball, r: Ball, fresh: int) -> Ball:
        everything = self.sum(x, self.shifted(h, self.Rb, fresh), self.Wb)
        return product(r, everything, self.tiny)


class _NoReset(GruCell):
    def pre_candidate(self, x: Floats, h: Ball, r: Ball, fresh: int) -> Ball:
        return super().pre_candidate(x, h, exact(np.ones_like(r.center)), fresh)


RESETS = (
    Reading(
        "linear-before-reset-ignored",
        "linear_before_reset = 1 is read as 0",
        applies=resets_after,
        source="tract and others that know one form only (tract 0.23)",
        operators=("GRU",),
        layer=with_attributes(linear_before_reset=False),
    ),
    Reading(
        "linear-before-reset-always",
        "linear_before_reset = 0 is read as 1",
        applies=_resets_before,
        source="cuDNN and PyTorch, which know this form only",
        operators=("GRU",),
        layer=with_attributes(linear_before_reset=True),
    ),
    Reading(
        "reset-leaves-out-rb",
        "with linear_before_reset = 1 the bias of R stands outside the product with r",
        applies=lambda case, layer: resets_after(case, layer) and layer.Rb is not None,
        source="both halves of B summed beforehand, as coremltools#1124 tells",
        operators=("GRU",),
        semantics={"cells": {"GRU": _BothBiasesOutside}},
    ),
    Reading(
        "reset-takes-in-wb",
        "with linear_before_reset = 1 the bias of W stands inside the product with r as well",
        applies=lambda case, layer: resets_after(case, layer) and layer.Wb is not None,
        source="both halves of B summed beforehand, on the other side",
        operators=("GRU",),
        semantics={"cells": {"GRU": _BothBiasesInside}},
    ),
    Reading(
        "reset-after-with-bias-outside",
        "with linear_before_reset = 0, r multiplies the recurrent product, and both biases stand outside",
        applies=_resets_before,
        source="the formula that Apple's BNNS states for applyResetGateAfterMatMul = false",
        operators=("GRU",),
        semantics={"cells": {"GRU": _BothBiasesOutside}},
    ),
    Reading(
        "reset-of-input-too",
        "r multiplies the whole sum of the candidate, the projected input included",
        applies=when.runs,
        source="a bracket that closes too late",
        operators=("GRU",),
        semantics={"cells": {"GRU": _ResetOfInputToo}},
    ),
    Reading(
        "reset-ignored",
        "r is computed but not applied",
        applies=when.runs,
        source="simplified gated units, which have no reset gate",
        operators=("GRU",),
        semantics={"cells": {"GRU": _NoReset}},
    ),
)
"""Misreadings of the reset gate."""
