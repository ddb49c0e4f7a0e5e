"""The recorder: what is run, what is turned, and how each outcome is told."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from gatewise_corpus.case import Case, same_case
from gatewise_corpus.description import Description
from gatewise_corpus.machine import this_machine
from gatewise_corpus.outcome import Crashed, Outcome, Raised, Ran, Refused, TimedOut
from gatewise_corpus.recording import Recording
from gatewise_oracle.recording import record

RUNTIME = Description("toy", {"toy": "1.2", "numpy": "9"}, {"threads": "1", "provider": "CPU"})


@pytest.fixture
def case() -> Case:
    """A valid LSTM: T=4, N=3, I=2, H=5, both directions."""
    shapes = {"X": (4, 3, 2), "W": (2, 20, 2), "R": (2, 20, 5), "initial_h": (2, 3, 5), "initial_c": (2, 3, 5)}
    inputs = {name: np.arange(math.prod(shape), dtype=np.float32).reshape(shape) for name, shape in shapes.items()}
    inputs["sequence_lens"] = np.array([4, 0, 2], np.int32)
    return Case("LSTM", 14, {"direction": "bidirectional"}, inputs, ("Y", "Y_h", "Y_c"), frozenset({"W", "R"}))


@pytest.fixture
def turned_case(case: Case) -> Case:
    """The same in layout 1."""
    inputs = dict(case.inputs)
    for name in ("X", "initial_h", "initial_c"):
        inputs[name] = inputs[name].swapaxes(0, 1)
    return case.replace(inputs=inputs).with_attributes(layout=1)


def outputs_of_layout_0() -> dict[str, np.ndarray]:
    Y = np.arange(4 * 2 * 3 * 5, dtype=np.float32).reshape(4, 2, 3, 5)
    return {"Y": Y, "Y_h": Y[-1] + 1, "Y_c": Y[0] + 1000}


class Runner:
    """Remembers the case that it was given."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome

    def __call__(self, case: Case) -> Outcome:
        self.case = case
        return self.outcome


def test_a_case_is_run_with_its_weights_as_inputs_and_told(case: Case) -> None:
    runner = Runner(Ran(outputs_of_layout_0()))
    recorded = record(case, runner, RUNTIME)
    assert same_case(runner.case, case.replace(constants=frozenset()))
    assert recorded.recording == Recording(
        runtime="toy",
        version="1.2",
        machine=this_machine().label,
        settings="threads 1; provider CPU; weights as inputs",
        outcome="ran",
    )
    for name, array in outputs_of_layout_0().items():
        np.testing.assert_array_equal(recorded.outputs[name], array)


def test_layout_1_is_run_as_layout_0_and_turned_back(case: Case, turned_case: Case) -> None:
    runner = Runner(Ran(outputs_of_layout_0()))
    recorded = record(turned_case, runner, RUNTIME)
    assert same_case(runner.case, case.replace(constants=frozenset()))
    assert recorded.recording.transposed
    expected = outputs_of_layout_0()
    for t, d, n in np.ndindex(4, 2, 3):
        np.testing.assert_array_equal(recorded.outputs["Y"][n, t, d], expected["Y"][t, d, n])
        np.testing.assert_array_equal(recorded.outputs["Y_h"][n, d], expected["Y_h"][d, n])
        np.testing.assert_array_equal(recorded.outputs["Y_c"][n, d], expected["Y_c"][d, n])
    assert all(array.flags.c_contiguous for array in recorded.outputs.values())


@pytest.mark.parametrize(
    "broken", [lambda case: case.replace(opset=13), lambda case: case.with_inputs(X=np.zeros(3, np.float32))]
)
def test_an_invalid_case_of_layout_1_is_run_as_it_is(turned_case: Case, broken: Callable[[Case], Case]) -> None:
    runner = Runner(Refused("layout must be 0"))
    invalid = broken(turned_case)
    recorded = record(invalid, runner, RUNTIME)
    assert same_case(runner.case, invalid.replace(constants=frozenset()))
    assert not recorded.recording.transposed
    assert recorded.recording.outcome == "refused"


@pytest.mark.parametrize(
    ("outcome", "word", "detail"),
    [
        (Refused("no such clip", "invalid"), "refused", "no such clip"),
        (Raised("ValueError", "bad"), "raised", "ValueError: bad"),
        (Crashed("SIGABRT", "terminate called"), "crashed", "SIGABRT"),
        (TimedOut(2.5), "timed out", "after 2.5 seconds"),
    ],
)
def test_what_did_not_run_is_told_without_outputs(case: Case, outcome: Outcome, word: str, detail: str) -> None:
    recorded = record(case, Runner(outcome), RUNTIME)
    assert (recorded.recording.outcome, recorded.recording.detail) == (word, detail)
    assert recorded.outputs == {}


def test_a_runtime_that_states_no_version_has_none() -> None:
    case = Case("RNN", 14, {}, {}, ("Y",))
    assert record(case, Runner(Refused("")), Description("nameless")).recording.version == "unknown"
