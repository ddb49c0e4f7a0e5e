from collections.abc import Callable, Mapping

import numpy as np
import pytest

from gatewise.curves import MOST, error_curves
from gatewise.gate import to_result
from gatewise.judge import Judge
from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_corpus.layer import read_layer
from gatewise_corpus.outcome import Ran
from gatewise_corpus.recipes.recipe import Sizes, draw
from gatewise_oracle.ball import Ball
from gatewise_reports.record import Curve

Compute = Callable[[Case], Mapping[str, Array]]


def balls_of(case: Case, radius: float = 0.5) -> tuple[dict[str, Array], dict[str, Ball]]:
    """Zeros as outputs, and balls around zero."""
    layer = read_layer(case)
    shape = (layer.seq, len(layer.directions), layer.batch, layer.hidden)
    zeros = {"Y": np.zeros(shape), "Y_h": np.zeros(shape[1:])}
    return zeros, {
        name: Ball(array.copy(), np.full(array.shape, radius), finite=True) for name, array in zeros.items()
    }


def test_each_step_has_its_largest_error_in_the_order_of_its_direction(gru: Case) -> None:
    """Rows of 4, 2 and 3 steps; the reverse direction computes the last first."""
    outputs, balls = balls_of(gru)
    outputs["Y"][1, 0, 0, 4] = 1.0
    outputs["Y"][1, 0, 1, 2] = -3.0
    outputs["Y"][2, 1, 2, 0] = 4.0  # the first step of the row of 3
    outputs["Y"][3, 1, 2, 1] = 0.25  # past that row's length
    outputs["Y_h"][1, 1, 3] = 123.456789
    assert error_curves(read_layer(gru), outputs, balls) == (
        Curve("Y", "forward", (0.0, 6.0, 0.0, 0.0)),
        Curve("Y", "reverse", (8.0, 0.0, 0.0, 0.5)),
        Curve("Y_h", "forward", (0.0,)),
        Curve("Y_h", "reverse", (246.9,)),
    )


def test_where_nothing_is_constrained_there_is_no_error_and_no_radius_makes_it_infinite(gru: Case) -> None:
    outputs, balls = balls_of(gru)
    balls["Y"].radius[1] = np.inf
    balls["Y"].radius[2, 0, 1] = np.inf
    balls["Y"].radius[3, 0] = 0.0
    outputs["Y"][3, 0, 2, 2] = 1e-9
    outputs["Y"][0, 0, 0, 0] = np.nan
    forward, *_ = error_curves(read_layer(gru), outputs, balls)
    assert forward.errors == ("Infinity", None, 0.0, "Infinity")


@pytest.mark.parametrize(("seq", "stride", "count"), [(64, 1, 64), (65, 2, 33), (130, 3, 44)])
def test_a_long_sequence_is_told_by_the_largest_of_several_steps(seq: int, stride: int, count: int) -> None:
    case = draw("curves-long", "RNN", Sizes(seq=seq, batch=2, input=3, hidden=5))
    outputs, balls = balls_of(case)
    outputs["Y"][:, 0, 1, 2] = np.arange(seq)
    curve, _ = error_curves(read_layer(case), outputs, balls)
    assert (curve.stride, len(curve.errors)) == (stride, count)
    assert count <= MOST
    assert curve.errors == tuple(2.0 * min(stride * index + stride - 1, seq - 1) for index in range(count))


def test_a_wrong_result_has_curves_and_a_right_one_none(lstm: Case, compute: Compute) -> None:
    outputs = dict(compute(lstm))
    judge = Judge(Description("any"))
    assert to_result("a", lstm, judge(lstm, Ran(outputs))).curves == ()
    outputs["Y"] = outputs["Y"].copy()
    outputs["Y"][2, 0, 2, 1] += np.float32(0.01)
    curves = to_result("a", lstm, judge(lstm, Ran(outputs))).curves
    assert [(curve.output, curve.direction, len(curve.errors)) for curve in curves] == [
        ("Y", "forward", 4),
        ("Y_h", "forward", 1),
        ("Y_c", "forward", 1),
    ]
    errors = curves[0].errors
    assert [isinstance(error, float) and error > 100 for error in errors] == [False, False, True, False]


def test_a_case_without_y_has_the_curves_of_its_final_state(gru: Case, compute: Compute) -> None:
    alone = gru.replace(outputs=("Y_h",))
    outputs = {"Y_h": compute(alone)["Y_h"] + np.float32(0.5)}
    judgement = Judge(Description("any"))(alone, Ran(outputs))
    assert judgement.judged == "end-to-end"
    assert [(curve.output, curve.direction) for curve in judgement.curves] == [("Y_h", "forward"), ("Y_h", "reverse")]
    assert all(isinstance(error, float) and error > 1 for curve in judgement.curves for error in curve.errors)
