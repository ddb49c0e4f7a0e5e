"""input_forget of the LSTM."""

import numpy as np

from gatewise_corpus.case import Case
from gatewise_corpus.layer import Layer
from gatewise_oracle.ball import Ball, complement
from gatewise_oracle.lstm import LstmCell
from gatewise_oracle.misreadings import when
from gatewise_oracle.misreadings.changes import nan_where, with_attributes
from gatewise_oracle.readings import Reading

_LSTM = ("LSTM",)


def _is_coupled(case: Case, layer: Layer) -> bool:
    return when.runs(case, layer) and layer.attributes.input_forget


def _is_free(case: Case, layer: Layer) -> bool:
    return when.runs(case, layer) and not layer.attributes.input_forget


def _reads_poison(case: Case, layer: Layer) -> bool:
    f = layer.operator.gates.index("f")
    return _is_coupled(case, layer) and not bool(
        np.isfinite(layer.W[:, f]).all() and np.isfinite(layer.R[:, f]).all()
    )


class _InputFollowsForget(LstmCell):
    def coupled(self, i: Ball, f: Ball) -> tuple[Ball, Ball]:  # noqa: ARG002  # i is not used here
        return complement(f), f


class _StillReadsForget(LstmCell):
    def coupled(self, i: Ball, f: Ball) -> tuple[Ball, Ball]:
        return i, nan_where(np.isnan(f.center), complement(i))


COUPLING = (
    Reading(
        "input-forget-ignored",
        "input_forget = 1 is read as 0",
        applies=_is_coupled,
        source="OpenVINO 2026.4.1, tract 0.23 and onnx's ReferenceEvaluator drop the attribute",
        operators=_LSTM,
        layer=with_attributes(input_forget=False),
    ),
    Reading(
        "input-forget-always",
        "the gates are coupled although input_forget is 0",
        applies=_is_free,
        source="LSTM variants with coupled gates only, such as TensorFlow Lite's CIFG",
        operators=_LSTM,
        layer=with_attributes(input_forget=True),
    ),
    Reading(
        "input-follows-forget",
        "with input_forget = 1 the input gate is 1 - f",
        applies=_is_coupled,
        source="TensorFlow Lite's CIFG, and older kernels of other runtimes",
        operators=_LSTM,
        semantics={"cells": {"LSTM": _InputFollowsForget}},
    ),
    Reading(
        "coupled-forget-still-read",
        "with input_forget = 1 the forget gate is computed and multiplied by 0, so that a NaN in it leaks (D22)",
        applies=_reads_poison,
        source="a mask in place of a branch",
        operators=_LSTM,
        semantics={"cells": {"LSTM": _StillReadsForget}},
    ),
)
"""Misreadings of input_forget."""
