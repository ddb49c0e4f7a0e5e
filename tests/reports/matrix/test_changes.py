from dataclasses import replace

import msgspec

from gatewise_corpus.store import Entry
from gatewise_reports.matrix.changes import Change, Step, version_steps
from gatewise_reports.matrix.matrix import Matrix, make_matrix
from gatewise_reports.record import Implementation, Verdict
from gatewise_reports.report import Report


def versioned(report: Report, version: str, spec: str = "engine", machine: str = "zen4 x86_64 Linux") -> Report:
    header = msgspec.structs.replace(
        report.header, implementation=Implementation("engine", {"engine": version}), spec=spec, machine=machine
    )
    return replace(report, header=header)


def steps(entries: list[Entry], *reports: Report) -> list[Step]:
    return version_steps(make_matrix([(str(number), report) for number, report in enumerate(reports)], entries))


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
    found = steps(entries, *reports)
    assert [(step.older.version, step.newer.version) for step in found] == [
        ("nightly", "1.9.0"),
        ("1.9.0", "1.10.0rc1"),
        ("1.10.0rc1", "1.10.0"),
    ]
    assert [len(step.changes) for step in found] == [0, 3, 0]


def test_versions_are_compared_on_one_machine(entries: list[Entry], newer: Report, older: Report) -> None:
    found = steps(
        entries,
        versioned(older, "1.0", machine="zen4"),
        versioned(newer, "2.0", machine="icelake"),
        versioned(newer, "2.0", machine="zen4"),
        versioned(newer, "1.0", machine="icelake"),
    )
    assert [(step.older.name, step.newer.name, len(step.of("fixed"))) for step in found] == [
        ("engine 1.0 (zen4)", "engine 2.0 (zen4)", 2),
        ("engine 1.0 (icelake)", "engine 2.0 (icelake)", 0),
    ]


def test_one_version_in_two_environments_is_no_step(entries: list[Entry], newer: Report, older: Report) -> None:
    reports = versioned(older, "1.0"), versioned(newer, "1.0", "engine:python=x"), versioned(newer, "2.0")
    found = steps(entries, *reports)
    assert [(step.older.name, step.newer.name) for step in found] == [
        ("engine 1.0 (engine:python=x)", "engine 2.0"),
    ]


def test_a_version_of_more_digits_than_a_number_may_have_is_a_word(entries: list[Entry], older: Report) -> None:
    long = "1" * 5000
    found = steps(entries, versioned(older, "1.0"), versioned(older, long))
    assert [(step.older.version, step.newer.version) for step in found] == [(long, "1.0")]


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
