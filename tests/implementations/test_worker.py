"""The worker's loop: one adapter for all requests, and every failure an answer."""

import io

import numpy as np
import pytest

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.outcome import Crashed, Raised, Ran, Refused
from gatewise_implementations import worker
from gatewise_implementations.adapter import CrashError, RefusalError, SetupError
from gatewise_implementations.protocol import (
    DescribeRequest,
    DescriptionAnswer,
    RaisedAnswer,
    Request,
    RunRequest,
    decode_answer,
    encode,
    from_answer,
    to_message,
)

ERRORS = {
    "refuse": RefusalError("no", "invalid", "direction"),
    "crash": CrashError("SIGFPE", "last words"),
    "raise": KeyError("W"),
}


class Counting:
    """Counts its runs in the output, and how often it was made."""

    made = 0

    def __init__(self, spec: str) -> None:
        Counting.made += 1
        self.runs = 0
        self.spec = spec

    def describe(self) -> Description:
        return Description(self.spec)

    def run(self, case: Case) -> Ran:
        self.runs += 1
        error = ERRORS.get(str(case.attributes.get("direction")))
        if error:
            raise error
        return Ran({"Y": np.asarray(case.inputs["X"] * self.runs)})


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "make_adapter", Counting)
    monkeypatch.setattr(Counting, "made", 0)


def run(id_: int, **attributes: str) -> RunRequest:
    return RunRequest(id_, to_message(Case("RNN", 14, attributes, {"X": np.array([2, 3], np.float32)}, ("Y",))))


def served(*requests: Request) -> list[bytes]:
    answers = io.BytesIO()
    worker.serve(lambda: worker.make_adapter("spec"), [encode(request) for request in requests], answers)
    return answers.getvalue().splitlines()


@pytest.mark.usefixtures("counting")
def test_one_adapter_answers_in_order() -> None:
    lines = served(DescribeRequest(7), run(8), run(9))
    description = decode_answer(lines[0], 7)
    assert isinstance(description, DescriptionAnswer)
    assert description.name == "spec"
    outcomes = [from_answer(decode_answer(line, id_)) for line, id_ in zip(lines[1:], (8, 9), strict=True)]
    assert [outcome.outputs["Y"].tolist() for outcome in outcomes if isinstance(outcome, Ran)] == [[2, 3], [4, 6]]
    assert Counting.made == 1


@pytest.mark.usefixtures("counting")
def test_each_exception_is_an_answer() -> None:
    faults = ("refuse", "crash", "raise")
    lines = served(*(run(id_, direction=fault) for id_, fault in enumerate(faults)))
    assert [from_answer(decode_answer(line, id_)) for id_, line in enumerate(lines)] == [
        Refused("no", "invalid", "direction"),
        Crashed("SIGFPE", "last words"),
        Raised("KeyError", "'W'"),
    ]


def test_an_adapter_that_cannot_be_made_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: str) -> None:
        raise SetupError("nothing here")

    monkeypatch.setattr(worker, "make_adapter", fail)
    assert decode_answer(served(DescribeRequest(1))[0], 1) == RaisedAnswer(1, "SetupError", "nothing here")
