"""The client: each fault of a planted implementation is one outcome, and the next case runs."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.outcome import Crashed, Outcome, Raised, Ran, Refused, TimedOut
from gatewise_implementations.adapter import SetupError
from gatewise_implementations.process import Worker
from gatewise_implementations.protocol import ProtocolError

WithFault = Callable[[Case, str], Case]
TIME_LIMIT = 1.0


def server(folder: Path, *arguments: str) -> str:
    return "serve:" + shlex.join([sys.executable, str(folder / "planted_server.py"), *arguments])


@pytest.fixture(scope="module")
def backend() -> Iterator[Worker]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parent / "planted"))
        with Worker("backend:planted_backend:PlantedBackend") as worker:
            yield worker


@pytest.fixture
def program(planted: Path) -> Iterator[Worker]:
    with Worker(server(planted), time_limit=TIME_LIMIT) as worker:
        yield worker


def assert_backend_runs(worker: Worker, case: Case) -> None:
    outcome = worker.run(case)
    assert isinstance(outcome, Ran)
    assert {name: array.tolist() for name, array in outcome.outputs.items()} == {
        "Y": [[19, 19]],
        "Y_h": [[19, 19], [19, 19]],
    }


def assert_program_runs(worker: Worker, case: Case) -> None:
    outcome = worker.run(case)
    assert isinstance(outcome, Ran)
    assert {name: array.tolist() for name, array in outcome.outputs.items()} == {"Y": [1, 4], "Y_h": [1, 4]}


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("exception", Raised("ZeroDivisionError", "by planted zero")),
        ("nameless", Raised("AssertionError", "AssertionError")),
        ("not implemented", Refused("no such direction here", "unsupported")),
        ("skip", Refused("skipped here", "unsupported")),
        ("incompatible", Refused("the backend says that it is not compatible with the model", "unsupported")),
        ("one output too many", Raised("ValueError", "the backend gives 3 outputs, but the model has 2")),
    ],
)
def test_what_a_backend_raises_is_its_outcome(
    backend: Worker, rnn: Case, with_fault: WithFault, fault: str, outcome: Outcome
) -> None:
    assert backend.run(with_fault(rnn, fault)) == outcome
    assert_backend_runs(backend, rnn)


def test_a_model_that_onnx_finds_wrong_is_an_invalid_one(backend: Worker, rnn: Case, with_fault: WithFault) -> None:
    outcome = backend.run(with_fault(rnn, "check"))
    assert isinstance(outcome, Refused)
    assert outcome.kind == "invalid"
    assert "ir_version" in outcome.message


@pytest.mark.parametrize(("fault", "how"), [("segfault", "SIGSEGV"), ("abort", "SIGABRT"), ("exit", "exit code 3")])
def test_a_backend_that_dies_names_the_signal_or_code(
    backend: Worker, rnn: Case, with_fault: WithFault, fault: str, how: str
) -> None:
    outcome = backend.run(with_fault(rnn, fault))
    assert isinstance(outcome, Crashed)
    assert outcome.how == how
    assert ("planted_backend.py" in outcome.stderr) == (fault != "exit")
    assert_backend_runs(backend, rnn)


@pytest.mark.parametrize("habit", ["print", "flood", "stdin"])
def test_printing_and_reading_do_not_touch_the_protocol(
    backend: Worker, rnn: Case, with_fault: WithFault, habit: str
) -> None:
    assert_backend_runs(backend, with_fault(rnn, habit))
    assert_backend_runs(backend, rnn)


def test_a_hanging_case_is_ended_at_the_time_limit(planted: Path, rnn: Case, with_fault: WithFault) -> None:
    assert planted.is_dir()
    with Worker("backend:planted_backend:PlantedBackend", time_limit=TIME_LIMIT) as worker:
        assert worker.run(with_fault(rnn, "hang")) == TimedOut(TIME_LIMIT)
        assert_backend_runs(worker, rnn)


def test_an_answer_without_the_outputs_is_left_to_the_judge(
    program: Worker, rnn: Case, with_fault: WithFault
) -> None:
    outcome = program.run(with_fault(rnn, "missing output"))
    assert isinstance(outcome, Ran)
    assert outcome.outputs == {}


@pytest.mark.parametrize(
    ("fault", "how"),
    [
        ("garbage", "the line 'this is not JSON' is not an answer of the serve protocol"),
        ("binary", "is not an answer of the serve protocol"),
        ("wrong id", "the answer has id 3, but the request has id 2"),
        ("wrong type", "Invalid value 'danced'"),
        ("description", "the answer to a case is a description"),
        ("wrong length", "tensor Y has 2 bytes of data, but uint8 of shape [7] has 7"),
        ("negative size", "tensor Y has shape [-1, -2], but no size may be negative"),
        ("no dtype", "tensor Y has dtype 'object'"),
        ("two lines", "it sent more than one line for one request"),
        ("segfault", "SIGSEGV"),
        ("real-time signal", f"signal {signal.SIGRTMIN + 1}"),
        ("exit", "exit code 3"),
        ("flood and exit", "exit code 4"),
        ("child", "exit code 5"),
    ],
)
def test_a_program_that_dies_or_babbles_has_crashed(
    program: Worker, rnn: Case, with_fault: WithFault, fault: str, how: str
) -> None:
    outcome = program.run(with_fault(rnn, fault))
    assert isinstance(outcome, Crashed)
    assert how in outcome.how
    assert_program_runs(program, rnn)


def test_a_program_that_closes_its_output_has_crashed(program: Worker, rnn: Case, with_fault: WithFault) -> None:
    assert program.run(with_fault(rnn, "close")) == Crashed("it closed its standard output")
    assert_program_runs(program, rnn)


def test_a_line_without_an_end_times_out(program: Worker, rnn: Case, with_fault: WithFault) -> None:
    assert program.run(with_fault(rnn, "no end")) == TimedOut(TIME_LIMIT)
    assert_program_runs(program, rnn)


def test_an_endless_line_is_given_up(
    planted: Path, rnn: Case, with_fault: WithFault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatewise_implementations.child.LINE_LIMIT", 2**20)
    with Worker(server(planted), time_limit=20) as worker:
        assert worker.run(with_fault(rnn, "endless line")) == Crashed("it sent a line of more than 1048576 bytes")
        assert_program_runs(worker, rnn)


def test_ten_megabytes_on_standard_error_hold_nothing_up(program: Worker, rnn: Case, with_fault: WithFault) -> None:
    assert_program_runs(program, with_fault(rnn, "flood"))
    assert_program_runs(program, rnn)


def test_a_crash_keeps_the_end_of_standard_error(program: Worker, rnn: Case, with_fault: WithFault) -> None:
    outcome = program.run(with_fault(rnn, "flood and exit"))
    assert isinstance(outcome, Crashed)
    assert outcome.stderr.endswith("eee\nthe last word\n")
    assert len(outcome.stderr) == 4096


def test_words_after_the_output_was_closed_are_kept(program: Worker, rnn: Case, with_fault: WithFault) -> None:
    assert program.run(with_fault(rnn, "close and complain")) == Crashed("exit code 6", "late words")


def test_a_pipe_that_takes_nothing_for_now_is_written_to_later(
    program: Worker, rnn: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = iter([BlockingIOError(), BlockingIOError()])

    def write(descriptor: int, data: memoryview, real: Callable[[int, memoryview], int] = os.write) -> int:
        for error in tries:
            raise error
        return real(descriptor, data)

    monkeypatch.setattr(os, "write", write)
    assert_program_runs(program, rnn)
    assert next(tries, None) is None


def test_an_answer_of_the_program_is_the_outcome(program: Worker, rnn: Case, with_fault: WithFault) -> None:
    assert program.run(with_fault(rnn, "refuse")) == Refused("no", "invalid", "direction")
    assert program.run(with_fault(rnn, "raise")) == Raised("Oops", "fell")
    outcome = program.run(with_fault(rnn, "digests"))
    assert isinstance(outcome, Ran)
    assert outcome.digests == {"one": "d1", "two": "d2"}


def test_a_program_gets_a_model_that_is_fed_what_is_not_constant(program: Worker, rnn: Case) -> None:
    outcome = program.run(rnn.replace(constants=frozenset({"W", "R", "B"})))
    assert isinstance(outcome, Ran)
    assert outcome.outputs["Y"].tolist() == [1, 1]


def test_a_request_larger_than_any_pipe_arrives(program: Worker, rnn: Case) -> None:
    assert_program_runs(program, rnn.with_inputs(W=np.ones((1, 3, 100_000), np.float32)))


def test_what_a_dying_program_started_dies_too(program: Worker, rnn: Case, with_fault: WithFault) -> None:
    outcome = program.run(with_fault(rnn, "child"))
    assert isinstance(outcome, Crashed)
    grandchild = int(outcome.stderr.removeprefix("pid "))
    assert is_gone(grandchild)


def is_gone(pid: int) -> bool:
    """Whether the process has ended; who reaps an orphan is the system's matter, so a zombie counts as gone."""
    for _ in range(100):
        state = subprocess.run(
            ["/bin/ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
        if not state.stdout.strip() or state.stdout.startswith("Z"):
            return True
        time.sleep(0.02)
    return False


def test_restarts_leave_neither_descriptors_nor_zombies(planted: Path, rnn: Case, with_fault: WithFault) -> None:
    children_before = children()
    with Worker(server(planted), time_limit=TIME_LIMIT) as worker:
        before = open_descriptors()
        for fault in ("exit", "garbage", "no end", "close", "segfault"):
            worker.run(with_fault(rnn, fault))
            assert_program_runs(worker, rnn)
        assert open_descriptors() == before
        assert len(children()) == len(children_before) + 1
    assert len(children()) == len(children_before)


def open_descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def children() -> list[str]:
    """The states of this process's children, zombies included, the ``ps`` that tells them not."""
    rows = subprocess.run(["/bin/ps", "-A", "-o", "ppid=,stat=,comm="], capture_output=True, text=True, check=True)
    found = (row.split(maxsplit=2) for row in rows.stdout.splitlines())
    return [state for parent, state, name in found if int(parent) == os.getpid() and not name.endswith("ps")]


def test_the_description_is_the_programs(program: Worker) -> None:
    assert program.describe() == Description("planted", {"planted": "7"}, decisions=("D14",))


def test_a_slow_start_has_its_own_limit(planted: Path, rnn: Case) -> None:
    with Worker(server(planted, "slow start"), time_limit=TIME_LIMIT) as worker:
        assert_program_runs(worker, rnn)


@pytest.mark.parametrize(
    ("behaviour", "sentence"),
    [
        ("never starts", "did not start within 0.5 seconds"),
        ("dies at start", r"did not start: exit code 1 \(the library is missing\)"),
        ("cannot start", "no device found"),
        ("refuses to start", "did not say what it is"),
        ("greets", "did not start: the line 'Welcome!' is not an answer"),
    ],
)
def test_a_program_that_does_not_start_is_an_error_of_the_set_up(
    planted: Path, behaviour: str, sentence: str
) -> None:
    with (
        pytest.raises(SetupError, match=sentence),
        Worker(server(planted, behaviour), start_limit=0.5 if behaviour == "never starts" else 20),
    ):
        pass


@pytest.mark.parametrize("spec", ["serve:/no/such/program", "serve:no-such-program -v"])
def test_a_missing_program_is_an_error_of_the_set_up(spec: str) -> None:
    with (
        pytest.raises(SetupError, match=r"no.such.program' cannot be started: No such file or directory"),
        Worker(spec),
    ):
        pass


def test_a_program_that_reads_nothing_times_out(planted: Path, rnn: Case) -> None:
    with Worker(server(planted, "deaf"), time_limit=TIME_LIMIT) as worker:
        assert worker.run(rnn.with_inputs(W=np.ones((1, 3, 100_000), np.float32))) == TimedOut(TIME_LIMIT)


def test_a_program_may_end_by_itself(planted: Path, tmp_path: Path) -> None:
    note = tmp_path / "note"
    with Worker(server(planted, "polite", str(note))):
        pass
    assert note.read_text() == "ended by itself"


def test_a_program_that_lingers_is_ended(planted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gatewise_implementations.child.FAREWELL_SECONDS", 0.2)
    note = tmp_path / "note"
    with Worker(server(planted, "lingers", str(note))):
        pass
    assert not note.exists()


def test_the_folder_for_temporary_files_goes_with_the_worker(planted: Path, rnn: Case, tmp_path: Path) -> None:
    script = tmp_path / "leaver.py"
    script.write_text("import os, sys, tempfile\ntempfile.mkdtemp()\nsys.exit(tempfile.gettempdir())\n")
    command = f"{shlex.join([sys.executable, str(script)])} {{model}} {{inputs}} {{outputs}}"
    with Worker(f"command:{command}") as worker:
        outcome = worker.run(rnn)
        assert isinstance(outcome, Crashed)
        folder = Path(outcome.stderr)
        assert any(folder.iterdir())
    assert not folder.exists()
    assert planted.is_dir()


def test_strings_cannot_be_sent(program: Worker, rnn: Case) -> None:
    with pytest.raises(ProtocolError, match="dtype object"):
        program.run(rnn.with_inputs(P=np.array(["a"], object)))
    assert_program_runs(program, rnn)
