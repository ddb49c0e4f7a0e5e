"""What the gate says of runtimes that people use, each option that one ignores being told as wrong."""

from collections.abc import Iterator

import pytest

from gatewise.gate import GateOptions, run_gate
from gatewise.jobs import CorpusJob, corpus_jobs
from gatewise_corpus.case import Case
from gatewise_corpus.outcome import Ran, digest
from gatewise_corpus.store import cases_root, load_entry
from gatewise_implementations.process import Worker
from gatewise_reports.record import Result


@pytest.fixture(scope="module")
def evaluator() -> Iterator[Worker]:
    """onnx's ReferenceEvaluator."""
    with Worker("onnx-reference") as worker:
        yield worker


def stored(name: str) -> Case:
    return load_entry(cases_root() / name).case


def without(case: Case, option: str) -> Case:
    if option == "sequence_lens":
        return case.with_inputs(sequence_lens=None)
    return case.with_attributes(**{option: None})


def result(spec: str, *names: str) -> list[Result]:
    jobs = [CorpusJob(name, cases_root() / name) for name in names]
    records = run_gate(jobs, GateOptions(spec, use_shipped=False))
    return [record for record in records if isinstance(record, Result) and not record.subject]


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("rnn/lengths-mixed-forward", "sequence_lens"),
        ("gru/lengths-mixed-reverse", "sequence_lens"),
        ("lstm/lengths-mixed-bidirectional", "sequence_lens"),
        ("rnn/clip-0-125", "clip"),
        ("gru/clip-0-125", "clip"),
        ("lstm/clip-0-6", "clip"),
        ("lstm/input-forget-is-1", "input_forget"),
        ("gru/activation-g-relu", "activations"),
        ("lstm/activation-h-relu", "activations"),
    ],
)
def test_what_onnx_evaluator_ignores_is_found(evaluator: Worker, name: str, option: str) -> None:
    """It gives the same bits without the option, which for none of these cases is right."""
    case = stored(name)
    given, plain = evaluator.run(case), evaluator.run(without(case, option))
    assert isinstance(given, Ran)
    assert isinstance(plain, Ran)
    assert digest(given.outputs) == digest(plain.outputs)
    (judged,) = result("onnx-reference", name)
    assert judged.verdict == "wrong"
    assert judged.place is not None


def test_what_onnx_evaluator_gets_right_passes() -> None:
    judged = result("onnx-reference", "rnn/hidden-05", "gru/smallest", "lstm/opset-22", "lstm/only-p")
    assert [one.verdict for one in judged] == ["pass"] * 4


def test_every_difference_of_onnxruntime_is_named() -> None:
    """Every seventh case here; make gate-onnxruntime judges them all."""
    jobs = [job for job in corpus_jobs() if "scratch" not in job.name][::7]
    results = [one for one in run_gate(jobs, GateOptions("onnxruntime")) if isinstance(one, Result)]
    assert [one.case for one in results if one.finding] == []
    known = {one.verdict for one in results if one.known}
    assert known >= {"deviates", "unsupported", "crashed"}
    assert sum(one.verdict == "pass" for one in results) > 100
