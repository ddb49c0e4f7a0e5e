"""The model of BNNS' gru: one small call for each contradiction of the page, with the values of each reading."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gatewise_corpus.layer import read_layer
from gatewise_implementations.bnns.call import Call
from gatewise_implementations.bnns.model import Readings, gru
from gatewise_implementations.bnns.translation import from_bnns, to_outputs
from gatewise_oracle.model import evaluate


def blank(steps: int, inputs: int, hidden: int, **changes: Any) -> Call:
    """A call in float32 for one row: every tensor 0 but for the changes, the new gate linear, so that r = z = 1/2."""
    tensors = {
        "x": np.zeros((steps, 1, inputs)),
        "initial_hidden_states": np.zeros((1, hidden)),
        "input_hidden_weight": np.zeros((3 * hidden, inputs)),
        "hidden_hidden_weight": np.zeros((3 * hidden, hidden)),
        "bias": np.zeros(3 * hidden),
        "input_bias": np.zeros(3 * hidden),
    }
    given = {name: changes.pop(name, tensor) for name, tensor in tensors.items()}
    arrays = {name: np.asarray(tensor, np.float32) for name, tensor in given.items()}
    return Call(**arrays, activation="linear", **changes)


RESET = blank(
    1,
    1,
    2,
    initial_hidden_states=[[1, 2]],
    hidden_hidden_weight=[[0, 0], [0, 0], [0, 4], [1, 0], [0, 0], [0, 0]],
    bias=[0, 100, 0, 0, 0, 0],
    apply_reset_gate_after_mat_mul=False,
)
"""r = (1/2, 1): W_hn h = (8, 1) times r is (4, 1); W_hn of r h = (1/2, 2) is (8, 1/2). Then h = (n + (1, 2)) / 2."""
BIASES = blank(
    1,
    1,
    2,
    bias=[0, 0, 1, -3, 0, 0],
    input_bias=[0, 0, 2, 5, 0, 0],
    apply_reset_gate_after_mat_mul=False,
)
"""n = b_in + b_hn = (3, 2), or bias alone, (1, -3). Then h = n / 2."""
REVERSE = blank(3, 1, 1, x=[[[1]], [[4]], [[2]]], input_hidden_weight=[[0], [1], [0]], direction="reverse")
"""From the last step on h is 2 / 2 = 1, (4 + 1) / 2 = 5/2, (1 + 5/2) / 2 = 7/4."""

APART = [
    (RESET, Readings(reset="formula"), [[2.5, 1.5]], [2.5, 1.5]),
    (RESET, Readings(reset="name"), [[4.5, 1.25]], [4.5, 1.25]),
    (BIASES, Readings(biases="formula"), [[1.5, 1]], [1.5, 1]),
    (BIASES, Readings(biases="parameter"), [[0.5, -1.5]], [0.5, -1.5]),
    (REVERSE, Readings(reverse="time"), [[1.75], [2.5], [1]], [1.75]),
    (REVERSE, Readings(reverse="index"), [[1.75], [2.5], [1]], [1]),
    (REVERSE, Readings(reverse="processing"), [[1], [2.5], [1.75]], [1.75]),
]


@pytest.mark.parametrize(("call", "readings", "output", "hidden_states"), APART)
def test_each_reading_gives_values_of_its_own(
    call: Call, readings: Readings, output: list[list[float]], hidden_states: list[float]
) -> None:
    result = gru(call, readings)
    np.testing.assert_array_equal(result.output[:, 0], output)
    np.testing.assert_array_equal(result.hidden_states[0], hidden_states)
    assert result.output.dtype == result.hidden_states.dtype == np.float32


@pytest.mark.parametrize(("call", "readings"), [(call, readings) for call, readings, *_ in APART])
def test_the_onnx_case_of_each_reading_has_its_values(call: Call, readings: Readings) -> None:
    layer = read_layer(from_bnns(call, readings))
    expected = evaluate(layer)
    given = to_outputs(gru(call, readings), layer, readings)
    for name in ("Y", "Y_h"):
        np.testing.assert_allclose(given[name], expected[name], rtol=0, atol=1e-7)


def test_one_step_is_put_out_on_request() -> None:
    for readings, last in (
        (Readings(), 1.75),
        (Readings(reverse="index"), 1),
        (Readings(reverse="processing"), 1.75),
    ):
        result = gru(replace(REVERSE, output_sequence=False), readings)
        assert result.output.shape == (1, 1, 1)
        assert result.output[0, 0, 0] == result.hidden_states[0, 0] == last


def test_after_the_product_r_multiplies_the_bias_too() -> None:
    call = blank(1, 1, 2, bias=[0, 100, 6, -3, 0, 0], input_bias=[0, 0, 2, 5, 0, 0])
    np.testing.assert_array_equal(gru(call, Readings()).hidden_states, [[2.5, 1]])
    for readings in (Readings(reset="name"), Readings(biases="parameter")):
        np.testing.assert_array_equal(gru(call, readings).hidden_states, [[2.5, 1]])


def test_z_keeps_the_state_and_the_activations_are_the_ones_asked_for() -> None:
    state = [[-2, 3]]
    call = blank(1, 1, 2, initial_hidden_states=state, bias=[0, 0, -2, 3, 100, -100], recurrent_activation="sigmoid")
    np.testing.assert_array_equal(gru(call, Readings()).hidden_states, [[-2, 1.5]])
    call = replace(call, activation="relu", input_bias=np.float32([0, 0, -4, 0, -100, 0]))
    np.testing.assert_array_equal(gru(call, Readings()).hidden_states, [[-1, 1.5]])
    call = replace(call, activation="tanh", recurrent_activation="relu", bias=np.float32([1, 2, 0, 0, 0, 0]))
    np.testing.assert_allclose(gru(call, Readings()).hidden_states, [[np.tanh(-4), 0]], rtol=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bias": np.zeros(2, np.float32)}, r"^bias is float32 \[2\], but must be float32 \[3\]$"),
        ({"x": np.zeros((3, 1, 1))}, r"^x is float64 \[3, 1, 1\], but must be float32 \[3, 1, 1\]$"),
        ({"hidden_hidden_weight": np.zeros((1, 3), np.float32)}, r"^hidden_hidden_weight is float32 \[1, 3\], but"),
    ],
)
def test_other_shapes_and_types_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(REVERSE, **change)
