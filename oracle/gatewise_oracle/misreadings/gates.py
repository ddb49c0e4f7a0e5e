"""Which block of W, R and B belongs to which gate, how a matrix lies in memory, and how a GRU updates its state."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gatewise_corpus.case import Array
from gatewise_corpus.layer import Layer
from gatewise_oracle.ball import Ball, complement
from gatewise_oracle.gru import GruCell
from gatewise_oracle.misreadings import when
from gatewise_oracle.misreadings.changes import WEIGHTS, LayerChange, changed, tensors
from gatewise_oracle.readings import Reading

GATED = ("GRU", "LSTM")
_ORDERS = {
    "GRU": {
        "rzh": "the order of cuDNN, PyTorch, MXNet and ncnn",
        "rhz": "the order in which Apple's BNNS lists its gates",
        "hzr": "a list reversed by a loop that counts down",
    },
    "LSTM": {
        "ifco": "the order of cuDNN, PyTorch, Keras and MXNet",
        "icfo": "the order of TensorFlow's BasicLSTMCell",
        "fico": "the order of OpenVINO's LSTMCell",
        "ifoc": "the order of Caffe2 and Core ML",
        "foic": "the gates i and f taken for each other",
    },
}


def in_order(order: str, *names: str) -> LayerChange:
    """The layer as one reads it who takes the blocks of the named tensors to stand in ``order``."""

    def change(layer: Layer) -> Layer:
        blocks = [order.index(gate) for gate in layer.operator.gates]
        return changed(layer, lambda tensor: tensor[:, blocks], *names)

    return change


def _orders() -> Iterator[Reading]:
    for operator, orders in _ORDERS.items():
        for order, source in orders.items():
            yield Reading(
                f"{operator.lower()}-gates-{order}",
                f"the blocks of W, R and B stand in the order {', '.join(order)}",
                applies=when.runs,
                source=source,
                operators=(operator,),
                layer=in_order(order, *WEIGHTS),
            )
        order = next(iter(orders))
        for name, sentence, names, applies in (
            ("recurrent", "the blocks of R, though not those of W and B, stand", ("R",), when.sees_state),
            ("bias", "the blocks of B, though not those of W and R, stand", ("Wb", "Rb"), when.has_bias),
        ):
            yield Reading(
                f"{operator.lower()}-{name}-gates-{order}",
                f"{sentence} in the order {', '.join(order)}",
                applies=applies,
                source="a converter that reorders one tensor and forgets another",
                operators=(operator,),
                layer=in_order(order, *names),
            )


def _interleaved(tensor: Array) -> Array:
    """Rows read as if the gates of one unit stood together: [D, G, H, ...] from [D, H, G, ...]."""
    dirs, gates, hidden = tensor.shape[:3]
    return tensor.reshape(dirs, hidden, gates, *tensor.shape[3:]).swapaxes(1, 2)


def _columns_first(tensor: Array) -> Array:
    """[D, G, H, K] read from the memory of [D, K, G * H]."""
    dirs, gates, hidden, columns = tensor.shape
    return np.moveaxis(tensor.reshape(dirs, columns, gates, hidden), 1, 3)


class _ComplementedUpdate(GruCell):
    def updated(self, z: Ball, h: Ball, candidate: Ball) -> Ball:
        return super().updated(complement(z), h, candidate)


def _with_forget_bias(layer: Layer) -> Layer:
    Wb = np.zeros(layer.W.shape[:3], layer.dtype) if layer.Wb is None else layer.Wb.copy()
    Wb[:, layer.operator.gates.index("f")] += 1
    return replace(layer, Wb=Wb, Rb=np.zeros_like(Wb) if layer.Rb is None else layer.Rb)


GATES = (
    *_orders(),
    Reading(
        "gates-interleaved",
        "in W, R and B the rows of one unit's gates stand together",
        applies=lambda case, layer: layer.hidden > 1 and when.runs(case, layer),
        source="kernels that keep the gates of a unit side by side for vector loads",
        operators=GATED,
        layer=tensors(_interleaved, *WEIGHTS),
    ),
    Reading(
        "input-weights-transposed",
        "W is read as [input, gates * hidden]",
        applies=lambda case, layer: layer.input > 1 and when.runs(case, layer),
        source="frameworks that keep kernels as [input, units], as Keras does",
        layer=tensors(_columns_first, "W"),
    ),
    Reading(
        "recurrent-weights-transposed",
        "each block of R is multiplied without being transposed",
        applies=lambda case, layer: layer.hidden > 1 and when.runs(case, layer),
        source="H·R written for H·R^T; square blocks hide it from every check of shapes",
        layer=tensors(lambda R: R.swapaxes(2, 3), "R"),
    ),
    Reading(
        "recurrent-buffer-transposed",
        "R as a whole is read as [hidden, gates * hidden]",
        applies=lambda case, layer: layer.hidden > 1 and when.runs(case, layer),
        source="frameworks that keep recurrent kernels as [units, gates * units], as Keras does",
        operators=GATED,
        layer=tensors(_columns_first, "R"),
    ),
    Reading(
        "recurrence-ignored",
        "R is not applied at all",
        applies=when.runs,
        source="a layer replaced by a plain projection of each step",
        layer=tensors(np.zeros_like, "R"),
    ),
    Reading(
        "gru-update-complemented",
        "the new state is z * candidate + (1 - z) * previous state",
        applies=when.runs,
        source="the formula of Chung et al. (2014); Cho et al. (2014) have that of ONNX",
        operators=("GRU",),
        semantics={"cells": {"GRU": _ComplementedUpdate}},
    ),
    Reading(
        "lstm-forget-bias-one",
        "1 is added to the bias of the forget gate",
        applies=lambda case, layer: when.runs(case, layer) and not layer.attributes.input_forget,
        source="the default forget_bias of TensorFlow's BasicLSTMCell",
        operators=("LSTM",),
        layer=_with_forget_bias,
    ),
)
"""Misreadings of gates."""
