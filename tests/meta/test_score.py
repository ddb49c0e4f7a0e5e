"""The mutation score: every misreading is noticed by the corpus, and what is called equivalent is."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gatewise.gate import GateOptions, run_gate
from gatewise.jobs import CorpusJob
from gatewise.judge import Judge
from gatewise.mutant import BY_NAME, Mutant, make_mutant, outputs_under
from gatewise.onnx_tests import node_tests, noticing_tests
from gatewise.score import Row, Subject, corpus_subjects, failing, in_process, in_worker, score, smallest_corpus
from gatewise_corpus.description import Description
from gatewise_corpus.outcome import Ran
from gatewise_corpus.store import cases_root
from gatewise_implementations.adapter import RefusalError, SetupError
from gatewise_oracle.misreadings import MISREADINGS
from gatewise_oracle.readings import EVERY_OPERATOR, Reading, outside
from gatewise_reports.record import Result


@pytest.fixture(scope="module")
def cases() -> list[Subject]:
    return corpus_subjects()


def test_the_model_passes_every_case(cases: list[Subject]) -> None:
    assert failing(cases) == []


def test_every_misreading_is_noticed_on_every_operator_that_it_can_touch(cases: list[Subject]) -> None:
    rows = [row for rows in score(MISREADINGS, cases, first_only=True) for row in rows]
    assert [(row.reading.name, row.operator) for row in rows if not row.noticed] == []
    assert len(rows) == sum(len(reading.operators) for reading in MISREADINGS)


@pytest.mark.parametrize(
    ("reading", "operator"),
    [(reading, operator) for reading in MISREADINGS for operator in reading.equivalent],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_an_equivalent_misreading_gives_right_outputs(reading: Reading, operator: str, cases: list[Subject]) -> None:
    everywhere = replace(reading, operators=EVERY_OPERATOR, applies=lambda *_: True)
    halves = [each for each in cases if each.layer and each.layer.operator.name == operator]
    if "float16" in reading.name:
        halves = [each for each in halves if each.layer and each.layer.dtype == np.float16]
    assert len(halves) > 2
    judge = Judge(Description("mutant"))
    for each in halves:
        outputs = outputs_under(each.case, (everywhere,))
        if "Y" in outputs:
            assert not judge(each.case, Ran(outputs)).failed


def test_a_misreading_explains_the_outputs_of_its_mutant(cases: list[Subject]) -> None:
    rows = [row for rows in score(MISREADINGS, cases, first_only=True) for row in rows if row.noticed]
    by_name = {each.name: each for each in cases}
    unexplained = []
    for row in rows:
        case = by_name[row.noticed[0]].case
        outputs = outputs_under(case, (row.reading,))
        # An output of another shape is told by its form, and nothing is compared.
        if row.reading.name in {"single-direction-dropped", "omitted-outputs-move-up"}:
            continue
        if outside(case, outputs, readings=(row.reading,)):
            unexplained.append((row.reading.name, row.operator, row.noticed[0]))
    assert unexplained == []


def test_a_mutant_is_the_same_in_a_worker(cases: list[Subject]) -> None:
    reading = BY_NAME["lstm-gates-ifco"]
    some = [each for each in cases if each.name in {"lstm/smallest", "lstm/invalid-direction-empty"}]
    assert len(some) == 2
    with in_worker(reading) as remote, in_process(reading) as local:
        for each in some:
            here, there = local(each.case), remote(each.case)
            if isinstance(here, Ran):
                assert isinstance(there, Ran)
                assert all(np.array_equal(here.outputs[name], there.outputs[name]) for name in each.case.outputs)
            else:
                assert here == there
        (rows,) = list(score([reading], some, in_worker))
    assert rows == [Row(reading, "LSTM", ("lstm/smallest",), ("lstm/smallest",))]


def test_the_gate_names_the_misreading_of_a_mutant() -> None:
    name = "lstm/report-peepholes-apart"
    jobs = [CorpusJob(name, cases_root() / name)]
    spec = f"serve:{sys.executable} -m gatewise.mutant peepholes-ifo"
    results = [record for record in run_gate(jobs, GateOptions(spec)) if isinstance(record, Result)]
    assert [
        (result.verdict, [each.id for each in result.explanation]) for result in results if not result.subject
    ] == [("wrong", ["peepholes-ifo"])]


def test_a_mutant_refuses_what_it_does_not_forgive(cases: list[Subject]) -> None:
    negative = next(each.case for each in cases if each.name == "gru/invalid-length-negative")
    with pytest.raises(RefusalError, match=r"sequence_lens\[0\] is -1"):
        Mutant((BY_NAME["direction-in-any-case"],)).run(negative)
    with pytest.raises(RefusalError, match=r"sequence_lens\[0\] is -1"):
        Mutant((BY_NAME["lengths-ignored"],)).run(negative)
    forgiven = Mutant((BY_NAME["lengths-clamped"],)).run(negative)
    np.testing.assert_array_equal(forgiven.outputs["Y_h"][0, 0], 0)
    with pytest.raises(SetupError, match="there is no misreading 'none'"):
        make_mutant(["none"])


def test_onnx_s_node_tests_notice_some_and_not_others() -> None:
    assert len(node_tests()) == 18
    # Their LSTM weights are all 0.1, so the order of gates cannot show.
    assert noticing_tests(BY_NAME["lstm-gates-ifco"], "LSTM") == []
    assert noticing_tests(BY_NAME["recurrence-ignored"], "LSTM") != []
    assert noticing_tests(BY_NAME["layout-ignored"], "GRU") == ["test_gru_batchwise"]


def test_the_smallest_corpus_is_chosen_greedily() -> None:
    one, other, third = MISREADINGS[:3]
    rows = [
        Row(one, "GRU", ("a", "b", "c"), ("a", "b")),
        Row(other, "GRU", ("a", "b", "c"), ("b", "c")),
        Row(third, "GRU", ("a", "d"), ("d",)),
        Row(third, "LSTM", ("a",), ()),
    ]
    assert smallest_corpus(rows) == ["b", "d"]


DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_has_every_pair_and_no_misreading_that_is_not_noticed() -> None:
    lines = (DOCS / "score.md").read_text(encoding="utf-8").splitlines()
    cells = {line.split(" | ")[0].removeprefix("| "): line.split("|")[2:5] for line in lines if line.startswith("| ")}
    for reading in MISREADINGS:
        for operator, cell in zip(EVERY_OPERATOR, cells[reading.name], strict=True):
            noticed, _, touched = cell.strip().partition("/")
            assert bool(touched) == (operator in reading.operators), reading.name
            assert not touched or int(noticed) > 0, reading.name
