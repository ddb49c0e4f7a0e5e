"""The eleven functions on balls: values, the hull, and what becomes of NaN and infinities."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from float32_model import Float32
from mp_model import activation as mp_activation
from mpmath import mpf

from gatewise_corpus.activations import ACTIVATIONS, Activation
from gatewise_oracle.activations import FUNCTIONS, hull, points
from gatewise_oracle.ball import UNIT, Ball, inside
from gatewise_oracle.tolerance import DEFAULT, DEFAULT_ERRORS, Tolerance

INF, NAN = np.inf, np.nan


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    # As in the model, which computes with NaN and infinities on purpose.
    with np.errstate(all="ignore"):
        yield


def used(name: str, alpha: float = 0.0, beta: float = 0.0) -> Activation:
    return Activation(ACTIVATIONS[name], float(np.float32(alpha)), float(np.float32(beta)))


VARIANTS = [
    used("Relu"),
    used("Tanh"),
    used("Sigmoid"),
    used("Affine", -0.7, 0.3),
    used("Affine", 1.0, 0.0),
    used("Affine", 50.0, -40.0),
    used("LeakyRelu", 0.1),
    used("LeakyRelu", -0.6),
    used("ThresholdedRelu", 0.4),
    used("ThresholdedRelu", -0.4),
    used("ScaledTanh", 3.5, -0.7),
    used("ScaledTanh", 0.2, 30.0),
    used("HardSigmoid", 0.3, 0.45),
    used("HardSigmoid", -1.7, 0.1),
    used("Elu", 0.8),
    used("Elu", -1.3),
    used("Softsign"),
    used("Softplus"),
]


def apply(activation: Activation, ball: Ball, tolerance: Tolerance = DEFAULT) -> Ball:
    error = tolerance.error(activation.name) * UNIT
    return hull(*FUNCTIONS[activation.name](points(ball), activation, error), ball)


def label(activation: Activation) -> str:
    return f"{activation.name}({activation.alpha:.3g},{activation.beta:.3g})"


def random_balls(seed: int, count: int, widest: float) -> Ball:
    rng = np.random.default_rng(seed)
    center = np.concatenate((rng.normal(scale=2.0, size=count), rng.normal(scale=30.0, size=count)))
    radius = rng.random(2 * count) * widest
    return Ball(center, radius, finite=True)


@pytest.mark.parametrize("activation", VARIANTS, ids=label)
def test_centers_are_the_function_itself(activation: Activation) -> None:
    ball = random_balls(1, 60, 0.0)
    for x, value in zip(ball.center, apply(activation, ball).center, strict=True):
        exact = mp_activation(activation.name.lower(), mpf(x), mpf(activation.alpha), mpf(activation.beta))
        # The one cancellation is e^x beside 1, which expm1 and log1p avoid; Affine's is bounded by its terms.
        assert abs(mpf(value) - exact) <= 2.0**-49 * (abs(exact) + abs(activation.beta))


@pytest.mark.parametrize("widest", [0.0, 1e-6, 0.8])
@pytest.mark.parametrize("activation", VARIANTS, ids=label)
def test_literal_float32_formulas_lie_inside_the_hull(activation: Activation, widest: float) -> None:
    ball = random_balls(2, 400, widest)
    result = apply(activation, ball)
    rng = np.random.default_rng(3)
    for share in (-1.0, 1.0, 0.0, *rng.uniform(-1, 1, 8)):
        x = (ball.center + share * ball.radius).astype(np.float32)
        within = np.abs(x - ball.center) <= ball.radius  # rounding x may have left the ball
        if not widest:
            result = apply(activation, Ball(x.astype(np.float64), ball.radius, finite=True))
            within[:] = True
        assert within.any()
        assert inside(result, Float32(0).activation(activation, x, None))[within].all()


@pytest.mark.parametrize("activation", VARIANTS, ids=label)
def test_functions_of_arithmetic_need_no_error_of_their_own(activation: Activation) -> None:
    if activation.name in {"Tanh", "Sigmoid", "ScaledTanh", "Elu", "Softplus"}:
        # Those that need one: without it, some value is outside.
        assert not arithmetic_is_inside(activation)
    else:
        assert arithmetic_is_inside(activation)


def test_half_a_unit_admits_correctly_rounded_functions() -> None:
    x = np.random.default_rng(5).normal(scale=6.0, size=4000).astype(np.float32)
    wide, F = x.astype(np.float64), np.float32
    # Half a unit in the last place is half of 2^-24 up to 1, and up to 2^-24 of a larger result.
    half = Tolerance({**dict.fromkeys(ACTIVATIONS, 0.5), "Softplus": 1.0})
    known = Ball(wide, np.zeros(x.shape), finite=True)
    rounded = {
        used("Sigmoid"): (1 / (1 + np.exp(-wide))).astype(F),
        used("Tanh"): np.tanh(wide).astype(F),
        used("Softplus"): np.where(x > 20, x, np.logaddexp(0, wide).astype(F)),
        used("Elu", 0.8): np.where(x >= 0, x, F(0.8) * np.expm1(wide).astype(F)),
        used("ScaledTanh", 3.5, 0.7): F(3.5) * np.tanh((F(0.7) * x).astype(np.float64)).astype(F),
    }
    for activation, values in rounded.items():
        assert inside(apply(activation, known, half), values).all()
        assert not inside(apply(activation, known, half), values + F(4e-7)).all()


def arithmetic_is_inside(activation: Activation) -> bool:
    x = np.random.default_rng(4).normal(scale=2.0, size=4000).astype(np.float32)
    known = Ball(x.astype(np.float64), np.zeros(x.shape), finite=True)
    none = Tolerance(dict.fromkeys(ACTIVATIONS, 0.0))
    return bool(inside(apply(activation, known, none), Float32(0).activation(activation, x, None)).all())


@pytest.mark.parametrize("activation", VARIANTS, ids=label)
def test_the_hull_is_no_wider_than_the_function(activation: Activation) -> None:
    ball = Ball(np.array([-0.35, 0.05, 0.45]), np.full(3, 0.2), finite=True)
    result = apply(activation, ball)
    x = np.linspace(ball.center - ball.radius, ball.center + ball.radius, 4001)
    values, _ = FUNCTIONS[activation.name](x, activation, 0.0)
    farthest = np.abs(values[:4001] - result.center).max(axis=0)
    assert (farthest <= result.radius * (1 + 1e-12)).all()
    # ThresholdedRelu's jump and the fold's turning point lie between the grid's points.
    assert (result.radius <= farthest + 2e-4 + 32 * UNIT).all()


@pytest.mark.parametrize(
    ("activation", "x", "expected"),
    [
        (used("Relu"), NAN, NAN),
        (used("Relu"), INF, INF),
        (used("Relu"), -INF, 0.0),
        (used("Tanh"), NAN, NAN),
        (used("Tanh"), -INF, -1.0),
        (used("Sigmoid"), NAN, NAN),
        (used("Sigmoid"), -INF, 0.0),
        (used("Sigmoid"), INF, 1.0),
        (used("Affine", -2.0, 1.0), INF, -INF),
        (used("Affine", 0.0, 1.0), INF, NAN),
        (used("LeakyRelu", 0.1), -INF, -INF),
        (used("LeakyRelu", -0.1), -INF, INF),
        (used("LeakyRelu", 0.1), NAN, NAN),
        (used("ThresholdedRelu", 0.4), NAN, 0.0),
        (used("ThresholdedRelu", 0.4), INF, INF),
        (used("ScaledTanh", 2.0, -1.0), INF, -2.0),
        (used("ScaledTanh", 2.0, 0.0), INF, NAN),
        (used("HardSigmoid", 0.2, 0.5), NAN, NAN),
        (used("HardSigmoid", 0.2, 0.5), INF, 1.0),
        (used("HardSigmoid", 0.2, 0.5), -INF, 0.0),
        (used("Elu", 0.8), -INF, -0.8),
        (used("Elu", 0.8), INF, INF),
        (used("Elu", 0.8), NAN, NAN),
        (used("Softsign"), INF, NAN),  # Inf / (1 + Inf), as written
        (used("Softplus"), INF, INF),
        (used("Softplus"), -INF, 0.0),
        (used("Softplus"), NAN, NAN),
    ],
    ids=str,
)
def test_nan_and_infinities(activation: Activation, x: float, expected: float) -> None:
    result = apply(activation, Ball(np.array([x]), np.zeros(1), finite=False))
    np.testing.assert_allclose(result.center, [expected], rtol=1e-7)
    if np.isfinite(expected):
        assert result.radius[0] < 64 * UNIT
    else:
        assert result.radius[0] == 0


@pytest.mark.parametrize("activation", VARIANTS, ids=label)
def test_what_is_not_constrained_stays_so(activation: Activation) -> None:
    result = apply(activation, Ball(np.zeros(1), np.full(1, INF), finite=False))
    assert result.radius[0] == INF
    assert np.isfinite(result.center[0])


def test_an_overflow_is_not_constrained() -> None:
    result = apply(used("Affine", 4.0, -3.0), Ball(np.array([1e38, 1e37]), np.zeros(2), finite=True))
    assert list(np.isinf(result.radius)) == [True, False]
    # The product overflows though the result would not.
    cancelled = apply(used("Affine", 4.0, -3e38), Ball(np.array([1e38]), np.zeros(1), finite=True))
    assert np.isinf(cancelled.radius).all()


def test_thresholded_relu_is_decided_at_an_exact_alpha() -> None:
    for alpha in (0.5, -0.5):
        exact = apply(used("ThresholdedRelu", alpha), Ball(np.array([alpha]), np.zeros(1), finite=True))
        assert (exact.center[0], exact.radius[0]) == (0.0, 0.0)
        around = apply(used("ThresholdedRelu", alpha), Ball(np.array([alpha]), np.full(1, 1e-6), finite=True))
        assert inside(around, np.array([0.0])).all()
        assert inside(around, np.array([alpha])).all()


def test_exact_functions_add_no_error() -> None:
    for activation in (used("Relu"), used("ThresholdedRelu", 0.5), used("Affine", 1.0, 0.0)):
        result = apply(activation, Ball(np.array([0.75]), np.zeros(1), finite=True))
        assert result.center[0] == 0.75
        assert result.radius[0] < 2.0**-47


def test_saturation_leaves_hard_sigmoid_exact() -> None:
    result = apply(used("HardSigmoid", 0.2, 0.5), Ball(np.array([7.0, -7.0]), np.full(2, 1.0), finite=True))
    assert list(result.center) == [1.0, 0.0]
    assert result.radius.max() < 2.0**-47


EXTREMES = (INF, -INF, 3.4028235e38, -3.4028235e38, 1e38, -2.0, 0.0, 1.0, 1e-38)


@pytest.mark.parametrize("name", ["Affine", "HardSigmoid", "ScaledTanh"])
def test_literal_float32_at_extreme_parameters_lies_inside_the_hull(name: str) -> None:
    x = np.array([0.0, 1e-45, 1e-30, 0.5, 1.0, 1 + 2.0**-23, 7.0, 1e30, 3.4028235e38, INF], np.float32)
    x = np.concatenate((x, -x))
    for alpha in EXTREMES:
        for beta in EXTREMES:
            activation = used(name, alpha, beta)
            value = Float32(0).activation(activation, x, None)
            for radius in (0.0, 1e-45, 1e-3):
                ball = Ball(x.astype(np.float64), np.where(np.isfinite(x), radius, 0), finite=False)
                assert inside(apply(activation, ball), value).all(), label(activation)


def test_hard_sigmoid_keeps_its_rounding_where_two_huge_terms_cancel() -> None:
    activation = used("HardSigmoid", 3e38, -3e38)
    result = apply(activation, Ball(np.array([1.0, 2.0]), np.zeros(2), finite=True))
    assert inside(result, np.array([1.0, 1.0])).all()
    assert list(inside(result, np.array([0.0, 0.0]))) == [True, False]


def test_an_infinite_alpha_leaves_open_what_0_times_it_gives() -> None:
    around = Ball(np.array([0.0, 1e-6, 1.0]), np.array([1e-6, 1e-5, 1e-6]), finite=True)
    for name in ("Affine", "HardSigmoid"):
        result = apply(used(name, INF, 0.5), around)
        assert list(np.isinf(result.radius)) == [True, True, False]
    overflow = Ball(np.array([-1e30, 1e30]), np.zeros(2), finite=True)
    for name in ("Affine", "HardSigmoid"):
        assert list(np.isinf(apply(used(name, 1e30, INF), overflow).radius)) == [True, False]


def test_defaults_and_kin() -> None:
    assert DEFAULT.error("ScaledTanh") == DEFAULT_ERRORS["Tanh"]
    assert DEFAULT.error("Relu") == 0
    own = Tolerance.for_operator("LSTM", {"LSTM.Sigmoid": 4, "Sigmoid": 2, "GRU.Tanh": 11, "Elu": 0.5})
    assert [own.error(name) for name in ("Sigmoid", "Tanh", "Elu")] == [4, DEFAULT_ERRORS["Tanh"], 0.5]


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"Sigmoidd": 2.0}, "'Sigmoidd' names none of Relu, Tanh"),
        ({"CNN.Tanh": 2.0}, "'CNN.Tanh' names none of"),
        ({"Tanh": -1.0}, "'Tanh' is -1.0, but must be finite and not negative"),
        ({"Tanh": NAN}, "'Tanh' is nan, but"),
    ],
)
def test_a_declared_error_must_make_sense(declared: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Tolerance.for_operator("GRU", declared)
