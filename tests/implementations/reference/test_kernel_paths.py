"""Every kernel path gives the bits of the scalar one, at the edges of its tiles and for every activation."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from gatewise_corpus.case import Array, Case
from gatewise_implementations import reference
from gatewise_implementations.adapter import SetupError
from gatewise_implementations.reference import make_adapter
from gatewise_implementations.reference_library import KernelPath, evaluate, kernel_paths, run

MakeCase = Callable[..., Case]
SameBits = Callable[[Mapping[str, Array], Mapping[str, Array]], None]

VECTOR_PATHS = [path.name for path in kernel_paths()[1:] if path.available]
VARIANTS = (("RNN", {}), ("GRU", {}), ("GRU", {"linear_before_reset": 1}), ("LSTM", {}))
# Panels are 2, 8, 16 or 32 units wide, tiles 4, 6 or 12 rows high; one less, equal, one more, and more than twice as
# many. A tile of at most a fourth, a third or half of its height takes several strips at a time.
UNITS = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65)
ROWS = (1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 25)


@pytest.mark.parametrize("path", VECTOR_PATHS)
@pytest.mark.parametrize(("operator", "attributes"), VARIANTS)
def test_units_at_the_edges_of_panels(
    make_case: MakeCase, same_bits: SameBits, operator: str, attributes: dict[str, Any], path: str
) -> None:
    for hidden in UNITS:
        case = make_case(operator, t=2, h=hidden, clip=3.0, direction="bidirectional", **attributes)
        same_bits(run(case, path), run(case, "scalar"))


@pytest.mark.parametrize("path", VECTOR_PATHS)
@pytest.mark.parametrize(("operator", "attributes"), VARIANTS)
def test_rows_at_the_edges_of_tiles(
    make_case: MakeCase, same_bits: SameBits, operator: str, attributes: dict[str, Any], path: str
) -> None:
    for batch in ROWS:
        case = make_case(operator, t=2, n=batch, i=9, h=10, **attributes)
        same_bits(run(case, path, 3), run(case, "scalar"))


@pytest.mark.parametrize("path", VECTOR_PATHS)
@pytest.mark.parametrize("batch", [1, 3, 4, 6])
@pytest.mark.parametrize("hidden", [65, 127, 129])
@pytest.mark.parametrize(("operator", "attributes"), VARIANTS)
def test_low_tiles_of_several_panels(
    *,
    make_case: MakeCase,
    same_bits: SameBits,
    operator: str,
    attributes: dict[str, Any],
    hidden: int,
    batch: int,
    path: str,
) -> None:
    case = make_case(operator, t=3, n=batch, i=5, h=hidden, **attributes)
    for threads in (1, 2, 3):
        same_bits(run(case, path, threads), run(case, "scalar"))


ONE = np.ones(1, np.float32)


def formulas(a: Array, b: Array) -> dict[str, Callable[[Array], Array]]:
    """Each activation with alpha = a and beta = b."""
    return {
        "Sigmoid": lambda x: evaluate("sigmoid", x, "scalar"),
        "Tanh": lambda x: evaluate("tanh", x, "scalar"),
        "Relu": lambda x: np.where(np.isnan(x) | (x > 0), x, np.float32(0)),
        "Affine": lambda x: a * x + b,
        "LeakyRelu": lambda x: np.where(x < 0, a * x, x),
        "ThresholdedRelu": lambda x: np.where(x > a, x, np.float32(0)),
        "ScaledTanh": lambda x: a * evaluate("tanh", b * x, "scalar"),
        "HardSigmoid": lambda x: np.minimum(np.float32(1), np.maximum(np.float32(0), a * x + b)),
        "Elu": lambda x: np.where(x >= 0, x, a * evaluate("expm1", x, "scalar")),
        "Softsign": lambda x: x / (1 + np.abs(x)),
        "Softplus": lambda x: np.where(x > 20, x, evaluate("softplus", x, "scalar")),
    }


@pytest.mark.parametrize("path", [path.name for path in kernel_paths() if path.available])
@pytest.mark.parametrize("name", formulas(ONE, ONE))
def test_each_activation_of_a_row(name: str, path: str) -> None:
    spread = np.linspace(-25, 25, 501, dtype=np.float32)
    x = np.concatenate([spread, np.float32([1e-30, -1e-30, 1e30, -1e30, 1e-40, -1e-40, np.inf, -np.inf, np.nan])])
    # One unit for each x: h = f(w) where X is 1 and there is no state.
    W, R = x.reshape(1, -1, 1), np.zeros((1, x.size, x.size), np.float32)
    attributes = {"activations": (name,), "activation_alpha": (1.25,), "activation_beta": (-0.75,)}
    case = Case("RNN", 14, attributes, {"X": np.ones((1, 1, 1), np.float32), "W": W, "R": R}, ("Y_h",))
    with np.errstate(all="ignore"):
        expected = formulas(np.float32([1.25]), np.float32([-0.75]))[name](x)
    actual = run(case, path)["Y_h"].ravel()
    assert expected.dtype == np.float32
    np.testing.assert_array_equal(actual, expected)
    assert set(actual[np.isnan(actual)].view(np.uint32).tolist()) <= {0x7FC00000}


def test_a_path_of_another_processor_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = (KernelPath("scalar", "nothing", available=True), KernelPath("wide", "wide vectors", available=False))
    monkeypatch.setattr(reference, "kernel_paths", lambda: paths)
    with pytest.raises(SetupError, match="kernel path wide needs wide vectors, which this processor does not have"):
        make_adapter("wide,threads=1")
    assert str(make_adapter("").configurations[-1]) == "scalar,threads=3"
