from dataclasses import replace

import msgspec
import pytest

from gatewise_corpus.store import Entry
from gatewise_reports.matrix.matrix import Matrix, Sourced, column_names, file_names, make_matrix, short_names
from gatewise_reports.record import Implementation, Result
from gatewise_reports.report import Report, ReportError


def cells(matrix: Matrix) -> dict[tuple[str, str], list[str]]:
    return {
        (row.feature, row.value): [column.tally(row.cases).told for column in matrix.columns] for row in matrix.rows
    }


def test_columns_are_told_apart_by_version_and_keep_their_order(matrix: Matrix) -> None:
    assert [column.name for column in matrix.columns] == ["engine 1.10.0", "<i>[bold]other|`x`", "engine 1.2.0"]


def test_a_short_name_has_a_version_only_where_that_tells_apart(matrix: Matrix) -> None:
    assert short_names(matrix.columns) == ["engine 1.10.0", "<i>[bold]other|`x`", "engine 1.2.0"]
    assert short_names(matrix.columns[:2]) == ["engine", "<i>[bold]other|`x`"]


def test_cells_count_the_results_of_the_cases_that_have_a_feature(matrix: Matrix) -> None:
    found = cells(matrix)
    assert found["cases", "all"] == ["✓ 2  ≈ 1  ✗ 1*  ! 1", "– 1*  ^ 1*", "✓ 1  ≈ 1  ✗ 1*  ∈ 1*  ! 1*"]  # noqa: RUF001
    assert found["cases", "must be refused"] == ["✓ 1", "", "∈ 1*"]
    assert found["operator", "GRU"] == ["✓ 1", "– 1*", "✗ 1*"]  # noqa: RUF001
    assert found["clip", "positive"] == ["≈ 1", "^ 1*", "≈ 1"]
    assert found["special", "nan"] == ["! 1", "", "! 1*"]
    assert found["invalid input", "hidden-size-mismatch"] == ["✓ 1", "", "∈ 1*"]
    assert found["decision", "D18"] == ["✓ 1", "– 1*", "✗ 1*"]  # noqa: RUF001
    assert found["flag", "nan"] == found["special", "nan"]


def test_a_case_that_must_be_refused_has_no_feature(matrix: Matrix) -> None:
    rows = {(row.feature, row.value): row.cases for row in matrix.rows}
    assert rows["operator", "RNN"] == ("rnn/plain",)
    assert rows["cases", "valid"] == ("gru/lengths", "lstm/clip", "lstm/nan", "rnn/plain")


def test_results_of_other_cases_and_of_recordings_are_left_out(matrix: Matrix) -> None:
    newer, killed, older = matrix.columns
    assert [column.left_out for column in matrix.columns] == [0, 1, 0]
    assert older.results["rnn/plain"].verdict == "pass"
    assert set(killed.results) == {"gru/lengths", "lstm/clip"}
    assert [column.findings for column in (newer, killed, older)] == [1, 2, 3]


def test_what_is_not_as_expected(matrix: Matrix, entries: list[Entry], newer: Report) -> None:
    assert [column.as_expected for column in matrix.columns] == [False, False, False]
    header = msgspec.structs.replace(newer.header, cases=1)
    right = Report(header, [Result("rnn/plain", "RNN-14 -> Y", "pass", 0.1)])
    right.close(1.0)
    (column,) = make_matrix([("a", right)], entries).columns
    assert column.as_expected
    right.close(1.0, complete=False)
    assert not column.as_expected


def named(newer: Report, **changes: object) -> Sourced:
    return "r.jsonl", replace(newer, header=msgspec.structs.replace(newer.header, **changes))


def test_a_column_is_named_by_version_and_options(newer: Report) -> None:
    implementation = Implementation("openvino", {"openvino": "2026.4.1-22982-e213a147257-releases/2026/4"})
    reports = [
        named(newer, implementation=implementation, spec="openvino:shapes=dynamic,python=/a/b,modules=/c"),
        named(newer, implementation=implementation, spec="openvino:python=/a/b"),
        named(newer, implementation=Implementation("backend:mine.it", {"onnx": "1.23.2"}), spec="backend:mine.it"),
        named(newer, implementation=Implementation("command:run"), spec="command:./run {model}"),
    ]
    assert column_names(reports) == [
        "openvino 2026.4.1 shapes=dynamic",
        "openvino 2026.4.1",
        "backend:mine.it 1.23.2",
        "command:run",
    ]


def test_machines_and_then_specs_tell_equal_names_apart(newer: Report) -> None:
    reports = [
        named(newer, machine="zen4"),
        named(newer, machine="icelake"),
        named(newer, machine="icelake", spec="engine:python=x"),
    ]
    assert column_names(reports) == [
        "engine 1.10.0 (zen4)",
        "engine 1.10.0 (icelake) (engine)",
        "engine 1.10.0 (icelake) (engine:python=x)",
    ]


def test_a_name_holds_nothing_that_a_terminal_obeys(newer: Report) -> None:
    implementation = Implementation("engine\x1b[31m", {"engine\x1b[31m": "1\n| x"})
    reports = [
        named(newer, implementation=implementation, machine="zen4\u202e"),
        named(newer, implementation=implementation, machine="icelake\x00"),
    ]
    assert column_names(reports) == ["engine�[31m 1�| x (zen4�)", "engine�[31m 1�| x (icelake�)"]


def test_two_reports_of_the_same_are_refused(newer: Report, entries: list[Entry]) -> None:
    with pytest.raises(ReportError, match=r"^a\.jsonl and b\.jsonl are reports of the same: engine 1\.10\.0$"):
        make_matrix([("a.jsonl", newer), ("b.jsonl", newer)], entries)


def test_a_report_of_other_cases_is_refused(newer: Report, entries: list[Entry]) -> None:
    with pytest.raises(ReportError, match="a: is about none of the cases of the store"):
        make_matrix([("a", newer)], [replace(entries[0], name="gru/another")])
    with pytest.raises(ReportError, match="a matrix needs a report, and there is none"):
        make_matrix([], entries)
    with pytest.raises(ReportError, match="a matrix needs a case, and there is none"):
        make_matrix([("a", newer)], [])


def test_two_results_of_a_case_are_refused_and_those_left_out_are_counted_by_name(
    newer: Report, entries: list[Entry]
) -> None:
    other = Result("rnn/other", "RNN-14 -> Y", "pass", 0.1)
    again = replace(newer, results=[*newer.results, other])
    (column,) = make_matrix([("a.jsonl", again)], entries[1:]).columns
    assert (len(column.results), column.left_out) == (4, 2)
    twice = replace(newer, results=[*newer.results, other, other])
    with pytest.raises(ReportError, match=r"^a\.jsonl: holds two results of rnn/other$"):
        make_matrix([("a.jsonl", twice)], entries)


def test_file_names_that_differ_in_capitals_or_look_like_others_are_told_apart() -> None:
    assert file_names(["r 1", "r-1", "r-1-2", "R 1", "r-1-2"]) == ["r-1", "r-1-2", "r-1-2-2", "R-1-3", "r-1-2-3"]


def test_a_long_file_name_is_cut() -> None:
    """The hashes are those that sha256sum gives."""
    assert file_names([100 * "a", 101 * "a", 102 * "a", "b" + 60 * "\N{LATIN SMALL LETTER E WITH ACUTE}"]) == [
        100 * "a",
        100 * "a" + "-9d079339",
        100 * "a" + "-f2183711",
        "b" + 49 * "\N{LATIN SMALL LETTER E WITH ACUTE}" + "-3e38285a",
    ]


def test_file_names_are_safe_and_never_the_same() -> None:
    names = ["onnxruntime 1.20.1", "../../etc/passwd", "a b", "a-b", "<>", "torch 2.13.0+cpu", "x shapes=dynamic"]
    assert file_names(names) == [
        "onnxruntime-1.20.1",
        "etc-passwd",
        "a-b",
        "a-b-2",
        "unnamed",
        "torch-2.13.0+cpu",
        "x-shapes=dynamic",
    ]
