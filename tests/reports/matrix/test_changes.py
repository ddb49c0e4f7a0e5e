from dataclasses import replace

import msgspec

from gatewise_corpus.store import Entry
from gatewise_reports.matrix.changes import Change, version_steps
from gatewise_reports.matrix.matrix import Matrix, make_matrix
from gatewise_reports.record import Implementation, Verdict
from gatewise_reports.report import Report


def versioned(report: Report, version: str, spec: str = "engine") -> Report:
    header = msgspec.structs.replace(
        report.header, implementation=Implementation("engine", {"engine": version}), spec=spec
    )
    return replace(report, header=header)


def test_what_was_fixed_and_what_broke_from_one_version_to_the_next(matrix: Matrix) -> None:
    (step,) = version_steps(matrix)
    assert (step.older.name, step.newer.name, step.cases) == ("engine 1.2.0", "engine 1.10.0", 5)
    assert step.of("fixed") == [
        Change("gru/lengths", "fixed", "wrong", "pass"),
        Change("rnn/refused", "fixed", "accepted", "refused"),
    ]
    assert step.of("broke") == [Change("rnn/plain", "broke", "pass", "wrong")]
    assert step.of("otherwise") == []  # crashed and timed out are one kind


def test_the_features_that_changed_most_come_first(matrix: Matrix) -> None:
    (step,) = version_steps(matrix)
    found = {(row.row.feature, row.row.value): (row.cases, row.fixed, row.broke) for row in step.rows}
    assert found["decision", "D18"] == (1, 1, 0)
    assert found["operator", "RNN"] == (1, 0, 1)
    assert found["direction", "forward"] == (4, 1, 1)
    assert ("clip", "positive") not in found
    numbers = [(row.fixed + row.broke, -row.cases) for row in step.rows]
    assert numbers == sorted(numbers, reverse=True)
    assert {number for number, _ in numbers} == {1, 2}
    assert not any(row.row.feature == "cases" for row in step.rows)


def test_versions_are_compared_as_versions_and_options_apart(
    entries: list[Entry], newer: Report, older: Report
) -> None:
    reports = [
        versioned(newer, "1.10.0"),
        versioned(older, "1.9.0"),
        versioned(newer, "1.10.0rc1"),
        versioned(older, "nightly"),
        versioned(older, "2.0", "engine:threads=2"),
    ]
    steps = version_steps(make_matrix([(str(n), report) for n, report in enumerate(reports)], entries))
    assert [(step.older.version, step.newer.version) for step in steps] == [
        ("nightly", "1.9.0"),
        ("1.9.0", "1.10.0rc1"),
        ("1.10.0rc1", "1.10.0"),
    ]
    assert [len(step.changes) for step in steps] == [0, 3, 0]


def test_a_case_that_fails_otherwise_or_is_no_longer_judged(
    entries: list[Entry], newer: Report, older: Report
) -> None:
    others: dict[str, Verdict] = {"lstm/clip": "unsupported", "rnn/plain": "not judged"}
    results = [
        msgspec.structs.replace(result, verdict=others.get(result.case, result.verdict)) for result in newer.results
    ]
    found = make_matrix([("a", older), ("b", replace(newer, results=results))], entries)
    (step,) = version_steps(found)
    assert step.of("broke") == []
    assert step.of("otherwise") == [
        Change("lstm/clip", "otherwise", "deviates", "unsupported"),
        Change("rnn/plain", "otherwise", "pass", "not judged"),
    ]


def test_one_version_has_no_step(entries: list[Entry], newer: Report, killed: Report) -> None:
    assert version_steps(make_matrix([("a", newer), ("b", killed)], entries)) == []
