"""activations: which of the named functions stands where."""

from collections.abc import Callable
from dataclasses import replace

from gatewise_corpus.activations import ACTIVATIONS, Activation
from gatewise_corpus.case import Case
from gatewise_corpus.layer import Layer
from gatewise_oracle.misreadings import when
from gatewise_oracle.misreadings.directions import defaults
from gatewise_oracle.readings import Reading

Set = tuple[Activation, ...]
_GATED = ("GRU", "LSTM")
_LSTM = ("LSTM",)


def _each(change: Callable[[Layer, Set], Set]) -> Callable[[Layer], Layer]:
    """The layer with each direction's activations changed."""
    return lambda layer: replace(layer, activations=tuple(change(layer, own) for own in layer.activations))


def _differs(change: Callable[[Layer, Set], Set]) -> when.Applies:
    """The change is one."""

    def applies(case: Case, layer: Layer) -> bool:
        return when.runs(case, layer) and _each(change)(layer).activations != layer.activations

    return applies


def _all_relu(_: Layer, own: Set) -> Set:
    standard = ("Sigmoid", "Tanh", "Relu")
    return tuple(activation if activation.name in standard else Activation(ACTIVATIONS["Relu"]) for activation in own)


def _reading(name: str, sentence: str, source: str, change: Callable[[Layer, Set], Set], *operators: str) -> Reading:
    return Reading(
        name,
        sentence,
        applies=_differs(change),
        source=source,
        operators=operators or ("RNN", "GRU", "LSTM"),
        layer=_each(change),
    )


NAMES = (
    _reading(
        "activations-ignored",
        "the default activations are used whatever is named",
        "onnx's ReferenceEvaluator for GRU and LSTM; tract 0.23; onnxruntime#4034 tells of another",
        lambda layer, _: defaults(layer),
    ),
    _reading(
        "unknown-activations-are-relu",
        "any activation but Sigmoid, Tanh and Relu is computed as Relu",
        "IREE 3.13: the last branch of a chain of comparisons",
        _all_relu,
    ),
    _reading(
        "activations-reversed",
        "the names of one direction stand in the opposite order",
        "arguments (activation, recurrent_activation) as Keras has them",
        lambda _, own: own[::-1],
        *_GATED,
    ),
    _reading(
        "gates-are-always-sigmoid",
        "f is Sigmoid whatever is named",
        "cells whose gates are built in",
        lambda layer, own: (defaults(layer)[0], *own[1:]),
        *_GATED,
    ),
    _reading(
        "candidate-is-always-tanh",
        "g is Tanh whatever is named",
        "cells whose candidate is built in",
        lambda layer, own: (own[0], defaults(layer)[1], *own[2:]),
        *_GATED,
    ),
    _reading(
        "output-is-always-tanh",
        "h is Tanh whatever is named",
        "cells with two activations only: the third has no place",
        lambda layer, own: (*own[:2], defaults(layer)[2]),
        *_LSTM,
    ),
    _reading(
        "candidate-activation-twice",
        "g stands in for h as well",
        "Keras has one activation for the candidate and the output",
        lambda _, own: (*own[:2], own[1]),
        *_LSTM,
    ),
    _reading(
        "output-without-activation",
        "h is not applied: the state is o times the cell",
        "the first papers on the LSTM have variants with a linear output",
        lambda _, own: (*own[:2], Activation(ACTIVATIONS["Affine"], 1.0, 0.0)),
        *_LSTM,
    ),
)
"""Misreadings of activations."""
