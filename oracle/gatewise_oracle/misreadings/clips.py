"""clip: whether, on which side, at which gates, at what moment."""

from dataclasses import replace

import numpy as np

from gatewise_corpus.case import Case
from gatewise_corpus.layer import Layer
from gatewise_oracle.activations import hull, points
from gatewise_oracle.ball import Ball, Floats, Sum
from gatewise_oracle.direction import Direction
from gatewise_oracle.lstm import LstmCell
from gatewise_oracle.misreadings import when
from gatewise_oracle.misreadings.changes import with_attributes
from gatewise_oracle.readings import Balls, Reading
from gatewise_oracle.semantics import Steps, clamp

_GATED = ("GRU", "LSTM")


def _upper(x: Floats, clip: float | None) -> Floats:
    return x if clip is None else np.minimum(x, clip)


def _lower(x: Floats, clip: float | None) -> Floats:
    return x if clip is None else np.maximum(x, -clip)


def _clamped(ball: Ball, clip: float | None) -> Ball:
    return ball if clip is None else hull(clamp(points(ball), clip), 0.0, ball)


class _ClipsResults(Direction):
    """Clamps what an activation gives."""

    def gate(self, ball: Ball, activation: int) -> Ball:
        return _clamped(self.activated(ball, points(ball), activation), self.layer.attributes.clip)


class _LeavesCandidate(Direction):
    def gate(self, ball: Ball, activation: int) -> Ball:
        return super().gate(ball, 0) if activation == 0 else self.activated(ball, points(ball), activation)


class _LeavesGates(Direction):
    def gate(self, ball: Ball, activation: int) -> Ball:
        return self.activated(ball, points(ball), 0) if activation == 0 else super().gate(ball, activation)


def _clamped_sum(sums: Sum, clip: float | None) -> Sum:
    """A clamped sum as a sum of one term, so that another can be added."""
    ball = _clamped(sums.rounded(), clip)
    magnitude = np.abs(ball.center) + ball.radius
    return Sum(ball.center, ball.radius, magnitude, 1, ball.finite)


class _ClipsBeforePeepholes(LstmCell):
    """Clamps the sums before the peepholes are added and not after."""

    def __init__(self, direction: Direction) -> None:
        super().__init__(_LeavesGates(direction.layer, direction.index, direction.tolerance, direction.semantics))
        self._clip = direction.layer.attributes.clip

    def with_peephole(self, sums: Sum, block: int, cells: Ball) -> Sum:
        return super().with_peephole(_clamped_sum(sums, self._clip), block, cells)


class _ClipsOutputGateTwice(LstmCell):
    """Clamps the output gate's sum before its peephole is added, and again after."""

    def __init__(self, direction: Direction) -> None:
        super().__init__(direction)
        self._clip = direction.layer.attributes.clip

    def with_peephole(self, sums: Sum, block: int, cells: Ball) -> Sum:
        return super().with_peephole(_clamped_sum(sums, self._clip) if block == 1 else sums, block, cells)


def _clamped_state(layer: Layer, states: Ball, _: Steps) -> Ball:
    return _clamped(states, layer.attributes.clip)


def _clamped_outputs(layer: Layer, balls: Balls) -> Balls:
    clip = layer.attributes.clip
    return {name: ball if name == "Y_c" else _clamped(ball, clip) for name, ball in balls.items()}


def _clamped_input(layer: Layer) -> Layer:
    clip = layer.attributes.clip
    return layer if clip is None else replace(layer, X=np.clip(layer.X, -clip, clip))


def _whole_clip(case: Case) -> Case:
    clip = case.attributes.get("clip", 0.0)
    is_finite = isinstance(clip, float) and bool(np.isfinite(clip))
    return case.with_attributes(clip=float(int(clip))) if is_finite else case  # type: ignore[arg-type] # a float


def _is_fractional(case: Case, layer: Layer) -> bool:
    clip = layer.attributes.clip
    return clip is not None and clip < 2**24 and clip % 1 != 0 and when.runs(case, layer)


def _clips_with_peepholes(case: Case, layer: Layer) -> bool:
    return when.clamps(case, layer) and layer.P is not None


CLIPS = (
    Reading(
        "clip-ignored",
        "clip does not clamp",
        applies=when.clamps,
        source="tract, onnx's ReferenceEvaluator and PyTorch have no clip",
        layer=with_attributes(clip=None),
    ),
    Reading(
        "clip-upper-only",
        "clip bounds from above only",
        applies=when.clamps,
        source="min(x, clip), as for Relu6",
        semantics={"clamp": _upper},
    ),
    Reading(
        "clip-lower-only",
        "clip bounds from below only",
        applies=when.clamps,
        source="one of the two comparisons lost in vectorization",
        semantics={"clamp": _lower},
    ),
    Reading(
        "clip-on-results",
        "clip clamps what the activations give rather than their inputs",
        applies=when.clamps,
        source="the attribute's name without its text",
        semantics={"directions": _ClipsResults},
    ),
    Reading(
        "clip-not-on-candidate",
        "clip clamps the gates but not the candidate",
        applies=when.clamps,
        source="the gates are computed in one call and the candidate in another",
        operators=_GATED,
        semantics={"directions": _LeavesCandidate},
    ),
    Reading(
        "clip-only-on-candidate",
        "clip clamps the candidate but not the gates",
        applies=when.clamps,
        source="sigmoids saturate by themselves, so a clamp seems needless there",
        operators=_GATED,
        semantics={"directions": _LeavesGates},
    ),
    Reading(
        "clip-before-peepholes",
        "clip clamps before the peepholes are added, and not after",
        applies=_clips_with_peepholes,
        source="the clamp stands at the end of the matrix product",
        operators=("LSTM",),
        semantics={"cells": {"LSTM": _ClipsBeforePeepholes}},
    ),
    Reading(
        "clip-of-output-gate-twice",
        "the output gate is clamped before its peephole is added, and again after",
        applies=_clips_with_peepholes,
        source="ONNX Runtime's WebGPU provider (onnxruntime-node 1.30)",
        operators=("LSTM",),
        semantics={"cells": {"LSTM": _ClipsOutputGateTwice}},
    ),
    Reading(
        "clip-on-state",
        "clip clamps the new state as well",
        applies=when.clamps,
        source="other libraries clip the state or its projection (cuDNN, TensorFlow's cell_clip)",
        semantics={"previous": _clamped_state},
        outputs=_clamped_outputs,
    ),
    Reading(
        "clip-on-x",
        "clip clamps X rather than the inputs of the activations",
        applies=when.clamps,
        source="'input' in the attribute's text taken for the operator's input",
        layer=lambda layer: with_attributes(clip=None)(_clamped_input(layer)),
    ),
    Reading(
        "clip-truncated",
        "clip is cut to a whole number",
        applies=_is_fractional,
        source="an attribute read as an integer",
        case=_whole_clip,
    ),
)
"""Misreadings of clip."""
