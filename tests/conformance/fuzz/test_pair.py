"""Two implementations compared directly: what one of them has alone is told, what both have is not."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gatewise.fuzz.bench import FuzzBench, Subject
from gatewise.fuzz.pair import Pair, _around, _between
from gatewise.judge import Judge
from gatewise.judgement import Judgement
from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_corpus.layer import read_layer
from gatewise_corpus.outcome import Ran
from gatewise_corpus.recipes.recipe import Sizes, draw
from gatewise_oracle.ball import UNIT, Ball, distance
from gatewise_oracle.model import evaluate
from gatewise_reports.record import Result

MUTANT = f"serve:{sys.executable} -m gatewise.mutant"
SIZES = Sizes(seq=5, batch=3, input=2, hidden=4)
RAGGED = draw("pair-ragged", "GRU", SIZES, lengths=[5, 2, 3], attributes={"direction": "bidirectional"})
FULL = draw("pair-full", "GRU", SIZES)

Compare = Callable[[str, str, Case], Result]


@pytest.fixture
def compare() -> Compare:
    def run(spec: str, against: str, case: Case) -> Result:
        with FuzzBench(Subject(spec, against)) as bench:
            return bench.run(case)

    return run


@pytest.mark.parametrize("outputs", [("Y", "Y_h"), ("Y_h",)], ids="+".join)
def test_what_one_has_alone_differs_and_the_model_says_whose_it_is(
    compare: Compare, outputs: tuple[str, ...]
) -> None:
    case = RAGGED.replace(outputs=outputs)
    result = compare("reference:scalar,threads=1", f"{MUTANT} lengths-ignored", case)
    assert (result.verdict, result.message) == ("differs", f"by the model {MUTANT} lengths-ignored is wrong")
    assert [each.id for each in result.explanation] == ["lengths-ignored"]
    mirrored = compare(f"{MUTANT} lengths-ignored", "reference:scalar,threads=1", case)
    assert (mirrored.verdict, mirrored.message) == ("differs", "by the model it is wrong")
    assert mirrored.outside == result.outside > 0


def test_what_both_have_is_no_difference(compare: Compare) -> None:
    spec = f"{MUTANT} gru-gates-rzh"
    result = compare(spec, f"{spec} lengths-ignored", FULL)
    assert (result.verdict, result.outside) == ("pass", 0)
    assert compare(spec, f"{spec} lengths-ignored", RAGGED).verdict == "differs"


def test_chaotic_recurrences_can_be_compared(compare: Compare) -> None:
    case = draw("pair-chaotic", "RNN", Sizes(seq=40, batch=2, input=3, hidden=16))
    case = case.with_inputs(R=case.inputs["R"] * np.float32(3))
    result = compare("onnxruntime", "reference:scalar,threads=1", case)
    assert result.verdict == "pass"
    assert 0 < float(result.ratio) <= 1
    assert result.unconstrained == 0


def test_exact_modes_must_agree_to_the_bit(compare: Compare) -> None:
    assert compare("reference:scalar,threads=1", "reference:sse2,threads=3", RAGGED).verdict == "pass"


def test_one_that_refuses_a_valid_case_is_not_compared_and_one_that_runs_an_invalid_one_is_told(
    compare: Compare,
) -> None:
    batch_first = draw("pair-layout", "GRU", SIZES, attributes={"layout": 1})
    assert compare("onnxruntime", "reference:scalar", batch_first).verdict == "not judged"
    beyond = RAGGED.with_inputs(sequence_lens=np.array([9, 2, 3], np.int32))
    result = compare("reference:scalar", f"{MUTANT} lengths-clamped", beyond)
    assert result.verdict == "accepted"
    assert result.message == f"it refuses, and {MUTANT} lengths-clamped runs"
    assert compare("reference:scalar", "reference:sse2", beyond).verdict == "refused"


class Fixed:
    """Gives the right outputs of an RNN, Y and with it Y_h moved by so much."""

    def __init__(self, moved: float, description: Description) -> None:
        self.moved, self.description = moved, description

    def describe(self) -> Description:
        return self.description

    def run(self, case: Case) -> Ran:
        right = evaluate(read_layer(case))
        return Ran({name: (right[name] + self.moved).astype(np.float32) for name in case.outputs})


def compared(first: Fixed, second: Fixed) -> Judgement:
    workers: Any = (first, second)
    judges = (Judge(each.describe(), each.run) for each in (first, second))
    case = draw("pair-fixed", "RNN", Sizes(seq=1, batch=3, input=2, hidden=4))
    return Pair("the other", *workers, *judges).compare(case, lambda judge: judge)


@pytest.mark.parametrize(
    ("errors", "verdict"), [((100.0, 0.0), "pass"), ((0.0, 100.0), "pass"), ((40.0, 5.0), "differs")]
)
def test_they_may_part_by_the_errors_of_both(errors: tuple[float, float], verdict: str) -> None:
    descriptions = [Description("", activation_errors={"Tanh": error}) for error in errors]
    first, second = (Fixed(moved, each) for moved, each in zip((0, 80 * UNIT), descriptions, strict=True))
    assert compared(first, second).verdict == verdict


def test_one_bit_tells_two_exact_modes_apart() -> None:
    exact = Description("", settings={"mode": "exact"})
    assert compared(Fixed(0.0, exact), Fixed(0.0, exact)).verdict == "pass"
    judgement = compared(Fixed(0.0, exact), Fixed(2 * UNIT, exact))
    assert (judgement.verdict, judgement.clause) == ("differs", "equal bits")
    assert judgement.message == "output Y has other bits than that of the other"


def test_states_of_two_are_one_ball() -> None:
    first = np.array([1.0, np.nan, np.inf, 2.0, np.nan], np.float32)
    second = np.array([3.0, np.nan, np.inf, np.nan, 1.0], np.float32)
    ball = _between(first, second)
    assert ball.center[0] == 2
    assert list(ball.radius) == [1, 0, 0, np.inf, np.inf]
    assert np.isnan(ball.center[1])
    assert ball.center[2] == np.inf
    halves = _between(first[:1].astype(np.float16), second[:1].astype(np.float16))
    assert halves.radius[0] == 1 + 2.0**-10


def test_numbers_are_free_where_the_formulas_give_none_and_nothing_else_is() -> None:
    def outside(array: float, other: float, center: float, radius: float) -> bool:
        def one(value: float) -> Array:
            return np.array([value], np.float64)

        ball = Ball(one(center), one(radius), bool(np.isfinite(center) and np.isfinite(radius)))
        return bool(distance(_around(one(other), ball, one(array)), one(array))[0] > 1)

    assert not outside(1.5, 1.0, 7.0, 0.5)
    assert outside(1.6, 1.0, 7.0, 0.5)
    assert not outside(1.6, 1.0, np.nan, 0.0)
    assert outside(np.nan, 1.0, np.nan, 0.0)
    assert outside(1.0, np.nan, np.nan, 0.0)
    assert not outside(np.nan, np.nan, np.nan, 0.0)
    assert not outside(np.nan, 1.0, 0.0, np.inf)
