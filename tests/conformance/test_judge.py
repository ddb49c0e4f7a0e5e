from collections.abc import Callable, Mapping

import numpy as np
import pytest

import gatewise.judge as judge_module
from gatewise.diagnose import Diagnosis
from gatewise.judge import Judge, refusal_reason
from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_corpus.layer import read_layer
from gatewise_corpus.outcome import Crashed, Outcome, Raised, Ran, Refused, TimedOut
from gatewise_corpus.recipes.recipe import Sizes, draw
from gatewise_implementations.adapter import SetupError
from gatewise_oracle.model import stepwise
from gatewise_oracle.readings import Reading
from gatewise_reports.record import Verdict

Compute = Callable[[Case], Mapping[str, Array]]

PLAIN = Judge(Description("plain"))
EXACT = Description("exact", settings={"mode": "exact"})


def in_type(case: Case, dtype: type[np.floating]) -> Case:
    inputs = {name: array for name, array in case.inputs.items() if name == "sequence_lens"}
    floats = {name: array.astype(dtype) for name, array in case.inputs.items() if name not in inputs}
    return case.replace(inputs=floats | inputs)


def changed(outputs: Mapping[str, Array], name: str, index: tuple[int, ...], value: float) -> dict[str, Array]:
    array = outputs[name].copy()
    array[index] = value
    return {**outputs, name: array}


def test_right_outputs_pass_and_the_largest_error_is_told(gru: Case, compute: Compute) -> None:
    judgement = PLAIN(gru, Ran(compute(gru)))
    assert (judgement.verdict, judgement.judged, judgement.unconstrained) == ("pass", "stepwise", 0)
    assert 0 < judgement.ratio < 1


@pytest.mark.parametrize(
    ("outcome", "verdict", "message"),
    [
        (Refused("no such\n thing"), "unsupported", "no such thing"),
        (Crashed("SIGSEGV", "loading\nbad pointer\n"), "crashed", "SIGSEGV; its last words: bad pointer"),
        (Crashed("SIGABRT", "oh\nFatal Python error: Aborted\n..."), "crashed", "SIGABRT; its last words: oh"),
        (Crashed("exit code 3"), "crashed", "exit code 3"),
        (Raised("KeyError", "'x'"), "raised", "KeyError: 'x'"),
        (Raised("KeyError", ""), "raised", "KeyError"),
        (TimedOut(2.5), "timed out", "no answer in 2.5 s"),
    ],
)
def test_what_is_no_output_of_a_valid_case(rnn: Case, outcome: Outcome, verdict: Verdict, message: str) -> None:
    judgement = PLAIN(rnn, outcome)
    assert (judgement.verdict, judgement.message, judgement.failed) == (verdict, message, True)


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        (Refused("hidden_size is odd"), "refused"),
        (Refused("hidden_size is odd", "invalid", "hidden-size-mismatch"), "refused"),
        (Refused("hidden_size is odd", "invalid", "shape"), "wrong"),
        (Raised("IndexError", "7"), "raised"),
        (TimedOut(1.0), "timed out"),
    ],
)
def test_an_invalid_case(rnn: Case, outcome: Outcome, verdict: Verdict) -> None:
    invalid = rnn.with_attributes(hidden_size=6)
    assert PLAIN(invalid, outcome).verdict == verdict


def test_an_invalid_case_that_ran_was_accepted(rnn: Case, compute: Compute) -> None:
    judgement = PLAIN(rnn.with_attributes(hidden_size=6), Ran(compute(rnn)))
    assert judgement.verdict == "accepted"
    assert judgement.message == "it ran, but hidden_size is not R's last dimension (D20)"


def test_a_wrong_reason_is_told_with_the_right_one(rnn: Case) -> None:
    invalid = rnn.with_attributes(direction="Forward")
    message = PLAIN(invalid, Refused("bad shape", "invalid", "shape")).message
    assert message.startswith("it was refused for 'shape', but direction is not exactly")
    assert message.endswith("('direction'): bad shape")


def test_float64_may_be_refused_or_run(rnn: Case, compute: Compute) -> None:
    doubles = in_type(rnn, np.float64)
    assert refusal_reason(doubles) == "float64"
    assert PLAIN(doubles, Refused("float32 only", "unsupported", "float64")).verdict == "refused"
    assert PLAIN(doubles, Ran(compute(doubles))).verdict == "pass"
    wrong = changed(compute(doubles), "Y", (0, 0, 0, 0), 2.0)
    assert PLAIN(doubles, Ran(wrong)).verdict == "wrong"


def test_float16_is_judged_within_its_own_rounding(lstm: Case, compute: Compute) -> None:
    halves = in_type(lstm, np.float16)
    outputs = compute(halves)
    assert outputs["Y"].dtype == np.float16
    assert PLAIN(halves, Ran(outputs)).verdict == "pass"
    value = outputs["Y"][0, 0, 0, 0]
    nudged = changed(outputs, "Y", (0, 0, 0, 0), float(value) + 8 * float(np.spacing(value)))
    assert PLAIN(halves, Ran(nudged)).verdict == "wrong"


def test_a_case_beyond_the_limit_is_not_judged() -> None:
    """seq = 0 makes the case small while its scratch would not be (D36)."""
    X, W, R = np.zeros((0, 2**26, 1), np.float32), np.ones((1, 4, 1), np.float32), np.ones((1, 4, 4), np.float32)
    case = Case("RNN", 14, {}, {"X": X, "W": W, "R": R}, ("Y",))
    assert refusal_reason(case) == "scratch-limit"
    assert PLAIN(case, Ran({})).verdict == "not judged"
    assert PLAIN(case, TimedOut(1.0)).verdict == "not judged"
    assert PLAIN(case, Refused("too large", "unsupported", "scratch-limit")).verdict == "refused"
    assert PLAIN(case, Crashed("SIGKILL")).verdict == "crashed"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda outputs: {"Y": outputs["Y"]}, "output Y_h is missing"),
        (lambda outputs: {**outputs, "Y_c": outputs["Y_h"]}, "output Y_c was not requested"),
        (
            lambda outputs: {**outputs, "Y_h": outputs["Y_h"][0]},
            "output Y_h has shape [3, 5], but must be [1, 3, 5]",
        ),
        (
            lambda outputs: {**outputs, "Y": outputs["Y"].astype(np.float16)},
            "output Y is float16, but must be float32 as X is",
        ),
    ],
)
def test_the_form_of_the_outputs(
    rnn: Case, compute: Compute, change: Callable[[Mapping[str, Array]], Mapping[str, Array]], message: str
) -> None:
    judgement = PLAIN(rnn, Ran(change(compute(rnn))))
    assert (judgement.verdict, judgement.message) == ("wrong", message)


def test_configurations_must_give_equal_bits(rnn: Case, compute: Compute) -> None:
    digests = {"scalar,threads=1": "aa", "scalar,threads=3": "aa", "avx2,threads=1": "bb"}
    judgement = PLAIN(rnn, Ran(compute(rnn), digests))
    assert (judgement.verdict, judgement.clause) == ("wrong", "equal bits")
    assert judgement.message == "avx2,threads=1 gives other bits than scalar,threads=1"


def test_the_first_place_is_the_earliest_step_of_any_row(gru: Case, compute: Compute) -> None:
    """Row 2 runs in reverse from t = 2: t = 1 is its step 1; row 0 at t = 2 forward is step 2."""
    outputs = changed(changed(compute(gru), "Y", (2, 0, 0, 1), 3.0), "Y", (1, 1, 2, 4), -3.0)
    judgement = PLAIN(gru, Ran(outputs))
    place = judgement.place
    assert judgement.verdict == "wrong"
    assert place is not None
    assert (place.output, place.direction, place.row, place.step, place.unit) == ("Y", "reverse", 2, 1, 4)
    assert (place.index, place.value) == ((1, 1, 2, 4), -3.0)
    assert isinstance(place.low, float)
    assert isinstance(place.high, float)
    right = float(compute(gru)["Y"][1, 1, 2, 4])
    assert place.low < right < place.high
    assert 0 < place.high - place.low < 1e-4
    assert isinstance(place.times, float)
    assert place.times == pytest.approx(abs(-3.0 - right) / ((place.high - place.low) / 2), rel=0.05)


def test_at_the_same_step_the_direction_comes_before_the_row(gru: Case, compute: Compute) -> None:
    """Row 2 forward at t = 0, row 0 in reverse at t = 3: both are step 0."""
    outputs = changed(changed(compute(gru), "Y", (3, 1, 0, 1), 3.0), "Y", (0, 0, 2, 4), -3.0)
    place = PLAIN(gru, Ran(outputs)).place
    assert place is not None
    assert (place.direction, place.row, place.step) == ("forward", 2, 0)


def test_elements_of_all_outputs_are_counted_and_the_largest_error_is_kept(lstm: Case, compute: Compute) -> None:
    outputs = changed(changed(compute(lstm), "Y_h", (0, 0, 1), 3.0), "Y_h", (0, 0, 2), 3.0)
    outputs = changed(outputs, "Y_c", (0, 2, 3), float(compute(lstm)["Y_c"][0, 2, 3]) + 1e-3)
    judgement = PLAIN(lstm, Ran(outputs))
    assert judgement.outside == 3
    assert judgement.place is not None
    assert isinstance(judgement.place.times, float)
    assert judgement.ratio >= judgement.place.times > 1e5


def test_the_first_step_past_a_rows_length_is_past_it(rnn: Case, compute: Compute) -> None:
    judgement = PLAIN(rnn, Ran(changed(compute(rnn), "Y", (2, 0, 1, 3), 0.5)))
    assert judgement.clause == "D18"
    assert judgement.place is not None
    assert (judgement.place.past_length, judgement.place.row, judgement.place.step) == (True, 1, 2)


@pytest.mark.parametrize(("name", "index"), [("Y", (2, 3, 1, 4)), ("Y_h", (2, 1, 4))])
def test_the_index_is_that_of_the_cases_layout(name: str, index: tuple[int, ...], compute: Compute) -> None:
    attributes = {"layout": 1, "direction": "bidirectional"}
    case = draw("batch-first", "GRU", Sizes(seq=4, batch=3, input=2, hidden=5), attributes=attributes)
    judgement = PLAIN(case, Ran(changed(compute(case), name, index, 0.99)))
    assert judgement.place is not None
    assert (judgement.place.output, judgement.place.index) == (name, index)
    assert (judgement.place.row, judgement.place.direction, judgement.place.unit) == (2, "reverse", 4)


def test_a_misreading_explains_what_is_wrong_and_stays_wrong(
    rnn: Case, compute: Compute, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings = (Reading("shifted", "the state is shifted"), Reading("open", "an open point", "D18"))
    monkeypatch.setattr(judge_module, "diagnose", lambda *_: Diagnosis(readings, "only row 0"))
    judgement = PLAIN(rnn, Ran(changed(compute(rnn), "Y", (0, 0, 0, 1), 3.0)))
    assert (judgement.verdict, judgement.clause) == ("wrong", "")
    assert [(item.id, item.decision) for item in judgement.explanation] == [("shifted", ""), ("open", "D18")]
    assert judgement.message.endswith("gives these values (only row 0)")


def test_a_final_state_is_placed_at_its_rows_last_step(lstm: Case, compute: Compute) -> None:
    judgement = PLAIN(lstm, Ran(changed(compute(lstm), "Y_c", (0, 2, 3), 9.0)))
    assert judgement.place is not None
    assert (judgement.place.output, judgement.place.row, judgement.place.step) == ("Y_c", 2, 2)
    assert judgement.outside == 1


def test_an_empty_rows_state_is_exactly_zero(lstm: Case, compute: Compute) -> None:
    judgement = PLAIN(lstm, Ran(changed(compute(lstm), "Y_h", (0, 1, 2), 1e-30)))
    assert judgement.verdict == "wrong"
    assert judgement.place is not None
    assert (judgement.place.low, judgement.place.high, judgement.place.times) == (0.0, 0.0, "Infinity")


def test_an_initial_state_that_is_kept_is_a_deviation(lstm: Case, compute: Compute) -> None:
    outputs = {name: array.copy() for name, array in compute(lstm).items()}
    for state, initial in (("Y_h", "initial_h"), ("Y_c", "initial_c")):
        outputs[state][0, 1] = lstm.inputs[initial][0, 1]
    judgement = PLAIN(lstm, Ran(outputs))
    assert (judgement.verdict, judgement.clause) == ("deviates", "D14")
    assert [item.decision for item in judgement.explanation] == ["D14"]
    assert judgement.failed


def test_declared_errors_widen_the_bound(rnn: Case, compute: Compute) -> None:
    outputs = compute(rnn)
    value = float(outputs["Y"][0, 0, 0, 0])
    nudged = Ran(changed(outputs, "Y", (0, 0, 0, 0), value + 100 * 2.0**-24))
    assert PLAIN(rnn, nudged).verdict == "wrong"
    assert Judge(Description("rough", activation_errors={"RNN.Tanh": 200.0}))(rnn, nudged).verdict == "pass"


@pytest.mark.parametrize(
    ("errors", "sentence"),
    [
        ({"LSTM.Foo": 6.0}, "rough: activation error 'LSTM.Foo' names none of Relu, Tanh, "),
        ({"Tanh": -6.0}, "rough: activation error 'Tanh' is -6.0, but must be finite and not negative"),
    ],
)
def test_errors_that_are_declared_wrongly_are_refused_at_once(errors: dict[str, float], sentence: str) -> None:
    with pytest.raises(SetupError, match=f"^{sentence}"):
        Judge(Description("rough", activation_errors=errors))


def test_where_nothing_is_constrained_nothing_is_judged() -> None:
    """Every sum may overflow, so that any value is admissible."""
    X, W, R = (np.full(shape, 3e38, np.float32) for shape in ((2, 3, 4), (1, 5, 4), (1, 5, 5)))
    case = Case("RNN", 14, {"activations": ("Relu",)}, {"X": X, "W": -W, "R": R}, ("Y",))
    judgement = PLAIN(case, Ran({"Y": np.ones((2, 1, 3, 5), np.float32)}))
    assert judgement.verdict == "not judged"
    assert not judgement.failed


class TestWithoutY:
    """The twin that requests every output stands for a case that does not request Y (D31)."""

    def test_the_twin_is_run_and_the_states_are_its_own(self, gru: Case, compute: Compute) -> None:
        asked: list[Case] = []

        def rerun(case: Case) -> Outcome:
            asked.append(case)
            return Ran(compute(case))

        states = gru.replace(outputs=("Y_h",))
        judge = Judge(Description("plain"), rerun)
        assert judge(states, Ran(compute(states))).verdict == "pass"
        assert [case.outputs for case in asked] == [("Y", "Y_h")]
        off = changed(compute(states), "Y_h", (1, 2, 3), 0.77)
        judgement = judge(states, Ran(off))
        assert (judgement.verdict, judgement.clause) == ("wrong", "")
        assert judgement.place is not None
        assert (judgement.place.output, judgement.place.index) == ("Y_h", (1, 2, 3))

    def test_a_fault_of_the_twin_is_told_as_such(self, gru: Case, compute: Compute) -> None:
        judge = Judge(Description("plain"), lambda case: Ran(changed(compute(case), "Y", (0, 0, 0, 0), 5.0)))
        states = gru.replace(outputs=("Y_h",))
        judgement = judge(states, Ran(compute(states)))
        assert judgement.verdict == "wrong"
        assert judgement.message.startswith("in the twin of the case that requests every output, no float32")

    def test_the_form_of_the_twin_is_looked_at(self, gru: Case, compute: Compute) -> None:
        judge = Judge(Description("plain"), lambda case: Ran({"Y": compute(case)["Y"]}))
        states = gru.replace(outputs=("Y_h",))
        judgement = judge(states, Ran(compute(states)))
        assert judgement.message == "in the twin of the case that requests every output, output Y_h is missing"

    def test_another_right_evaluation_differs_on_d31_alone(self, chaotic: Case, compute: Compute) -> None:
        def rerun(case: Case) -> Outcome:
            """Half a radius off at every step: right, but on another path after 24 steps."""
            layer = read_layer(case)
            Y = np.zeros((24, 1, 2, 16), np.float32)
            for t in range(24):
                ball = stepwise(layer, Y)["Y"]
                Y[t] = ball.center[t] + 0.5 * ball.radius[t]
            return Ran({"Y": Y, "Y_h": Y[-1]})

        states = chaotic.replace(outputs=("Y_h",))
        judge = Judge(Description("plain"), rerun)
        judgement = judge(states, Ran(compute(states)))
        assert (judgement.verdict, judgement.clause) == ("deviates", "D31")
        assert judge(states, Ran({"Y_h": np.full((1, 2, 16), 1.5, np.float32)})).verdict == "wrong"

    def test_exact_mode_wants_the_twins_bits(self, gru: Case, compute: Compute) -> None:
        judge = Judge(EXACT, lambda case: Ran(compute(case)))
        states = gru.replace(outputs=("Y_h",))
        assert judge(states, Ran(compute(states))).verdict == "pass"
        value = compute(states)["Y_h"][0, 0, 0]
        off = changed(compute(states), "Y_h", (0, 0, 0), float(np.nextafter(value, np.float32(2))))
        judgement = judge(states, Ran(off))
        assert (judgement.verdict, judgement.clause) == ("wrong", "D31")

    def test_without_a_twin_the_bound_from_end_to_end_is_used(self, gru: Case, compute: Compute) -> None:
        states = gru.replace(outputs=("Y_h",))
        assert PLAIN(states, Ran(compute(states))).judged == "end-to-end"
        refusing = Judge(Description("plain"), lambda _: Refused("no Y here"))
        assert refusing(states, Ran(compute(states))).judged == "end-to-end"
        off = changed(compute(states), "Y_h", (0, 0, 0), 0.9)
        judgement = refusing(states, Ran(off))
        assert (judgement.verdict, judgement.judged) == ("wrong", "end-to-end")

    def test_a_bound_that_says_nothing_is_no_pass(self, chaotic: Case, compute: Compute) -> None:
        states = chaotic.replace(outputs=("Y_h",))
        judgement = PLAIN(states, Ran(compute(states)))
        assert judgement.verdict == "not judged"
        assert judgement.message.endswith("the bound from end to end is too wide to say anything")


class TestExactMode:
    def test_right_outputs_pass(self, lstm: Case, compute: Compute) -> None:
        assert Judge(EXACT)(lstm, Ran(compute(lstm))).verdict == "pass"

    def test_a_negative_zero_past_a_rows_length(self, rnn: Case, compute: Compute) -> None:
        outputs = Ran(changed(compute(rnn), "Y", (2, 0, 1, 2), -0.0))
        assert PLAIN(rnn, outputs).verdict == "pass"
        judgement = Judge(EXACT)(rnn, outputs)
        assert (judgement.verdict, judgement.clause) == ("wrong", "D18")
        assert judgement.place is not None
        assert (judgement.place.index, judgement.place.times) == ((2, 0, 1, 2), 0.0)

    def test_a_negative_zero_of_an_empty_row(self, lstm: Case, compute: Compute) -> None:
        outputs = Ran(changed(compute(lstm), "Y_c", (0, 1, 2), -0.0))
        assert PLAIN(lstm, outputs).verdict == "pass"
        assert Judge(EXACT)(lstm, outputs).clause == "D14"

    def test_nan_bits(self, rnn: Case, compute: Compute) -> None:
        X = rnn.inputs["X"].copy()
        X[0, 0, 0] = np.nan
        poisoned = rnn.with_inputs(X=X)
        outputs = compute(poisoned)
        assert Judge(EXACT)(poisoned, Ran(outputs)).verdict == "pass"
        payload = {name: array.copy() for name, array in outputs.items()}
        payload["Y"].view(np.uint32)[1, 0, 0, 4] = 0xFFC00001
        assert PLAIN(poisoned, Ran(payload)).verdict == "pass"
        judgement = Judge(EXACT)(poisoned, Ran(payload))
        assert (judgement.verdict, judgement.clause) == ("wrong", "D24")
        assert judgement.place is not None
        assert judgement.place.index == (1, 0, 0, 4)

    @pytest.mark.parametrize("operator", ["rnn", "lstm"])
    def test_a_value_beyond_the_range_of_its_activation(
        self, operator: str, request: pytest.FixtureRequest, compute: Compute
    ) -> None:
        """Saturated, so that the value just above 1 lies inside the bound."""
        case: Case = request.getfixturevalue(operator)
        saturated = case.with_inputs(B=np.full_like(case.inputs["B"], 50.0), P=None)
        if operator == "lstm":
            saturated = saturated.with_inputs(initial_c=np.full_like(case.inputs["initial_c"], 50.0))
        index = (2, 0, 0, 2)
        assert compute(saturated)["Y"][index] == 1
        above = float(np.nextafter(np.float32(1), np.float32(2)))
        outputs = Ran(changed(compute(saturated), "Y", index, above))
        assert PLAIN(saturated, outputs).verdict == "pass"
        judgement = Judge(EXACT)(saturated, outputs)
        assert (judgement.verdict, judgement.clause) == ("wrong", "D34")
        assert judgement.place is not None
        assert (judgement.place.index, judgement.place.low, judgement.place.high) == (index, -1.0, 1.0)

    def test_each_direction_has_the_range_of_its_own_activation(self, gru: Case, compute: Compute) -> None:
        names = {"activations": ("Relu", "Tanh")}
        saturated = gru.replace(operator="RNN").with_attributes(**names)
        W, R, B = (saturated.inputs[name][:, :rows] for name, rows in (("W", 5), ("R", 5), ("B", 10)))
        saturated = saturated.with_inputs(W=W, R=R, B=np.full_like(B, 50.0))
        outputs = compute(saturated)
        assert outputs["Y"][:, 0].max() > 100
        assert Judge(EXACT)(saturated, Ran(outputs)).verdict == "pass"
        above = float(np.nextafter(np.float32(1), np.float32(2)))
        judgement = Judge(EXACT)(saturated, Ran(changed(outputs, "Y", (1, 1, 0, 2), above)))
        assert judgement.clause == "D34"

    def test_an_initial_state_beyond_the_range_is_kept_where_no_step_runs(self, rnn: Case) -> None:
        empty = rnn.with_inputs(
            X=np.zeros((0, 3, 2), np.float32), sequence_lens=None, initial_h=np.full((1, 3, 5), 7.0, np.float32)
        )
        outputs = {"Y": np.zeros((0, 1, 3, 5), np.float32), "Y_h": empty.inputs["initial_h"]}
        assert Judge(EXACT)(empty, Ran(outputs)).verdict == "pass"


def test_a_case_that_is_unsupported_anyway_tells_nothing_of_its_fault(rnn: Case) -> None:
    invalid = rnn.with_attributes(direction="Forward")
    assert PLAIN(invalid, Refused("only GRU", "unsupported")).verdict == "not judged"
    assert PLAIN(invalid, Refused("no such direction")).verdict == "refused"
