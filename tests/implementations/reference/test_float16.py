"""float16: widened exactly, computed as float32, rounded once (D30)."""

from collections.abc import Callable

import numpy as np
import pytest

from gatewise_corpus.case import Array, Case
from gatewise_implementations.reference_library import run

MakeCase = Callable[..., Case]

EVERY = np.arange(2**16, dtype=np.uint16).view(np.float16)


def affine(X: Array, alpha: float, beta: float) -> Array:
    """alpha * X + beta for each X: an RNN of one step with W = 1, R = 0, rows along the batch."""
    X = X.reshape(1, -1, 1)
    one, zero = np.ones((1, 1, 1), X.dtype), np.zeros((1, 1, 1), X.dtype)
    attributes = {
        "activations": ("Affine",),
        "activation_alpha": (float(alpha),),
        "activation_beta": (float(beta),),
    }
    return run(Case("RNN", 14, attributes, {"X": X, "W": one, "R": zero}, ("Y_h",)))["Y_h"].ravel()


def test_every_number_widens_and_narrows_to_itself() -> None:
    result = affine(EVERY, 1, 0)
    numbers = ~np.isnan(EVERY)
    assert result.dtype == np.float16
    assert np.array_equal(result[numbers], EVERY[numbers])
    assert (result[~numbers].view(np.uint16) == 0x7E00).all()


@pytest.mark.parametrize("alpha", [0.75, 1.0009765625, 2.0**-12, 1.3 * 2.0**-20, 1.9990, -3.0, 2.0**-26])
@pytest.mark.parametrize("beta", [0.0, 2.0**-25, 65519.0, 5e-8])
def test_every_result_is_rounded_once_to_nearest_even(alpha: float, beta: float) -> None:
    with np.errstate(all="ignore"):
        wide = EVERY.astype(np.float32) * np.float32(alpha) + np.float32(beta)
        expected = wide.astype(np.float16)
    numbers = ~np.isnan(expected)
    result = affine(EVERY, alpha, beta)
    assert np.array_equal(result[numbers].view(np.uint16), expected[numbers].view(np.uint16))
    assert (result[~numbers].view(np.uint16) == 0x7E00).all()


@pytest.mark.parametrize("constants", [(), ("X", "W", "R", "B", "P", "initial_h", "initial_c")])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("operator", ["RNN", "GRU", "LSTM"])
def test_is_the_float32_result_rounded(
    make_case: MakeCase, operator: str, layout: int, threads: int, constants: tuple[str, ...]
) -> None:
    lengths = (6, 0, 3, 1, 5)
    case = make_case(operator, dtype=np.float16, h=9, layout=layout, lengths=lengths, direction="bidirectional")
    wide = {
        name: array.astype(np.float32) if array.dtype == np.float16 else array for name, array in case.inputs.items()
    }
    expected = run(case.with_inputs(**wide))
    actual = run(case.replace(constants=frozenset(constants) & case.inputs.keys()), threads=threads)
    for name, array in actual.items():
        assert array.dtype == np.float16
        assert np.array_equal(array, expected[name].astype(np.float16)), name


def test_the_state_inside_is_not_rounded(make_case: MakeCase) -> None:
    case = make_case("GRU", dtype=np.float16, t=20)
    stepped = case
    for t in range(20):
        step = stepped.with_inputs(X=case.inputs["X"][t : t + 1])
        stepped = stepped.with_inputs(initial_h=run(step)["Y_h"])
    assert not np.array_equal(stepped.inputs["initial_h"], run(case)["Y_h"])
