"""Fast mode: its functions stay within their stated errors, and it is another evaluation, not exact mode."""

from collections.abc import Callable

import numpy as np
import pytest

from gatewise_corpus.case import Array, Case
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.reference import ACTIVATION_ERRORS, make_adapter
from gatewise_implementations.reference_library import Plan, evaluate, kernel_paths, run

MakeCase = Callable[..., Case]

PATHS = [path.name for path in kernel_paths() if path.available]
SAMPLE = np.arange(0, 2**32, 4099, dtype=np.uint64).astype(np.uint32).view(np.float32)
"""One input in 4099; all of them are measured by ``make fast-errors``."""


def true_values(function: str, x: Array) -> Array:
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        return np.tanh(wide) if function == "tanh" else 1 / (1 + np.exp(-wide))


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", ["Sigmoid", "Tanh"])
def test_a_sample_of_all_inputs_is_within_the_stated_error(name: str, path: str) -> None:
    y = evaluate(name.lower(), SAMPLE, path, "fast")
    expected = true_values(name.lower(), SAMPLE)
    np.testing.assert_array_equal(np.isnan(y), np.isnan(SAMPLE))
    error = float(np.nanmax(np.abs(y - expected)) * 2**24)
    assert 0.6 < error <= ACTIVATION_ERRORS["fast"][name]
    assert float(np.nanmax(np.abs(y))) == 1


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", ["expm1", "softplus"])
def test_the_other_functions_are_those_of_exact_mode(name: str, path: str) -> None:
    np.testing.assert_array_equal(evaluate(name, SAMPLE, path, "fast"), evaluate(name, SAMPLE, path))


@pytest.mark.parametrize("path", PATHS)
def test_the_functions_at_their_ends(path: str) -> None:
    x = np.float32([0, -0.0, 200, -200, np.inf, -np.inf, 1e-40, -1e-40])
    tanh = evaluate("tanh", x, path, "fast")
    np.testing.assert_array_equal(tanh, np.float32([0, -0.0, 1, -1, 1, -1, 1e-40, -1e-40]))
    np.testing.assert_array_equal(np.signbit(tanh), np.signbit(x))
    sigmoid = evaluate("sigmoid", x, path, "fast")
    np.testing.assert_array_equal(sigmoid[[0, 1, 2, 4, 6, 7]], np.float32([0.5, 0.5, 1, 1, 0.5, 0.5]))
    assert (sigmoid[[3, 5]] < 2e-38).all()


@pytest.mark.parametrize("operator", ["RNN", "GRU", "LSTM"])
def test_it_is_another_evaluation_close_to_exact_mode(make_case: MakeCase, operator: str) -> None:
    case = make_case(operator, t=1, h=33)
    exact, fast = run(case), run(case, mode="fast")
    assert any((fast[name] != exact[name]).any() for name in exact)
    for name, array in exact.items():
        np.testing.assert_allclose(fast[name], array, atol=1e-5)


def test_the_adapter_runs_the_widest_path_or_the_one_that_is_named() -> None:
    adapter = make_adapter("mode=fast")
    assert [str(each) for each in adapter.configurations] == [f"{PATHS[-1]},threads=1", f"{PATHS[-1]},threads=3"]
    description = make_adapter("scalar,threads=2,mode=fast").describe()
    assert description.settings["mode"] == "fast"
    assert description.settings["configurations"] == "scalar,threads=2"
    assert description.activation_errors == ACTIVATION_ERRORS["fast"]


def test_the_adapter_computes_in_its_mode(make_case: MakeCase) -> None:
    case = make_case("LSTM", h=33)
    ran = make_adapter("mode=fast").run(case)
    np.testing.assert_array_equal(ran.outputs["Y"], run(case, mode="fast")["Y"])
    assert len(set(ran.digests.values())) == 1


def test_a_mode_that_does_not_exist_is_refused(make_case: MakeCase) -> None:
    with pytest.raises(RefusalError, match="mode 'quick' is not one of exact, fast") as refusal:
        Plan(make_case("RNN"), mode="quick")
    assert (refusal.value.kind, refusal.value.reason) == ("invalid", "mode")
