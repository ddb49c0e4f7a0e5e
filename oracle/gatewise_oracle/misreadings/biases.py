"""The halves of B and where they are added."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gatewise_corpus.case import Array
from gatewise_corpus.layer import Layer
from gatewise_oracle.misreadings import when
from gatewise_oracle.misreadings.changes import tensors
from gatewise_oracle.misreadings.resets import resets_after
from gatewise_oracle.readings import Reading

_ONE_SUM: Mapping[str, str] = {
    "RNN": "Wb and Rb are added to the same sum, so their places do not matter",
    "LSTM": "Wb and Rb are added to the same sum, so their places do not matter",
}


def _only(name: str) -> Reading:
    kept = {"Wb": "first", "Rb": "second"}[name]
    other = {"Wb": "Rb", "Rb": "Wb"}[name]
    return Reading(
        f"{other.lower()}-ignored",
        f"only the {kept} half of B is added",
        applies=when.has_bias,
        source="systems with one bias a gate, whose converter copies one half",
        layer=tensors(np.zeros_like, other),
    )


def _halves_swapped(layer: Layer) -> Layer:
    return replace(layer, Wb=layer.Rb, Rb=layer.Wb)


def _first_half_twice(layer: Layer) -> Layer:
    return replace(layer, Rb=layer.Wb)


def _by_gate(layer: Layer) -> Layer:
    """B read as [D, G, 2, H]."""
    if layer.Wb is None or layer.Rb is None:
        return layer
    buffer = np.stack([layer.Wb, layer.Rb], axis=1)
    dirs, _, gates, hidden = buffer.shape
    halves: Array = buffer.reshape(dirs, gates, 2, hidden)
    return replace(layer, Wb=halves[:, :, 0], Rb=halves[:, :, 1])


BIASES = (
    Reading(
        "bias-ignored",
        "B is not added",
        applies=when.has_bias,
        source="an optional input that a kernel never binds",
        layer=lambda layer: replace(layer, Wb=None, Rb=None),
    ),
    _only("Wb"),
    _only("Rb"),
    Reading(
        "first-bias-half-twice",
        "the first half of B stands in for the second as well",
        applies=when.has_bias,
        source="an offset of gates * hidden that was left out",
        layer=_first_half_twice,
    ),
    Reading(
        "bias-halves-by-gate",
        "B holds, gate by gate, the bias of W and that of R",
        applies=when.has_bias,
        source="[2, gates, hidden] taken for [gates, 2, hidden]",
        operators=("GRU", "LSTM"),
        layer=_by_gate,
    ),
    Reading(
        "bias-halves-swapped",
        "the first half of B belongs to R, the second to W",
        applies=lambda case, layer: when.has_bias(case, layer) and resets_after(case, layer),
        source="cuDNN and PyTorch keep both halves as separate tensors, which a converter may exchange",
        operators=("GRU",),
        equivalent=_ONE_SUM,
        layer=_halves_swapped,
    ),
)
"""Misreadings of B."""
