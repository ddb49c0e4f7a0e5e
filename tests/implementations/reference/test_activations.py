"""The eleven activation functions: values, not-a-number, ends, parameters and their cursors."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from gatewise_corpus.case import Array, Case
from gatewise_implementations.reference_library import run

MakeCase = Callable[..., Case]
SameBits = Callable[[Mapping[str, Array], Mapping[str, Array]], None]
Floats = tuple[float, ...] | list[float]

NAN, INF = math.nan, math.inf
TINY = 2.0**-149
f32 = np.float32


def apply(name: str, xs: Sequence[float] | Array, alpha: Floats = (), beta: Floats = ()) -> Array:
    """The activation of each x: an RNN of one step, W = 1 and R = 0, whose rows are the xs."""
    X = np.array(xs, np.float32).reshape(1, -1, 1)
    inputs = {"X": X, "W": np.ones((1, 1, 1), np.float32), "R": np.zeros((1, 1, 1), np.float32)}
    alphas, betas = tuple(map(float, alpha)), tuple(map(float, beta))
    attributes = {"activations": (name,), "activation_alpha": alphas, "activation_beta": betas}
    return run(Case("RNN", 14, attributes, inputs, ("Y_h",)))["Y_h"].ravel()


def check(name: str, pairs: Sequence[tuple[float, float]], **parameters: Floats) -> None:
    xs, expected = zip(*pairs, strict=True)
    actual = apply(name, xs, **parameters)
    np.testing.assert_array_equal(actual, np.array(expected, np.float32))


def test_sigmoid() -> None:
    check("Sigmoid", [(0, 0.5), (INF, 1), (-INF, 0), (NAN, NAN), (200, 1), (-200, 0), (2, 1 / (1 + math.exp(-2)))])


def test_sigmoid_keeps_subnormal_results() -> None:
    check("Sigmoid", [(-100, math.exp(-100)), (-103, math.exp(-103))])


def test_tanh() -> None:
    check("Tanh", [(0, 0), (INF, 1), (-INF, -1), (NAN, NAN), (0.5, math.tanh(0.5)), (TINY, TINY), (-20, -1)])


@pytest.mark.parametrize(("name", "least"), [("Sigmoid", 0), ("Tanh", -1)])
def test_the_bounded_functions_stay_in_their_range(name: str, least: float) -> None:
    values = apply(name, np.linspace(-120, 120, 100_001))
    assert values.min() == least
    assert values.max() == 1


def test_relu_keeps_nan() -> None:
    check("Relu", [(3, 3), (-3, 0), (NAN, NAN), (INF, INF), (-INF, 0), (TINY, TINY)])


def test_affine() -> None:
    check("Affine", [(3, 7), (NAN, NAN), (-INF, -INF)], alpha=[2], beta=[1])
    check("Affine", [(3, 3), (-4, -4)])


def test_affine_rounds_the_product_and_the_sum() -> None:
    # (1 + 2^-12)^2 - 1 is 2^-11 + 2^-24 exactly; rounding the product first loses 2^-24
    x = 1 + 2.0**-12
    assert apply("Affine", [x], alpha=[x], beta=[-1])[0] == 2.0**-11


def test_leaky_relu() -> None:
    check("LeakyRelu", [(3, 3), (-4, -1), (NAN, NAN), (-INF, -INF)], alpha=[0.25])
    check("LeakyRelu", [(-1, f32(-0.01))])


def test_thresholded_relu_excludes_alpha_and_drops_nan() -> None:
    check("ThresholdedRelu", [(2, 0), (np.nextafter(f32(2), f32(3)), np.nextafter(f32(2), f32(3)))], alpha=[2])
    check("ThresholdedRelu", [(NAN, 0), (1, 0), (1.5, 1.5), (-3, 0), (INF, INF)])
    check("ThresholdedRelu", [(-3, -3), (-5, 0)], alpha=[-4])


def test_scaled_tanh_rounds_its_argument() -> None:
    alpha, beta = f32(1.7), f32(0.3)
    xs = np.array([0.1, 1, -2.3, 7], np.float32)
    expected = [alpha * f32(math.tanh(beta * x)) for x in xs]
    check("ScaledTanh", list(zip(xs, expected, strict=True)), alpha=[1.7], beta=[0.3])
    check("ScaledTanh", [(5, 0), (INF, NAN), (NAN, NAN)])


def test_hard_sigmoid() -> None:
    check("HardSigmoid", [(0, 0.5), (100, 1), (-100, 0), (NAN, NAN), (INF, 1), (-INF, 0)])
    check("HardSigmoid", [(1, 0.75), (2, 1), (-1, 0.25)], alpha=[0.25], beta=[0.5])


def test_elu() -> None:
    check("Elu", [(3, 3), (-1, 2 * f32(math.expm1(-1))), (-INF, -2), (NAN, NAN), (-TINY, -2 * TINY)], alpha=[2])
    check("Elu", [(-1e-6, math.expm1(f32(-1e-6)))])


def test_softsign() -> None:
    check("Softsign", [(1, 0.5), (-3, -0.75), (0, 0), (INF, NAN), (NAN, NAN)])


def test_softplus() -> None:
    at_20 = f32(20)
    above = np.nextafter(at_20, f32(21))
    check("Softplus", [(0, math.log(2)), (100, 100), (NAN, NAN), (-INF, 0), (-50, math.exp(-50)), (above, above)])
    check("Softplus", [(at_20, math.log1p(math.exp(20)))])


def test_names_in_any_case() -> None:
    assert apply("hARDsIGMOID", [1])[0] == apply("HardSigmoid", [1])[0] == f32(f32(0.2) + f32(0.5))


def lstm_with(
    names: tuple[str, ...], alpha: tuple[float, ...], beta: tuple[float, ...], direction: str = "forward"
) -> list[float]:
    """Y_h of an LSTM of one step with i = f = o = f(1), candidate = g(1), no state: o * h(i * candidate)."""
    dirs = 2 if direction == "bidirectional" else 1
    inputs = {
        "X": np.ones((1, 1, 1), np.float32),
        "W": np.ones((dirs, 4, 1), np.float32),
        "R": np.zeros((dirs, 4, 1), np.float32),
    }
    attributes = {
        "activations": names,
        "activation_alpha": alpha,
        "activation_beta": beta,
        "direction": direction,
    }
    return run(Case("LSTM", 14, attributes, inputs, ("Y_h",)))["Y_h"].ravel().tolist()


def test_alpha_and_beta_have_a_cursor_each() -> None:
    # f = 2*1 + 8 = 10; g = 4*1 = 4 for a LeakyRelu takes no beta (x > 0: 1); h(c) = 0.5*c + 16
    value = lstm_with(("Affine", "LeakyRelu", "Affine"), (2.0, 4.0, 0.5), (8.0, 16.0))
    assert value == [10.0 * (0.5 * 10.0 + 16.0)]


def test_missing_parameters_take_the_defaults_and_surplus_is_ignored() -> None:
    assert lstm_with(("Affine", "Affine", "Affine"), (2.0,), (1.0,)) == [3.0 * 3.0]
    assert lstm_with(("Affine", "Affine", "Affine"), (2.0, 1.0, 1.0, 9.0), (1.0, 0.0, 0.0, 9.0)) == [3.0 * 3.0]


def test_one_set_is_duplicated_before_the_cursors_run() -> None:
    names = ("Affine", "Softsign", "LeakyRelu")
    alpha, beta = (2.0, 0.5, 4.0, 0.25), (-3.0, -8.0)
    # f = 2 - 3 = -1, g = 1/2, c = -1/2, h(c) = c/2; the second direction goes on: f = 4 - 8 = -4, c = -2, h(c) = c/4
    assert lstm_with(names, alpha, beta, "bidirectional") == [0.25, 2.0]
    assert lstm_with(names * 2, alpha, beta, "bidirectional") == [0.25, 2.0]


def test_the_spare_name_of_an_rnn_consumes_no_parameter() -> None:
    X, W, R = np.ones((1, 1, 1), np.float32), np.ones((1, 1, 1), np.float32), np.zeros((1, 1, 1), np.float32)
    attributes = {"activations": ("Affine", "Elu"), "activation_alpha": (3.0, 5.0), "activation_beta": (1.0,)}
    assert run(Case("RNN", 14, attributes, {"X": X, "W": W, "R": R}, ("Y_h",)))["Y_h"].tolist() == [[[4.0]]]


def test_each_direction_of_an_rnn_may_have_its_own_name() -> None:
    X, W, R = np.full((1, 1, 1), -1, f32), np.ones((2, 1, 1), np.float32), np.zeros((2, 1, 1), np.float32)
    attributes = {"activations": ("Affine", "Relu"), "direction": "bidirectional"}
    assert run(Case("RNN", 14, attributes, {"X": X, "W": W, "R": R}, ("Y_h",)))["Y_h"].ravel().tolist() == [-1, 0]


def test_an_empty_list_of_names_means_the_defaults(make_case: MakeCase, same_bits: SameBits) -> None:
    same_bits(run(make_case("LSTM", activations=())), run(make_case("LSTM")))
