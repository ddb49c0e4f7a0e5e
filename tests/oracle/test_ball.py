"""The algebra of balls: roundings, overflow, NaN and infinities, by values worked out by hand."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from gatewise_oracle import ball as balls
from gatewise_oracle.ball import LARGEST, TINY, UNIT, Ball, exact, matrix

INF, NAN = np.inf, np.nan
FREE = Ball(np.array([0.0]), np.array([INF]), finite=False)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    # As in the model, which computes with NaN and infinities on purpose.
    with np.errstate(all="ignore"):
        yield


def ball(center: float, radius: float = 0.0) -> Ball:
    return Ball(np.array([center]), np.array([radius]), bool(np.isfinite(center) and np.isfinite(radius)))


def kind(result: Ball) -> Any:
    """The certain value of one ball, its radius, or "free"."""
    center, radius = float(result.center.ravel()[0]), float(result.radius.ravel()[0])
    assert np.isfinite(center) or radius == 0
    if radius == INF:
        return "free"
    return center if radius == 0 else (center, radius)


def dot(x: list[Ball], w: list[float]) -> Ball:
    row = Ball(
        np.array([[float(one.center[0]) for one in x]]),
        np.array([[float(one.radius[0]) for one in x]]),
        all(one.finite for one in x),
    )
    return balls.linear(row, matrix(np.array([w]))).rounded()


def test_gamma_counts_roundings() -> None:
    assert balls.gamma(0) == 0
    assert balls.gamma(3) == pytest.approx(3 * 2.0**-24 / (1 - 3 * 2.0**-24), rel=1e-15)
    assert balls.gamma(2**24) == INF


def test_a_sum_of_products_has_gamma_n_of_its_magnitude() -> None:
    center, radius = kind(dot([ball(0.1), ball(-0.3), ball(0.7)], [1.1, 1.3, 0.9]))
    assert center == pytest.approx(0.11 - 0.39 + 0.63, rel=1e-15)
    assert radius == pytest.approx(balls.gamma(3) * (0.11 + 0.39 + 0.63), rel=2e-6)


def test_radii_pass_through_weights() -> None:
    _, radius = kind(dot([ball(1.0, 0.5), ball(2.0, 0.25)], [3.0, -4.0]))
    assert radius == pytest.approx(0.5 * 3 + 0.25 * 4, rel=1e-5)


def test_sums_on_a_grid_are_exact_in_every_order() -> None:
    assert kind(dot([ball(0.5), ball(-3.0)], [0.25, 1.5])) == 0.125 - 4.5
    _, radius = kind(dot([ball(0.5), ball(-3.0)], [0.25, 1.5 + 2.0**-9]))
    assert radius > 0
    # 2^8 is the limit: beyond it, 2^-16 may be rounded away.
    _, radius = kind(dot([ball(16.0), ball(2.0**-8)], [16.0, 2.0**-8]))
    assert radius > 2.0**-16


def test_exact_zeros_stay_exact() -> None:
    assert kind(balls.product(ball(0.0), ball(0.3, 0.1))) == 0
    assert kind(dot([ball(0.0)], [0.3])) == 0


def test_a_product_can_be_lost_by_underflow() -> None:
    center, radius = kind(balls.product(ball(2.0**-100), ball(2.0**-51)))
    assert center == 2.0**-151
    assert 2.0**-151 <= radius <= TINY


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (ball(NAN), ball(2.0, 0.1), "nan"),
        (ball(NAN), FREE, "nan"),
        (ball(INF), ball(0.0), "nan"),
        (ball(INF), ball(0.5, 0.25), INF),
        (ball(INF), ball(-0.5, 0.25), -INF),
        (ball(INF), ball(0.0, 1e-7), "free"),
        (ball(INF), ball(1e-7, 1e-7), "free"),
        (ball(-INF), ball(-INF), INF),
        (FREE, ball(0.0), "free"),
        (FREE, ball(1.0), "free"),
        (FREE, ball(INF), "free"),
        (ball(2e19), ball(-3e19), "free"),
        (ball(LARGEST), ball(0.75), (LARGEST * 0.75, pytest.approx(LARGEST * 0.75 * UNIT, rel=1e-5))),
        (ball(LARGEST), ball(0.75, 0.3), "free"),
    ],
)
def test_products(left: Ball, right: Ball, expected: Any) -> None:
    for result in (balls.product(left, right), balls.product(right, left)):
        assert str(kind(result)) == "nan" if expected == "nan" else kind(result) == expected


@pytest.mark.parametrize(
    ("x", "w", "expected"),
    [
        ([ball(NAN), ball(1.0)], [0.0, 1.0], "nan"),
        ([ball(1.0), ball(0.0)], [1.0, INF], "nan"),
        ([ball(1.0), ball(INF)], [1.0, 0.0], "nan"),
        ([ball(1.0), ball(INF)], [1.0, -2.0], -INF),
        ([ball(INF), ball(INF)], [1.0, -2.0], "nan"),
        ([ball(INF), ball(-INF)], [1.0, -2.0], INF),
        ([ball(1.0), ball(2.0, 0.5)], [1.0, INF], INF),
        ([ball(1.0), ball(-2.0, 0.5)], [1.0, INF], -INF),
        ([ball(1.0), ball(0.2, 0.5)], [1.0, INF], "free"),
        ([ball(1.0), FREE], [1.0, 0.0], "free"),
        ([ball(NAN), FREE], [1.0, 0.0], "nan"),
        ([ball(INF), FREE], [1.0, 1.0], "free"),
        ([ball(1.0), ball(2.0)], [1.0, NAN], "nan"),
        ([ball(LARGEST), ball(LARGEST)], [1.0, -1.0], "free"),
        ([ball(0.9 * LARGEST, 0.2 * LARGEST)], [1.0], "free"),
        ([ball(LARGEST), ball(LARGEST), ball(INF)], [1.0, 1.0, 1.0], "free"),
    ],
)
def test_dot_products(x: list[Ball], w: list[float], expected: Any) -> None:
    result = kind(dot(x, w))
    assert str(result) == "nan" if expected == "nan" else result == expected


def test_special_rows_leave_the_others_alone() -> None:
    rows = exact(np.array([[0.3, NAN], [0.3, 0.7]]))
    result = balls.linear(rows, matrix(np.array([[1.1, 1.3]]))).rounded()
    alone = balls.linear(exact(np.array([[0.3, 0.7]])), matrix(np.array([[1.1, 1.3]]))).rounded()
    assert np.isnan(result.center[0, 0])
    assert (result.center[1, 0], result.radius[1, 0]) == (alone.center[0, 0], alone.radius[0, 0])


def test_opposite_infinities_among_terms_are_nan() -> None:
    total = (balls.term(ball(INF), ball(1.0)) + balls.term(ball(-INF), ball(1.0))).rounded()
    assert str(kind(total)) == "nan"
    assert kind((balls.term(ball(INF), ball(1.0)) + balls.term(ball(3.0), ball(1.0))).rounded()) == INF
    assert kind((balls.term(ball(INF), ball(1.0)) + balls.term(FREE, ball(1.0))).rounded()) == "free"


def test_the_complement_rounds_once() -> None:
    assert kind(balls.complement(ball(0.25))) == (0.75, pytest.approx(UNIT * 0.75, rel=2e-6))
    assert kind(balls.complement(ball(0.25, 0.125))) == (0.75, pytest.approx(0.125, rel=2e-6))
    assert kind(balls.complement(ball(INF))) == -INF
    assert kind(balls.complement(FREE)) == "free"


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (ball(0.75, 1e-9), (0.75, pytest.approx(2.0**-12, rel=1e-5))),
        (ball(0.75), 0.75),
        (ball(0.75 + 2.0**-13), 0.75),
        (ball(1.0, 0.5), (1.0, pytest.approx(0.5 + 2.0**-11, rel=1e-5))),
        (ball(2.0**-20, 2.0**-50), (2.0**-20, pytest.approx(2.0**-25, rel=1e-5))),
        (ball(0.0), 0.0),
        (ball(65519.0, 0.5), (65519.0, pytest.approx(16.5, rel=1e-5))),
        (ball(65519.0), 65504.0),
        (ball(65519.0, 2.0), "free"),
        (ball(65530.0, 2.0), INF),
        (ball(-70000.0, 2.0), -INF),
        (ball(-INF), -INF),
        (ball(70000.0), INF),
        (FREE, "free"),
    ],
)
def test_rounding_to_float16(before: Ball, expected: Any) -> None:
    assert kind(balls.rounded_to_float16(before)) == expected


def test_rounding_to_float16_keeps_nan() -> None:
    assert str(kind(balls.rounded_to_float16(ball(NAN)))) == "nan"


def test_every_float32_that_rounds_to_a_float16_is_in_its_ball() -> None:
    rng = np.random.default_rng(0)
    states = (rng.standard_normal(4000) * 10.0 ** rng.integers(-8, 4, 4000)).astype(np.float32)
    known = balls.from_float16(states.astype(np.float16))
    assert balls.inside(known, states).all()
    assert (np.abs(states - known.center) > 0.9 * known.radius).any()
    after = balls.rounded_to_float16(Ball(states.astype(np.float64), np.abs(states) * 1e-9, finite=True))
    assert balls.inside(after, states.astype(np.float16)).all()
    assert balls.inside(balls.rounded_to_float16(exact(states)), states.astype(np.float16)).all()


def test_a_float16_infinity_hides_the_state() -> None:
    assert kind(balls.from_float16(np.array([INF], np.float16))) == "free"
    assert str(kind(balls.from_float16(np.array([NAN], np.float16)))) == "nan"


@pytest.mark.parametrize(
    ("admissible", "value", "expected"),
    [
        (ball(1.0, 0.5), 1.25, 0.5),
        (ball(1.0, 0.5), 2.0, 2.0),
        (ball(1.0), 1.0, 0.0),
        (ball(1.0), 1.5, INF),
        (ball(0.0), -0.0, 0.0),
        (ball(1.0, 0.5), NAN, INF),
        (ball(1.0, 0.5), INF, INF),
        (ball(NAN), NAN, 0.0),
        (ball(NAN), 1.0, INF),
        (ball(INF), INF, 0.0),
        (ball(INF), -INF, INF),
        (ball(INF), LARGEST, INF),
        (FREE, NAN, 0.0),
        (FREE, -INF, 0.0),
        (FREE, 5.0, 0.0),
    ],
)
def test_distance(admissible: Ball, value: float, expected: float) -> None:
    array = np.array([value])
    assert balls.distance(admissible, array)[0] == expected
    assert balls.inside(admissible, array)[0] == (expected <= 1)


def test_a_nan_of_other_bits_is_the_same_nan() -> None:
    negative = np.array([0xFFC00001], np.uint32).view(np.float32)
    assert balls.inside(ball(NAN), negative).all()


def test_a_row_with_exact_operands_is_exact_beside_others_that_are_not() -> None:
    center = np.array([[0.5, 1.0], [0.5, 1.0]])
    radius = np.array([[0.0, 0.0], [0.0, 2.0**-20]])
    ball = balls.linear(Ball(center, radius, finite=True), matrix(np.array([[2.0, 0.25]]))).rounded()
    assert ball.center.ravel().tolist() == [1.25, 1.25]
    assert ball.radius[0, 0] == 0
    assert ball.radius[1, 0] > 1.5 * 2.0**-22  # the operand's own part, 2^-22, and two roundings
