"""The model against a 200-bit evaluation that shares no code with it, and against ONNX's own node tests."""

from typing import Any

import numpy as np
import pytest
from mp_model import mp_outputs
from mpmath import mpf
from sample_cases import SAMPLE, make_case

from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import output_from_layout, read_layer
from gatewise_corpus.onnx_model import from_model
from gatewise_oracle.ball import inside
from gatewise_oracle.model import end_to_end, evaluate, stepwise


def difference(center: Array, exact: Array) -> Array:
    """|center - exact| in the precision of ``exact``, rounded once."""
    return np.array([float(abs(mpf(float(c)) - e)) for c, e in zip(center.flat, exact.flat, strict=True)]).reshape(
        center.shape
    )


@pytest.mark.parametrize("case", SAMPLE.values(), ids=SAMPLE.keys())
def test_values_agree_with_200_bits_to_the_rounding_of_float64(case: Case) -> None:
    values, exact = evaluate(read_layer(case)), mp_outputs(case)
    assert values.keys() == exact.keys()
    for name, value in values.items():
        assert value.shape == exact[name].shape
        assert (difference(value, exact[name]) <= 2e-14 * (1 + np.abs(value))).all()


@pytest.mark.parametrize("case", SAMPLE.values(), ids=SAMPLE.keys())
def test_stepwise_centers_agree_with_200_bits_after_the_same_states(case: Case) -> None:
    layer = read_layer(case)
    noise = np.random.default_rng(1).normal(
        scale=0.05, size=(layer.seq, len(layer.directions), layer.batch, layer.hidden)
    )
    followed = (evaluate(layer)["Y"] + noise).astype(layer.dtype)
    balls, exact = stepwise(layer, followed), mp_outputs(case, followed)
    for name, ball in balls.items():
        # INFLATION - 1 = 2^-20 of the radius is what the model sets aside for its own arithmetic.
        assert (difference(ball.center, exact[name]) <= 2.0**-20 * ball.radius).all()
        assert np.isfinite(ball.radius).all()


@pytest.mark.parametrize("case", SAMPLE.values(), ids=SAMPLE.keys())
def test_end_to_end_contains_200_bits_and_is_no_sharper_than_stepwise(case: Case) -> None:
    layer, exact = read_layer(case), mp_outputs(case)
    balls = end_to_end(layer)
    followed = stepwise(layer, evaluate(layer)["Y"].astype(layer.dtype))
    for name, ball in balls.items():
        assert (difference(ball.center, exact[name]) <= 2.0**-20 * ball.radius).all()
        if layer.dtype != np.float16:  # rounded outputs are less precise states than one's own
            assert (ball.radius >= followed[name].radius * (1 - 1e-5)).all()


def node_tests() -> list[Any]:
    from onnx.backend.test.case import node
    from onnx.backend.test.case.node import gru, lstm, rnn

    assert {module.__name__.rpartition(".")[2] for module in (gru, lstm, rnn)} == {"gru", "lstm", "rnn"}
    wanted = ("RNN", "GRU", "LSTM")
    return [test for test in node._NodeTestCases if test.model.graph.node[0].op_type in wanted]  # noqa: SLF001


@pytest.mark.parametrize("test", node_tests(), ids=lambda test: test.name)
def test_onnx_node_tests_lie_inside(test: Any) -> None:
    inputs, outputs = test.data_sets[0]
    names = [value.name for value in test.model.graph.input]
    case = from_model(test.model, dict(zip(names, inputs, strict=True)))
    given = {
        name: output_from_layout(name, array, read_layer(case).attributes.layout)
        for name, array in zip(case.outputs, outputs, strict=True)
    }
    # The node tests compute in float64 and round once, which the bound from end to end admits.
    balls = end_to_end(read_layer(case))
    for name, array in given.items():
        assert array.shape == balls[name].center.shape
        assert inside(balls[name], array).all()
        assert np.abs(array - balls[name].center).max() < 1e-7


def test_all_18_node_tests_are_there() -> None:
    assert len(node_tests()) == 18


def test_hand_computed_rnn() -> None:
    # One unit, one input: h1 = relu(2 * 1 - 1 * 0.5 + 0.25 + 0.125) = 1.875; h2 = relu(2 * -1 - 1.875 + 0.375) = 0.
    case = make_case("RNN", sizes=(2, 1, 1, 1), activations=("Relu",))
    tensors = {
        "X": [[[1.0]], [[-1.0]]],
        "W": [[[2.0]]],
        "R": [[[-1.0]]],
        "B": [[0.25, 0.125]],
        "initial_h": [[[0.5]]],
    }
    case = case.with_inputs(**{name: np.array(value, np.float32) for name, value in tensors.items()})
    np.testing.assert_array_equal(evaluate(read_layer(case))["Y"].ravel(), [1.875, 0.0])


def test_another_shape_of_y_is_one_clear_error() -> None:
    case = make_case("RNN")
    with pytest.raises(ValueError, match=r"Y has shape \[1, 2\], but \[seq, dirs, batch, hidden\] is \[5, 1, 3, 4\]"):
        stepwise(read_layer(case), np.zeros((1, 2), np.float32))
