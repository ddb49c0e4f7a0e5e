"""The update of GRU in both of its forms."""

import numpy as np
import pytest

from gatewise_oracle.ball import LARGEST, TINY, UNIT, Ball, Floats, exact, inside
from gatewise_oracle.gru import updated

F = np.float32
INF, NAN = np.inf, np.nan


def ball(center: float, radius: float = 0.0) -> Ball:
    return Ball(np.array([center]), np.array([radius]), bool(np.isfinite(center) and np.isfinite(radius)))


def test_both_forms_lie_inside_and_the_bound_has_their_size() -> None:
    rng = np.random.default_rng(0)
    z, h, new = (rng.uniform(low, 1, 20000).astype(F) for low in (0, -1, -1))
    result = updated(exact(z), exact(h), exact(new), TINY)
    for form in ((F(1) - z) * new + z * h, new + z * (h - new)):
        assert inside(result, form).all()
        assert (np.abs(form - result.center) / result.radius).max() > 0.2
    assert result.radius.max() < 10 * UNIT


def test_radii_of_all_three_pass() -> None:
    z, h, new = ball(0.25, 0.125), ball(0.75, 0.0625), ball(-0.5, 0.03125)
    result = updated(z, h, new, TINY)
    ends = [
        (1 - (0.25 + a * 0.125)) * (-0.5 + c * 0.03125) + (0.25 + a * 0.125) * (0.75 + b * 0.0625)
        for a in (-1, 1)
        for b in (-1, 1)
        for c in (-1, 1)
    ]
    assert result.center[0] == 0.75 * -0.5 + 0.25 * 0.75
    farthest = np.abs(np.array(ends) - result.center[0]).max()
    # The derivatives' signs, which the bound does not use, could save a twentieth here.
    assert farthest <= result.radius[0] <= 1.05 * farthest


@pytest.mark.parametrize(
    ("z", "h", "new", "expected"),
    [
        (ball(0.5, 0.1), ball(0.5), ball(NAN), NAN),
        (ball(NAN), ball(0.5), ball(0.5), NAN),
        (ball(0.5, 0.1), ball(INF), ball(0.5), INF),
        (ball(0.0, 0.1), ball(INF), ball(0.5), "free"),
        # (1 - z) * Inf + z * h is Inf, but Inf + z * (h - Inf) is NaN.
        (ball(0.5, 0.1), ball(0.5), ball(INF), "free"),
        (ball(0.5, 0.1), ball(-INF), ball(INF), "free"),
        (ball(0.5, 0.1), ball(NAN), ball(INF), NAN),
        # (1 - Inf) * new + Inf * h is NaN, but new + Inf * (h - new) is an infinity.
        (ball(INF), ball(0.5), ball(0.25), "free"),
        (ball(INF), ball(0.5), ball(NAN), NAN),
        (ball(NAN), ball(LARGEST), ball(LARGEST), NAN),
        (ball(0.5, 0.1), ball(0.0, INF), ball(0.5), "free"),
        # Only the second form overflows.
        (ball(0.01), ball(0.75 * LARGEST), ball(-0.75 * LARGEST), "free"),
    ],
)
def test_special_values(z: Ball, h: Ball, new: Ball, expected: float | str) -> None:
    with np.errstate(all="ignore"):
        result = updated(z, h, new, TINY)
    if expected == "free":
        assert result.radius[0] == INF
    else:
        np.testing.assert_array_equal(result.center, [expected])
        assert result.radius[0] == 0


def test_special_elements_leave_the_others_alone() -> None:
    z, h, new = (np.array([0.3, value]) for value in (0.5, 0.5, NAN))
    beside: Floats = np.array([0.3])
    with np.errstate(all="ignore"):
        result = updated(exact(z), exact(h), exact(new), TINY)
    alone = updated(exact(beside), exact(beside), exact(beside), TINY)
    assert (result.center[0], result.radius[0]) == (alone.center[0], alone.radius[0])
