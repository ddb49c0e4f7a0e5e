"""The activation functions on the device: errors over a dense sample, and the values that are no ordinary numbers."""

from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("wgpu", reason="wgpu is not installed")

from gatewise_corpus.activations import ACTIVATIONS, Activation
from gatewise_corpus.case import Array
from gatewise_implementations.webgpu.adapter import ACTIVATION_ERRORS
from gatewise_implementations.webgpu.contract import run_rnn
from gatewise_oracle.activations import FUNCTIONS
from gatewise_oracle.tolerance import DEFAULT_ERRORS

pytestmark = pytest.mark.webgpu

SAMPLES = 2**19
ARITHMETIC = {"Softsign": 2}
"""What the bound allows beside the declared error: the roundings of a sum and a division."""


def values(name: str, x: Array, alpha: float | None = None, beta: float | None = None) -> Array:
    """f(x), as the one unit of an RNN whose weight is 1 computes it."""
    one, zero = np.ones((1, 1, 1), np.float32), np.zeros((1, 1, 1), np.float32)
    y, _ = run_rnn(
        x=x.astype(np.float32).reshape(1, -1, 1),
        w=one,
        r=zero,
        b=np.zeros((1, 2), np.float32),
        activations=(name,),
        activation_alpha=() if alpha is None else (alpha,),
        activation_beta=() if beta is None else (beta,),
    )
    return y.ravel()


def test_every_function_whose_error_is_judged_has_one_declared() -> None:
    assert ACTIVATION_ERRORS.keys() == DEFAULT_ERRORS.keys()


@pytest.mark.parametrize("name", ACTIVATION_ERRORS)
def test_errors_are_at_most_those_declared(
    name: str, record_testsuite_property: Callable[[str, object], None]
) -> None:
    """Over inputs from 2^-30 to 128 and their negatives, evenly spread over the bits of float32."""
    least, most = (int(np.float32(end).view(np.uint32)) for end in (2**-30, 128))
    magnitudes = np.linspace(least, most, SAMPLES // 2).astype(np.uint32).view(np.float32)
    x = np.concatenate((magnitudes, -magnitudes))
    kind = ACTIVATIONS[name]
    exact, _ = FUNCTIONS[name](x.astype(np.float64)[np.newaxis], Activation(kind, kind.alpha or 0.0), 0.0)
    errors = np.abs(values(name, x) - exact[0]) * 2.0**24 / np.maximum(1, np.abs(exact[0]))
    largest = errors.max()
    record_testsuite_property(name, f"{largest:.2f} at {x[errors.argmax()]}")
    assert 0.5 <= largest <= ACTIVATION_ERRORS[name] + ARITHMETIC.get(name, 0)


@pytest.mark.parametrize(
    ("name", "parameters", "expected"),
    [
        ("Relu", (), [np.nan, np.inf, 0, 0]),
        ("Tanh", (), [np.nan, 1, -1, -1]),
        ("Sigmoid", (), [np.nan, 1, 0, 0]),
        ("Affine", (2.0, 1.0), [np.nan, np.inf, -np.inf, -1999]),
        ("LeakyRelu", (0.5,), [np.nan, np.inf, -np.inf, -500]),
        ("ThresholdedRelu", (1.0,), [0, np.inf, 0, 0]),
        ("ScaledTanh", (2.0, 1.0), [np.nan, 2, -2, -2]),
        ("HardSigmoid", (0.5, 0.5), [np.nan, 1, 0, 0]),
        ("Elu", (2.0,), [np.nan, np.inf, -2, -2]),
        ("Softsign", (), [np.nan, np.nan, np.nan, -1000 / 1001]),
        ("Softplus", (), [np.nan, np.inf, 0, 0]),
    ],
)
def test_nan_passes_and_infinities_saturate(name: str, parameters: tuple[float, ...], expected: list[float]) -> None:
    """ThresholdedRelu alone drops NaN (D05); Inf / (1 + Inf) of Softsign is NaN as written."""
    x = np.array([np.nan, np.inf, -np.inf, -1000], np.float32)
    np.testing.assert_array_equal(values(name, x, *parameters), np.float32(expected))


def test_clip_bounds_infinities_and_lets_nan_pass() -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0.25], np.float32).reshape(1, 4, 1)
    one, zero = np.ones((1, 1, 1), np.float32), np.zeros((1, 1, 1), np.float32)
    y, _ = run_rnn(x=x, w=one, r=zero, b=np.zeros((1, 2), np.float32), activations=("Affine",), clip=0.5)
    np.testing.assert_array_equal(y.ravel(), np.float32([np.nan, 0.5, -0.5, 0.25]))


def test_thresholded_relu_drops_its_threshold() -> None:
    x = np.array([1, np.nextafter(np.float32(1), np.float32(2))], np.float32)
    np.testing.assert_array_equal(values("ThresholdedRelu", x, 1.0), np.float32([0, x[1]]))
