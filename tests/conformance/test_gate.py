from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest

import gatewise.gate as gate_module
from gatewise.gate import GateOptions, run_gate
from gatewise.generate import fresh_case
from gatewise.jobs import CorpusJob, Job, LoadedCase, corpus_jobs, fresh_jobs, select
from gatewise.known_failures import RECORDED
from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_corpus.exact_hashes import EXACT_HASHES, format_hashes
from gatewise_corpus.machine import Machine, this_machine
from gatewise_corpus.outcome import Outcome, Ran, Refused
from gatewise_corpus.recording import Recording
from gatewise_corpus.store import About, save_entry
from gatewise_implementations.adapter import SetupError
from gatewise_reports.record import Footer, Header, Record, Result, Stale

Compute = Callable[[Case], Mapping[str, Array]]


@dataclass(frozen=True, eq=False)
class NamedCase:
    name: str
    case: Case
    given: Mapping[str, Array]
    subject: str = ""

    @property
    def selection(self) -> str:
        return f"--only {self.name}"

    def load(self) -> LoadedCase:
        return LoadedCase(self.case, self.given, self.subject)


class FakeWorker:
    """Computes right outputs in this process; refuses what has a clip."""

    compute: Compute
    description = Description("fake", {"fake": "1"}, {"kind": "test"}, decisions=("D14",))

    def __init__(self, spec: str, time_limit: float) -> None:
        self.spec = spec
        self.time_limit = time_limit

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def describe(self) -> Description:
        return self.description

    def run(self, case: Case) -> Outcome:
        if "clip" in case.attributes:
            return Refused("no clip")
        return Ran(type(self).compute(case))


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, compute: Compute) -> None:
    """The gate's workers are fakes."""
    monkeypatch.setattr(FakeWorker, "compute", staticmethod(compute), raising=False)
    monkeypatch.setattr(gate_module, "Worker", FakeWorker)


def run(jobs: list[Job], **options: Any) -> list[Record]:
    return list(run_gate(jobs, GateOptions("fake", **options)))


@pytest.fixture
def jobs(rnn: Case, gru: Case, lstm: Case) -> list[Job]:
    """A passing case, a refused one, and two more that pass."""
    clipped = gru.with_attributes(clip=0.5)
    cases = {"rnn/a": rnn, "gru/b": clipped, "gru/c": gru, "lstm/d": lstm}
    return [NamedCase(name, case, {}) for name, case in cases.items()]


@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_is_header_results_in_order_and_footer(jobs: list[Job], workers: int) -> None:
    header, *results, footer = run(jobs, workers=workers, seed=9, told={"cases": "here"}, again="gatewise gate")
    assert isinstance(header, Header)
    assert (header.spec, header.cases, header.seed, header.options) == ("fake", 4, 9, {"cases": "here"})
    assert (header.implementation.name, header.implementation.versions) == ("fake", {"fake": "1"})
    assert header.implementation.decisions == ("D14",)
    assert header.machine == this_machine().label
    told = [(result.case, result.verdict, result.again) for result in results if isinstance(result, Result)]
    assert told == [
        ("rnn/a", "pass", ""),
        ("gru/b", "unsupported", "gatewise gate --only gru/b"),
        ("gru/c", "pass", ""),
        ("lstm/d", "pass", ""),
    ]
    assert isinstance(footer, Footer)
    assert (footer.verdicts, footer.findings, footer.complete) == ({"pass": 3, "unsupported": 1}, 1, True)


@pytest.mark.usefixtures("fake")
def test_the_header_names_the_machine_that_the_implementation_says(
    jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine("z15", "s390x", system="Linux", emulator="qemu-s390x 7.2")
    monkeypatch.setattr(FakeWorker, "description", Description("far", machine=machine))
    header = run(jobs)[0]
    assert isinstance(header, Header)
    assert header.machine == "z15 s390x Linux in qemu-s390x 7.2"


@pytest.mark.usefixtures("fake")
def test_fail_fast_stops_at_the_first_finding(jobs: list[Job]) -> None:
    _, *results, footer = run(jobs, fail_fast=True)
    assert [result.case for result in results if isinstance(result, Result)] == ["rnn/a", "gru/b"]
    assert isinstance(footer, Footer)
    assert not footer.complete


@pytest.mark.usefixtures("fake")
def test_a_known_failure_is_no_finding_and_a_stale_entry_is_one(jobs: list[Job], tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(
        '[[known]]\nreason = "no clip here"\nverdict = "unsupported"\nwhen = { clip = "positive" }\n'
        '[[known]]\nreason = "gone"\nverdict = "wrong"\nwhen = { operator = "LSTM" }\n'
        '[[known]]\nreason = "never"\nverdict = "wrong"\nwhen = { opset = "7" }\n'
    )
    records = run(jobs, known_failures=[path], stale="given")
    assert [record.known for record in records if isinstance(record, Result)] == ["", "no clip here", "", ""]
    assert [(record.file, record.entry) for record in records if isinstance(record, Stale)] == [
        ("known.toml", 2),
        ("known.toml", 3),
    ]
    assert isinstance(records[-1], Footer)
    assert records[-1].findings == 2
    selection = run(jobs, known_failures=[path], stale="none")
    assert not any(isinstance(record, Stale) for record in selection)
    whole = run(jobs, known_failures=[path], stale="all")
    files = {record.file for record in whole if isinstance(record, Stale)}
    assert files == {"known.toml", "recorded-onnxruntime.toml"}


@pytest.mark.usefixtures("fake")
def test_a_deviation_that_the_implementation_declares_is_expected(
    monkeypatch: pytest.MonkeyPatch, compute: Compute, lstm: Case
) -> None:
    def keep_state(case: Case) -> Mapping[str, Array]:
        outputs = {name: array.copy() for name, array in compute(case).items()}
        outputs["Y_h"][0, 1], outputs["Y_c"][0, 1] = case.inputs["initial_h"][0, 1], case.inputs["initial_c"][0, 1]
        return outputs

    monkeypatch.setattr(FakeWorker, "compute", staticmethod(keep_state))
    result = run([NamedCase("lstm/x", lstm, {})])[1]
    assert isinstance(result, Result)
    assert (result.verdict, result.clause, result.known) == ("deviates", "D14", "the implementation declares D14")
    monkeypatch.setattr(FakeWorker, "description", Description("fake"))
    result = run([NamedCase("lstm/x", lstm, {})])[1]
    assert isinstance(result, Result)
    assert result.finding


@pytest.mark.usefixtures("fake")
def test_outputs_beside_a_case_are_judged_as_well(compute: Compute, rnn: Case, gru: Case) -> None:
    off = {**compute(gru), "Y_h": compute(gru)["Y_h"] + np.float32(0.01)}
    records = run([NamedCase("rnn/a", rnn, compute(rnn), "them 1.0"), NamedCase("gru/b", gru, off, "them 1.0")])
    told = [(record.case, record.subject, record.verdict) for record in records if isinstance(record, Result)]
    assert told == [
        ("rnn/a", "", "pass"),
        ("rnn/a", "them 1.0", "pass"),
        ("gru/b", "", "pass"),
        ("gru/b", "them 1.0", "wrong"),
    ]


@pytest.mark.usefixtures("fake")
def test_a_recording_has_known_failures_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compute: Compute, gru: Case
) -> None:
    path = tmp_path / "recorded.toml"
    path.write_text('[[known]]\nreason = "long ago"\nverdict = "wrong"\nwhen = { operator = "GRU" }\n')
    own = tmp_path / "own.toml"
    own.write_text('[[known]]\nreason = "never"\nverdict = "wrong"\nwhen = { operator = "GRU" }\n')
    load = gate_module.load_known_failures
    monkeypatch.setattr(
        gate_module, "load_known_failures", lambda paths, name="": load([path] if name == RECORDED else paths)
    )
    off = {**compute(gru), "Y_h": compute(gru)["Y_h"] + np.float32(0.01)}
    records = run([NamedCase("gru/b", gru, off, "them 1.0")], known_failures=[own], stale="all")
    told = [(record.verdict, record.known) for record in records if isinstance(record, Result)]
    assert told == [("pass", ""), ("wrong", "long ago")]
    assert [record.file for record in records if isinstance(record, Stale)] == ["own.toml"]


@pytest.mark.usefixtures("fake")
def test_a_case_beyond_the_scratch_limit_is_run_in_exact_mode_only(monkeypatch: pytest.MonkeyPatch) -> None:
    X, W, R = np.zeros((0, 2**26, 1), np.float32), np.ones((1, 4, 1), np.float32), np.ones((1, 4, 4), np.float32)
    job = NamedCase("rnn/huge", Case("RNN", 14, {}, {"X": X, "W": W, "R": R}, ("Y",)), {})
    monkeypatch.setattr(FakeWorker, "compute", staticmethod(lambda _: pytest.fail("it was run")))
    result = run([job])[1]
    assert isinstance(result, Result)
    assert result.verdict == "not judged"
    refused = Refused("too large", "unsupported", "scratch-limit")
    monkeypatch.setattr(FakeWorker, "description", Description("fake", settings={"mode": "exact"}))
    monkeypatch.setattr(FakeWorker, "run", lambda *_: refused)
    result = run([job])[1]
    assert isinstance(result, Result)
    assert (result.verdict, result.message) == ("refused", "too large")


def test_corpus_jobs_bring_the_recording_of_what_ran_and_the_exact_hashes(
    tmp_path: Path, rnn: Case, compute: Compute
) -> None:
    ran = Recording("onnxruntime", "1.0", "here", "1 thread", "ran")
    save_entry(tmp_path, "rnn/ran", rnn, About("why", "hand", recording=ran), compute(rnn))
    refused = Recording("onnxruntime", "1.0", "here", "1 thread", "refused", "no")
    save_entry(tmp_path, "rnn/refused", rnn, About("why", "hand", recording=refused))
    hashes = {"rnn/ran": "1" * 64, "rnn/refused": "2" * 64}
    (tmp_path / EXACT_HASHES).write_text(format_hashes(hashes))
    jobs = corpus_jobs(tmp_path)
    assert [job.name for job in jobs] == ["rnn/ran", "rnn/refused"]
    assert {job.name: job.load().exact_hash for job in jobs} == hashes
    loaded = [job.load() for job in jobs]
    assert loaded[0].subject == "recorded onnxruntime 1.0"
    assert loaded[0].given.keys() == {"Y", "Y_h"}
    assert (loaded[1].subject, dict(loaded[1].given)) == ("", {})


def test_jobs_are_selected_by_name() -> None:
    jobs: list[Job] = [CorpusJob(name, Path()) for name in ("rnn/a", "rnn/b", "gru/a")]
    assert [job.name for job in select(jobs, "rnn/*")] == ["rnn/a", "rnn/b"]
    assert select(jobs, "") == jobs
    assert select(jobs, "rnn") == []


def test_fresh_jobs_say_how_to_make_them_again() -> None:
    jobs = fresh_jobs(5, 3)
    name = f"{fresh_case(3, 4).operator.lower()}/fresh-3-0004"
    assert jobs[4].name == name
    assert jobs[4].selection == f"--examples 5 --seed 3 --only {name}"
    assert [job.name for job in select(jobs, "*/fresh-3-0002")] == [jobs[2].name]


def test_an_implementation_that_is_not_there() -> None:
    with pytest.raises(SetupError, match="'nonsense' is not one of"):
        list(run_gate([], GateOptions("nonsense")))
