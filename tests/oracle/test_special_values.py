"""What the model makes of NaN, infinities, overflow, subnormals, empty sizes and padding."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sample_cases import BATCH, HIDDEN, SEQ, make_case

from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import read_layer
from gatewise_corpus.operators import OPERATORS
from gatewise_oracle.ball import LARGEST, TINY, inside
from gatewise_oracle.model import end_to_end, evaluate, stepwise

NAN, INF = np.nan, np.inf


def changed(case: Case, name: str, place: Any, value: float) -> Case:
    array = case.inputs[name].copy()
    array[place] = value
    return case.with_inputs(**{name: array})


def followed(case: Case) -> Array:
    with np.errstate(invalid="ignore", over="ignore"):
        return evaluate(read_layer(case))["Y"].astype(np.float32)


@pytest.mark.parametrize("operator", OPERATORS)
def test_nan_in_one_row_stays_in_that_row_from_its_step_on(operator: str) -> None:
    case = changed(make_case(operator), "X", (2, 1, 0), NAN)
    for balls in (stepwise(read_layer(case), followed(case)), end_to_end(read_layer(case))):
        expected = np.zeros((SEQ, 1, BATCH, HIDDEN), dtype=bool)
        expected[2:, :, 1] = True
        np.testing.assert_array_equal(np.isnan(balls["Y"].center), expected)
        np.testing.assert_array_equal(balls["Y"].radius == 0, expected)
        np.testing.assert_array_equal(np.isnan(balls["Y_h"].center), expected[-1])


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_nan_that_should_not_be_is_outside_and_the_next_step_follows_it(operator: str) -> None:
    case = make_case(operator)
    Y = followed(case)
    Y[1, 0, 2, 3] = NAN
    balls = stepwise(read_layer(case), Y)
    outside = ~inside(balls["Y"], Y)
    assert outside[1, 0, 2, 3]
    assert outside[:2].sum() == 1
    assert np.isnan(balls["Y"].center[2, 0, 2]).all()
    # The LSTM's cell, which nobody sees, has taken it in; the others continue from what the implementation shows.
    assert np.isnan(balls["Y"].center[3, 0, 2]).all() == (operator == "LSTM")
    assert not np.isnan(balls["Y"].center[:, 0, :2]).any()


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("poison", [NAN, INF, 3.0])
def test_padding_and_the_states_of_empty_rows_change_nothing(operator: str, direction: str, poison: float) -> None:
    clean = make_case(operator, direction=direction, lengths=(2, 0, SEQ), clip=2.0)
    poisoned = changed(clean, "X", (slice(2, None), 0), poison)
    poisoned = changed(poisoned, "X", (slice(None), 1), poison)
    for name in {"initial_h", "initial_c"} & clean.inputs.keys():
        poisoned = changed(poisoned, name, (slice(None), 1), poison)
    Y = followed(clean)
    Y_poisoned = Y.copy()
    Y_poisoned[2:, :, 0] = poison
    before, after = stepwise(read_layer(clean), Y), stepwise(read_layer(poisoned), Y_poisoned)
    for name, ball in before.items():
        np.testing.assert_array_equal(ball.center, after[name].center)
        np.testing.assert_array_equal(ball.radius, after[name].radius)
    assert (before["Y"].center[2:, :, 0] == 0).all()
    assert (before["Y"].radius[2:, :, 0] == 0).all()
    assert (before["Y_h"].center[:, 1] == 0).all()
    assert (before["Y_h"].center[:, 2] != 0).all()


def test_input_forget_reads_no_block_of_f() -> None:
    case = make_case("LSTM", input_forget=1)
    f_rows = slice(2 * HIDDEN, 3 * HIDDEN)
    poisoned = case
    for name, place in {
        "W": (0, f_rows),
        "R": (0, f_rows),
        "B": (0, f_rows),
        "P": (0, f_rows),
    }.items():
        poisoned = changed(poisoned, name, place, NAN)
    poisoned = changed(poisoned, "B", (0, slice(6 * HIDDEN, 7 * HIDDEN)), NAN)
    expected, values = evaluate(read_layer(case)), evaluate(read_layer(poisoned))
    for name, value in values.items():
        np.testing.assert_array_equal(value, expected[name])


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_omitted_state_is_zeros_and_zero_times_infinity_is_nan(operator: str) -> None:
    case = changed(make_case(operator, omit=("initial_h",)), "R", (0, 0, 0), INF)
    assert np.isnan(end_to_end(read_layer(case))["Y"].center[0, 0, :, 0]).all()


def test_an_infinite_weight_meets_a_state_that_may_be_zero() -> None:
    # Tanh of 0 is a ball around 0, not 0: Inf times it may be NaN or either infinity.
    case = make_case("RNN", sizes=(2, 1, 1, 2), omit=("B", "initial_h"))
    case = case.with_inputs(X=np.zeros((2, 1, 1), np.float32), R=np.array([[[0, 0], [0, 0.5]]], np.float32))
    infinite = changed(case, "R", (0, 1, 0), INF)
    ball = end_to_end(read_layer(infinite))["Y"]
    assert np.isnan(ball.center[0, 0, 0, 1])  # the omitted state is exactly 0
    started = infinite.with_inputs(initial_h=np.full((1, 1, 2), 0.5, np.float32))
    ball = end_to_end(read_layer(started))["Y"]
    assert ball.center[0, 0, 0, 1] == 1  # tanh(Inf)
    assert ball.radius[1, 0, 0, 1] == INF


def test_what_may_overflow_is_not_constrained_and_taints_its_own_unit_only() -> None:
    case = make_case("LSTM", activations=("Relu", "Relu", "Relu"), omit=("P",), scale=0.1)
    case = changed(case, "W", (0, 1, slice(None)), 1e38)  # the input gate of unit 1
    case = changed(case, "X", slice(None), 3.0)
    balls = stepwise(read_layer(case), np.zeros((SEQ, 1, BATCH, HIDDEN), np.float32))
    free = np.isinf(balls["Y"].radius)
    assert free[:, :, :, 1].all()
    assert free.sum() == SEQ * BATCH
    assert inside(balls["Y"], np.where(free, NAN, balls["Y"].center)).all()
    assert np.isinf(balls["Y_c"].radius[:, :, 1]).all()


def test_a_large_value_short_of_overflow_is_constrained() -> None:
    case = make_case("RNN", activations=("Relu",), omit=("B", "initial_h"), sizes=(1, 2, 1, 1))
    case = case.with_inputs(
        X=np.array([[[LARGEST], [LARGEST]]], np.float32),
        W=np.array([[[0.75]]], np.float32),
        R=np.zeros((1, 1, 1), np.float32),
    )
    ball = end_to_end(read_layer(case))["Y"]
    np.testing.assert_array_equal(ball.center.ravel(), [LARGEST * 0.75] * 2)
    assert (ball.radius < LARGEST * 1e-6).all()


def test_subnormals_are_kept() -> None:
    case = make_case("RNN", activations=("Relu",), omit=("B", "initial_h"), sizes=(1, 2, 1, 3))
    case = case.with_inputs(
        X=np.full((1, 2, 1), 2.0**-130, np.float32),
        W=np.full((1, 3, 1), 0.7, np.float32),
        R=np.zeros((1, 3, 3), np.float32),
    )
    ball = end_to_end(read_layer(case))["Y"]
    assert inside(ball, np.full((1, 1, 2, 3), 2.0**-130 * np.float32(0.7), np.float32)).all()
    assert not inside(ball, np.zeros((1, 1, 2, 3), np.float32)).any()
    assert (ball.radius < 8 * TINY).all()


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("sizes", [(0, 3, 2, 4), (5, 0, 2, 4), (5, 3, 0, 4), (0, 0, 0, 1)])
@pytest.mark.parametrize("direction", ["reverse", "bidirectional"])
def test_empty_sizes_give_the_natural_result(operator: str, sizes: tuple[int, ...], direction: str) -> None:
    case = make_case(operator, sizes=sizes, direction=direction)  # type: ignore[arg-type]  # four of them
    layer = read_layer(case)
    balls = end_to_end(layer)
    dirs = len(layer.directions)
    assert balls["Y"].center.shape == (sizes[0], dirs, sizes[1], sizes[3])
    if sizes[0] == 0:
        np.testing.assert_array_equal(balls["Y_h"].center, case.inputs["initial_h"])
        assert (balls["Y_h"].radius == 0).all()
        lengths = np.zeros(sizes[1], np.int32)
        dropped = end_to_end(read_layer(case.with_inputs(sequence_lens=lengths)))
        assert (dropped["Y_h"].center == 0).all()
    elif sizes[2] == 0:
        without = make_case(operator, sizes=(5, 3, 2, 4), direction=direction)
        without = without.with_inputs(**{name: case.inputs[name] for name in case.inputs if name not in ("X", "W")})
        without = without.with_inputs(X=without.inputs["X"] * 0)
        np.testing.assert_allclose(balls["Y"].center, evaluate(read_layer(without))["Y"], rtol=1e-12)


def test_a_clip_that_does_not_clamp_leaves_the_same_values() -> None:
    expected = evaluate(read_layer(make_case("LSTM")))["Y"]
    for clip in (0.0, -1.0, NAN, INF, 1e30):
        np.testing.assert_array_equal(evaluate(read_layer(make_case("LSTM", clip=clip)))["Y"], expected)
    assert np.abs(evaluate(read_layer(make_case("LSTM", clip=0.5)))["Y"] - expected).max() > 0.01


def test_nan_passes_a_clip() -> None:
    case = changed(make_case("RNN", clip=0.5), "X", (0, 0, 0), NAN)
    assert np.isnan(evaluate(read_layer(case))["Y"][:, :, 0]).all()


def test_float16_outputs_beyond_the_largest_float16_are_infinite() -> None:
    options = {"activations": ("Affine",), "activation_alpha": (1e5,)}
    case = make_case("RNN", dtype=np.float16, sizes=(1, 3, 2, 4), **options)
    layer = read_layer(case)
    values = evaluate(replace(layer, X=layer.X.astype(np.float32)))["Y"]
    ball = end_to_end(layer)["Y"]
    large = np.abs(values) > 66000
    assert large.any()
    np.testing.assert_array_equal(ball.center[large], np.sign(values[large]) * INF)
    assert np.isfinite(ball.center[np.abs(values) < 65000]).all()
