"""The suite itself under test: each planted fault is found, and at the place where it first shows."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gatewise_corpus.case import Case
from gatewise_corpus.recipes.recipe import ALL_INPUTS, Sizes, draw
from gatewise_reports.record import Result

Run = Callable[..., list[Result]]

SIZES = Sizes(seq=4, batch=3, input=2, hidden=5)
LENGTHS = [4, 2, 3]


def case(operator: str, **changes: Any) -> Case:
    """T=4, N=3, I=2, H=5, every optional input given."""
    return draw(f"planted-{operator}", operator, SIZES, **({"optional": ALL_INPUTS} | changes))


BIDIRECTIONAL = {"direction": "bidirectional"}
UNCARRIED = case("LSTM", optional=("B",))

VALUES: list[tuple[str, Case, tuple[str, str, int, int]]] = [
    ("gru_z_r_swapped", case("GRU"), ("Y", "forward", 0, 0)),
    ("gru_update_swapped", case("GRU"), ("Y", "forward", 0, 0)),
    ("lstm_i_o_swapped", case("LSTM"), ("Y", "forward", 0, 0)),
    ("lstm_f_c_swapped", case("LSTM"), ("Y", "forward", 0, 0)),
    ("recurrent_bias_ignored", case("RNN"), ("Y", "forward", 0, 0)),
    ("lengths_off_by_one", case("RNN", lengths=LENGTHS), ("Y", "forward", 1, 1)),
    ("clip_ignored", case("LSTM", attributes={"clip": 0.05}), ("Y", "forward", 0, 0)),
    ("reverse_as_forward", case("GRU", attributes={"direction": "reverse"}), ("Y", "reverse", 0, 0)),
    (
        "whole_sequence_reversed",
        case("RNN", lengths=LENGTHS, attributes={"direction": "reverse"}),
        ("Y", "reverse", 1, 0),
    ),
    ("state_from_last_step", case("GRU", lengths=LENGTHS), ("Y_h", "forward", 1, 1)),
    ("cell_is_state", case("LSTM", lengths=LENGTHS), ("Y_c", "forward", 1, 1)),
    ("peepholes_i_f_o", case("LSTM"), ("Y", "forward", 0, 0)),
    ("input_forget_ignored", case("LSTM", attributes={"input_forget": 1}), ("Y", "forward", 0, 0)),
    ("linear_before_reset_ignored", case("GRU", attributes={"linear_before_reset": 1}), ("Y", "forward", 0, 0)),
    ("activations_ignored", case("RNN", attributes={"activations": ("Softsign",)}), ("Y", "forward", 0, 0)),
    (
        "alpha_by_position",
        case("LSTM", attributes={"activations": ("Sigmoid", "LeakyRelu", "Elu"), "activation_alpha": (0.3, 0.7)}),
        ("Y", "forward", 0, 0),
    ),
    ("second_direction_shares_weights", case("LSTM", attributes=BIDIRECTIONAL), ("Y", "reverse", 0, 0)),
    ("initial_state_dropped", case("GRU"), ("Y", "forward", 0, 0)),
    ("state_not_carried", case("RNN"), ("Y", "forward", 0, 1)),
    ("cell_not_carried", UNCARRIED, ("Y", "forward", 0, 1)),
    ("coarse", case("RNN"), ("Y", "forward", 0, 0)),
]


def poisoned(value: Case) -> Case:
    """NaN past every row's length."""
    X = value.inputs["X"].copy()
    for row, length in enumerate(value.inputs["sequence_lens"]):
        X[length:, row] = np.nan
    return value.with_inputs(X=X)


@pytest.mark.parametrize(("fault", "shown_by", "place"), VALUES, ids=[fault for fault, *_ in VALUES])
def test_a_fault_is_wrong_at_the_place_where_it_first_shows(
    results: Run, fault: str, shown_by: Case, place: tuple[str, str, int, int]
) -> None:
    (result,) = results(fault, shown_by)
    assert result.verdict == "wrong"
    assert result.place is not None
    found = result.place
    assert (found.output, found.direction, found.row, found.step) == place
    assert result.outside > 0
    assert isinstance(result.ratio, str) or result.ratio > 50  # far outside, not by a hair
    assert not found.past_length


def test_a_right_implementation_passes_every_one_of_these_cases(results: Run) -> None:
    found = results("right", *(shown_by for _, shown_by, _ in VALUES))
    assert [result.verdict for result in found] == ["pass"] * len(VALUES)
    ratios = [result.ratio for result in found]
    assert all(isinstance(ratio, float) and 0 < ratio < 1 for ratio in ratios)


def test_values_past_a_rows_length_are_found_there(results: Run) -> None:
    (result,) = results("lengths_ignored", case("RNN", lengths=LENGTHS))
    assert (result.verdict, result.clause) == ("wrong", "D18")
    assert result.place is not None
    assert (result.place.row, result.place.step, result.place.past_length) == (1, 2, True)
    assert result.place.index == (2, 0, 1, 0)
    assert (result.place.low, result.place.high) == (0.0, 0.0)


def test_a_reading_of_an_open_point_is_a_deviation(results: Run) -> None:
    (result,) = results("tail_not_zero", case("GRU", lengths=LENGTHS))
    assert (result.verdict, result.clause) == ("deviates", "D18")
    assert [item.decision for item in result.explanation] == ["D18"]
    assert result.place is not None
    assert (result.place.row, result.place.step, result.place.past_length) == (1, 2, True)


def test_padding_that_is_read_shows_as_nan(results: Run) -> None:
    clean = case("LSTM", lengths=LENGTHS)
    unpoisoned, result = results("read_padding", clean, poisoned(clean))
    assert unpoisoned.verdict == "pass"
    assert result.verdict == "wrong"
    assert result.place is not None
    assert (result.place.value, result.place.step) == ("NaN", 0)


def test_the_index_is_that_of_the_cases_layout(results: Run) -> None:
    batch_first = case("LSTM", lengths=LENGTHS, attributes={"direction": "bidirectional", "layout": 1})
    (result,) = results("second_direction_shares_weights", batch_first)
    assert result.place is not None
    # The first step in reverse of row 0 is its last in time; Y is [batch, seq, dirs, hidden].
    assert (result.place.step, result.place.index) == (0, (0, 3, 1, 0))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("drop_batch_axis", "output Y has shape [4, 1, 5], but must be [4, 1, 3, 5]"),
        ("widen", "output Y is float64, but must be float32 as X is"),
    ],
)
def test_outputs_of_another_form_are_wrong(results: Run, fault: str, message: str) -> None:
    (result,) = results(fault, case("GRU"))
    assert (result.verdict, result.message) == ("wrong", message)


def test_outputs_that_depend_on_which_are_requested_are_found(results: Run) -> None:
    only_state = case("RNN", outputs=["Y_h"])
    passed, result = results("depends_on_outputs", case("RNN"), only_state)
    assert passed.verdict == "pass"
    assert (result.verdict, result.place is not None and result.place.output) == ("wrong", "Y_h")


def test_a_fault_inside_the_sequence_shows_through_its_final_state_alone(results: Run) -> None:
    """The twin that requests every output tells the step (D31)."""
    (result,) = results("state_not_carried", case("RNN", outputs=["Y_h"]))
    assert result.verdict == "wrong"
    assert result.message.startswith("in the twin of the case that requests every output, ")
    assert result.place is not None
    assert (result.place.output, result.place.step) == ("Y", 1)


@pytest.mark.parametrize(
    ("fault", "verdict", "message"),
    [
        ("crash", "crashed", "SIGABRT"),
        ("hang", "timed out", "no answer in 2 s"),
        ("raise_error", "raised", "ZeroDivisionError: no such luck"),
    ],
)
@pytest.mark.parametrize("workers", [1, 2])
def test_the_run_goes_on_after_a_crash(results: Run, fault: str, verdict: str, message: str, workers: int) -> None:
    clipped = case("RNN", attributes={"clip": 0.5})
    found = results(fault, case("RNN"), clipped, case("GRU"), time_limit=2.0, workers=workers)
    assert [result.verdict for result in found] == ["pass", verdict, "pass"]
    assert found[1].message == message


def test_an_invalid_case_that_runs_was_accepted(results: Run) -> None:
    valid = case("RNN", lengths=LENGTHS)
    invalid = valid.with_inputs(sequence_lens=np.array([5, 2, 3], np.int32))
    passed, result = results("clamps_lengths", valid, invalid)
    assert passed.verdict == "pass"
    assert (result.verdict, result.message) == ("accepted", "it ran, but a length lies outside 0..seq (D13)")
