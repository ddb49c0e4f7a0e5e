"""Small changes that several misreadings make: to the tensors of a layer, to outputs, to the previous states."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gatewise_corpus.case import Array
from gatewise_corpus.layer import Layer
from gatewise_oracle.ball import Ball
from gatewise_oracle.readings import Balls

LayerChange = Callable[[Layer], Layer]
OutputChange = Callable[[Layer, Balls], Balls]
WEIGHTS = ("W", "R", "Wb", "Rb")


def changed(layer: Layer, change: Callable[[Array], Array], *names: str) -> Layer:
    """The layer with the named tensors, as far as it has them, changed."""
    given = {name: getattr(layer, name) for name in names}
    new: dict[str, Any] = {name: change(tensor) for name, tensor in given.items() if tensor is not None}
    return replace(layer, **new)


def tensors(change: Callable[[Array], Array], *names: str) -> LayerChange:
    """``changed`` as a change of a layer yet to come."""
    return lambda layer: changed(layer, change, *names)


def with_attributes(**values: Any) -> LayerChange:
    """The layer with other values of its attributes."""
    return lambda layer: replace(layer, attributes=replace(layer.attributes, **values))


def mapped(ball: Ball, change: Callable[[Array], Array]) -> Ball:
    """The balls moved about, and nothing else, by ``change``."""
    return Ball(change(ball.center), change(ball.radius), ball.finite)


def moved(**changes: Callable[[Array], Array]) -> OutputChange:
    """Outputs of these names moved about; the others stay."""

    def change(_: Layer, balls: Balls) -> Balls:
        return {name: mapped(ball, changes[name]) if name in changes else ball for name, ball in balls.items()}

    return change


def zeros_where(mask: Array, ball: Ball) -> Ball:
    """The balls, exactly 0 where ``mask``, which broadcasts, holds."""
    return Ball(np.where(mask, 0.0, ball.center), np.where(mask, 0.0, ball.radius), ball.finite)


def nan_where(mask: Array, ball: Ball) -> Ball:
    """The balls, NaN where ``mask``, which broadcasts, holds."""
    finite = ball.finite and not mask.any()
    return Ball(np.where(mask, np.nan, ball.center), np.where(mask, 0.0, ball.radius), finite)


def past_length(layer: Layer) -> Array:
    """[T, 1, N, 1]: where Y lies past the length of its row."""
    past: Array = (np.arange(layer.seq)[:, np.newaxis] >= layer.lengths)[:, np.newaxis, :, np.newaxis]
    return past


def with_zero_padding(layer: Layer, balls: Balls) -> Balls:
    """The outputs with Y zero past the lengths of the rows."""
    return {**balls, "Y": zeros_where(past_length(layer), balls["Y"])}
