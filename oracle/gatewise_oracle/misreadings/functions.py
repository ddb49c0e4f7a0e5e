"""The formulas of the eleven activation functions."""

from collections.abc import Callable

import numpy as np

from gatewise_corpus.activations import Activation
from gatewise_corpus.case import Case
from gatewise_corpus.layer import Layer
from gatewise_oracle.activations import FUNCTIONS, Function, Values
from gatewise_oracle.ball import Floats
from gatewise_oracle.misreadings import when
from gatewise_oracle.readings import Reading

Formula = Callable[[Floats, Activation], Floats]
_LARGEST_EXPONENT = 88.72
"""e^x overflows float32 above it."""


def _formula(formula: Formula) -> Function:
    """A formula with the error that is allowed for the function, 2^-22 of the result beside it."""

    def function(x: Floats, activation: Activation, error: float) -> Values:
        with np.errstate(all="ignore"):
            values = formula(x, activation)
        return values, error + 2.0**-22 * np.abs(np.where(np.isfinite(values), values, 0))

    return function


def _reading(
    activation: str, name: str, sentence: str, source: str, formula: Formula, *, where: when.Applies | None = None
) -> Reading:
    used = when.uses(activation)
    return Reading(
        name,
        sentence,
        applies=when.both(used, where) if where else used,
        source=source,
        functions={activation: _formula(formula)},
    )


def _sigmoid(x: Floats) -> Floats:
    return 1 / (1 + np.exp(-x))


def _overflowing_tanh(x: Floats, _: Activation) -> Floats:
    return np.where(2 * x > _LARGEST_EXPONENT, np.nan, np.tanh(x))


def _overflowing_sigmoid(x: Floats, _: Activation) -> Floats:
    return np.where(x > _LARGEST_EXPONENT, np.nan, _sigmoid(x))


def _rational_tanh(x: Floats, _: Activation) -> Floats:
    """The continued fraction of tanh cut after two terms, x (27 + x^2) / (27 + 9 x^2), within [-3, 3]."""
    x = np.clip(x, -3, 3)
    return x * (27 + x * x) / (27 + 9 * x * x)


def _takes(parameter: str, activation: str) -> when.Applies:
    """Some use of the activation has a parameter other than the one that changes nothing, 1."""

    def applies(_: Case, layer: Layer) -> bool:
        used = [own for direction in layer.activations for own in direction if own.name == activation]
        return any(getattr(own, parameter) != 1 for own in used)

    return applies


def _as(name: str) -> Formula:
    return lambda x, activation: FUNCTIONS[name](x, activation, 0.0)[0]


FORMULAS = (
    _reading(
        "Tanh",
        "tanh-overflows",
        "Tanh is NaN above 44.4",
        "(e^2x - 1) / (e^2x + 1) as float32 operations: Inf / Inf (pytorch#172406)",
        _overflowing_tanh,
    ),
    _reading(
        "Tanh",
        "tanh-rational",
        "Tanh is a short rational function",
        "x (27 + x^2) / (27 + 9 x^2), common in audio and embedded code",
        _rational_tanh,
    ),
    _reading(
        "Tanh",
        "tanh-is-hard",
        "Tanh is the identity, clamped to [-1, 1]",
        "quantized and embedded kernels",
        lambda x, _: np.clip(x, -1, 1),
    ),
    _reading(
        "Tanh",
        "tanh-is-softsign",
        "Tanh is x / (1 + |x|)",
        "a cheap stand-in of the same shape",
        lambda x, _: np.where(np.isinf(x), np.sign(x), x / (1 + np.abs(x))),
    ),
    _reading(
        "Sigmoid",
        "sigmoid-overflows",
        "Sigmoid is NaN above 88.7",
        "e^x / (1 + e^x) as float32 operations: Inf / Inf",
        _overflowing_sigmoid,
    ),
    _reading(
        "Sigmoid",
        "sigmoid-is-hard",
        "Sigmoid is 0.2 x + 0.5, clamped to [0, 1]",
        "the recurrent activation of Keras before version 2.3",
        lambda x, _: np.clip(0.2 * x + 0.5, 0, 1),
    ),
    _reading(
        "Sigmoid",
        "sigmoid-from-table",
        "Sigmoid is exactly 0 or 1 beyond 8 in magnitude",
        "tables and fixed-point kernels that end there",
        lambda x, _: np.where(np.abs(x) > 8, (x > 0) * 1.0, _sigmoid(x)),
    ),
    _reading(
        "Relu",
        "relu-is-relu6",
        "Relu is bounded by 1",
        "a bounded Relu of the same family",
        lambda x, _: np.clip(x, 0, 1),
    ),
    _reading(
        "Relu",
        "relu-keeps-negatives",
        "Relu passes negative values",
        "an activation that the kernel does not know and so leaves out",
        lambda x, _: x,
    ),
    _reading(
        "Affine",
        "affine-without-beta",
        "Affine is alpha * x",
        "a scale where a line is meant",
        lambda x, own: own.alpha * x,
        where=lambda _, layer: any(own.name == "Affine" and own.beta for each in layer.activations for own in each),
    ),
    _reading(
        "Affine",
        "affine-of-sum",
        "Affine is alpha * (x + beta)",
        "a bracket in the wrong place",
        lambda x, own: own.alpha * (x + own.beta),
        where=lambda _, layer: any(
            own.name == "Affine" and own.beta and own.alpha != 1 for each in layer.activations for own in each
        ),
    ),
    _reading(
        "LeakyRelu",
        "leaky-relu-is-relu",
        "LeakyRelu is 0 below 0",
        "alpha dropped",
        _as("Relu"),
    ),
    _reading(
        "LeakyRelu",
        "leaky-relu-scales-both-sides",
        "LeakyRelu is alpha * x on both sides of 0",
        "the comparison dropped",
        lambda x, own: own.alpha * x,
        where=_takes("alpha", "LeakyRelu"),
    ),
    _reading(
        "LeakyRelu",
        "leaky-relu-as-elu",
        "LeakyRelu is computed as Elu",
        "both take alpha and stand side by side in a table",
        _as("Elu"),
    ),
    _reading(
        "ThresholdedRelu",
        "thresholded-relu-shifted",
        "ThresholdedRelu is x - alpha above alpha",
        "soft thresholding, or Relu of the difference",
        lambda x, own: np.where(x > own.alpha, x - own.alpha, 0),
        where=lambda _, layer: any(
            own.name == "ThresholdedRelu" and own.alpha for each in layer.activations for own in each
        ),
    ),
    _reading(
        "ThresholdedRelu",
        "thresholded-relu-is-relu",
        "ThresholdedRelu is Relu",
        "alpha dropped",
        _as("Relu"),
        where=lambda _, layer: any(
            own.name == "ThresholdedRelu" and own.alpha for each in layer.activations for own in each
        ),
    ),
    _reading(
        "ThresholdedRelu",
        "thresholded-relu-keeps-threshold",
        "ThresholdedRelu is alpha where x does not exceed it",
        "max(x, alpha)",
        lambda x, own: np.maximum(x, own.alpha),
        where=lambda _, layer: any(
            own.name == "ThresholdedRelu" and own.alpha for each in layer.activations for own in each
        ),
    ),
    _reading(
        "ScaledTanh",
        "scaled-tanh-parameters-swapped",
        "ScaledTanh is beta * tanh(alpha * x)",
        "the parameters in the other order",
        lambda x, own: own.beta * np.tanh(own.alpha * x),
        where=lambda _, layer: any(
            own.name == "ScaledTanh" and own.alpha != own.beta for each in layer.activations for own in each
        ),
    ),
    _reading(
        "ScaledTanh",
        "scaled-tanh-scales-input-only",
        "ScaledTanh is tanh(beta * x)",
        "alpha dropped",
        lambda x, own: np.tanh(own.beta * x),
        where=_takes("alpha", "ScaledTanh"),
    ),
    _reading(
        "ScaledTanh",
        "scaled-tanh-scales-output-only",
        "ScaledTanh is alpha * tanh(x)",
        "beta dropped",
        lambda x, own: own.alpha * np.tanh(x),
        where=_takes("beta", "ScaledTanh"),
    ),
    _reading(
        "HardSigmoid",
        "hard-sigmoid-parameters-swapped",
        "HardSigmoid is beta * x + alpha, clamped to [0, 1]",
        "the parameters in the other order",
        lambda x, own: np.clip(own.beta * x + own.alpha, 0, 1),
        where=lambda _, layer: any(
            own.name == "HardSigmoid" and own.alpha != own.beta for each in layer.activations for own in each
        ),
    ),
    _reading(
        "HardSigmoid",
        "hard-sigmoid-unbounded",
        "HardSigmoid is not clamped",
        "Affine, of which it is made",
        lambda x, own: own.alpha * x + own.beta,
    ),
    _reading(
        "HardSigmoid",
        "hard-sigmoid-unbounded-above",
        "HardSigmoid is clamped at 0 only",
        "one of the two comparisons lost",
        lambda x, own: np.maximum(own.alpha * x + own.beta, 0),
    ),
    _reading(
        "HardSigmoid",
        "hard-sigmoid-is-sigmoid",
        "HardSigmoid is computed as Sigmoid",
        "'hard' taken for an optimization of the same function",
        lambda x, _: _sigmoid(x),
    ),
    _reading(
        "Elu",
        "elu-without-alpha",
        "Elu is e^x - 1 below 0",
        "alpha dropped",
        lambda x, _: np.where(x >= 0, x, np.expm1(np.minimum(x, 0))),
        where=_takes("alpha", "Elu"),
    ),
    _reading(
        "Elu",
        "elu-scales-exponent",
        "Elu is e^(alpha x) - 1 below 0",
        "alpha inside the exponential",
        lambda x, own: np.where(x >= 0, x, np.expm1(own.alpha * np.minimum(x, 0))),
        where=_takes("alpha", "Elu"),
    ),
    _reading(
        "Elu",
        "elu-without-minus-one",
        "Elu is alpha * e^x below 0",
        "the formula of its derivative",
        lambda x, own: np.where(x >= 0, x, own.alpha * np.exp(np.minimum(x, 0))),
    ),
    _reading(
        "Softsign",
        "softsign-without-magnitude",
        "Softsign is x / (1 + x)",
        "the magnitude dropped",
        lambda x, _: x / (1 + x),
    ),
    _reading(
        "Softsign",
        "softsign-of-square",
        "Softsign is x / sqrt(1 + x^2)",
        "another function of the same shape",
        lambda x, _: x / np.sqrt(1 + x * x),
    ),
    _reading(
        "Softplus",
        "softplus-is-relu",
        "Softplus is Relu",
        "its limit for large magnitudes",
        _as("Relu"),
    ),
    _reading(
        "Softplus",
        "softplus-of-base-two",
        "Softplus is log2(1 + 2^x)",
        "exp2 and log2 without their factors",
        lambda x, _: np.logaddexp2(0, x),
    ),
)
"""Misreadings of activation functions."""
