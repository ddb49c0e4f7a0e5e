"""The matrix in Markdown, JSON, badges and on a terminal."""

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from gatewise_corpus.store import Entry
from gatewise_reports.matrix import json_view, markdown
from gatewise_reports.matrix.matrix import Matrix, make_matrix
from gatewise_reports.matrix.record import MatrixRecord
from gatewise_reports.matrix.terminal import print_matrix
from gatewise_reports.matrix.write import write_matrix
from gatewise_reports.record import Implementation, Result
from gatewise_reports.report import Report, ReportError


def printed(matrix: Matrix) -> str:
    file = io.StringIO()
    print_matrix(matrix, Console(file=file, width=60))
    return file.getvalue()


def test_markdown_begins_with_the_summary(matrix: Matrix) -> None:
    lines = markdown.render(matrix).splitlines()
    assert lines[:7] == [
        "**RNN, GRU and LSTM: 5 cases on 3 implementations**",
        "",
        (
            "| implementation | ✓ right | ≈ deviates | ✗ wrong | ∈ accepted | – unsupported | ^ raised | ! crashed |"  # noqa: RUF001
            " unexpected | run |"
        ),
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| engine 1.10.0 | 2 | 1 | 1 | 0 | 0 | 0 | 1 | 1 | complete, 1 stale |",
        (
            "| \\<i>\\[bold]other\\|\\`x\\` | 0 | 0 | 0 | 0 | 1 | 1 | 0 | 2 |"
            " unfinished, 1 result of other cases left out |"
        ),
        "| engine 1.2.0 | 1 | 1 | 1 | 1 | 0 | 0 | 1 | 3 | complete |",
    ]


def test_the_heading_names_the_operators_that_are_there(newer: Report, entries: list[Entry]) -> None:
    def heading(*chosen: Entry) -> str:
        return markdown.render(make_matrix([("a", newer)], chosen)).splitlines()[0]

    gru, lstm, *_, rnn = entries
    assert heading(lstm) == "**LSTM: 1 case on 1 implementation**"
    assert heading(gru, rnn) == "**RNN and GRU: 2 cases on 1 implementation**"


def test_the_star_of_the_legend_is_no_list_in_markdown(matrix: Matrix) -> None:
    lines = markdown.render(matrix).splitlines()
    assert "- ✓ right: right values, or an invalid case refused" in lines
    assert "- \\* unexpected: no list of known failures tells of it" in lines


def test_markdown_has_the_features_and_the_changes(matrix: Matrix) -> None:
    text = markdown.render(matrix)
    assert "\n| special | nan | ! 1 | - | ! 1\\* |\n" in text
    assert (
        "From engine 1.2.0 to engine 1.10.0: 2 fixed, 1 broke, 0 came out otherwise, of 5 cases that both ran."
        in text
    )
    assert "\n- fixed: wrong -> pass, 1: gru/lengths\n" in text
    assert "\n- broke: pass -> wrong, 1: rnn/plain\n" in text
    assert "| feature | value | cases | fixed | broke |\n| --- | --- | ---: | ---: | ---: |\n" in text


def test_the_terminal_shows_names_as_they_are(matrix: Matrix) -> None:
    text = printed(matrix)
    assert "<i>[bold]other|`x`" in text
    assert re.search(r"^special +nan +! 1 +- +! 1\*$", text, re.MULTILINE)
    assert "  fixed: accepted -> refused, 1: rnn/refused\n" in text
    assert re.search(r"^engine 1\.2\.0 +1 +1 +1 +1 +0 +0 +1 +3 +complete$", text, re.MULTILINE)
    assert "! crashed: the process ended, or gave no answer in time" in text


def test_markdown_escapes_what_changed(entries: list[Entry], older: Report, newer: Report) -> None:
    cases = [replace(entry, name=entry.name.replace("/", "_")) for entry in entries]
    reports = []
    for report, version in ((older, "1_0"), (newer, "2_0")):
        implementation = Implementation("<i>[b]", {"<i>[b]": version})
        header = msgspec.structs.replace(report.header, implementation=implementation)
        results = [msgspec.structs.replace(one, case=one.case.replace("/", "_")) for one in report.results]
        reports.append((version, replace(report, header=header, results=results)))
    text = markdown.render(make_matrix(reports, cases))
    assert "\nFrom \\<i>\\[b] 1\\_0 to \\<i>\\[b] 2\\_0: 2 fixed, " in text
    assert "\n- fixed: wrong -> pass, 1: gru\\_lengths\n" in text


def test_tables_hold_nothing_that_a_terminal_obeys(entries: list[Entry], newer: Report) -> None:
    """A flag is from a file as well."""
    about = msgspec.structs.replace(entries[0].about, flags=("red\x1b[31m\n",))
    matrix = make_matrix([("a", newer)], [replace(entries[0], about=about)])
    assert re.search(r"^flag +red�\[31m� +✓ 1$", printed(matrix), re.MULTILINE)
    assert "\n| flag | red�\\[31m� | ✓ 1 |\n" in markdown.render(matrix)


def test_json_holds_everything_and_comes_back(matrix: Matrix) -> None:
    text = json_view.render(matrix)
    record = msgspec.json.decode(text, type=MatrixRecord)
    assert record == json_view.to_record(matrix)
    found = json.loads(text)
    assert [column["state"] for column in found["columns"]] == ["complete", "unfinished", "complete"]
    assert found["columns"][1]["left_out"] == 1
    row = next(row for row in found["rows"] if (row["feature"], row["value"]) == ("operator", "LSTM"))
    assert row["cases"] == ["lstm/clip", "lstm/nan"]
    assert row["cells"][2] == {"results": {"deviates": 1, "crashed": 1}, "unexpected": {"crashed": 1}}
    assert found["cases"]["lstm/nan"]["verdicts"] == ["timed out", None, "crashed"]
    assert found["cases"]["lstm/nan"]["why"] == "Why lstm/nan is there."
    (step,) = found["steps"]
    assert step["fixed"][0] == {"case": "gru/lengths", "before": "wrong", "after": "pass"}
    assert {"feature": "operator", "value": "RNN", "cases": 1, "fixed": 0, "broke": 1} in step["rows"]
    assert found["kinds"]["crashed"] == ["crashed", "timed out"]


def test_a_badge_tells_how_many_are_right(matrix: Matrix) -> None:
    newer, killed, _ = matrix.columns
    assert json.loads(json_view.render_badge(matrix, newer)) == {
        "schemaVersion": 1,
        "label": "gatewise: engine 1.10.0",
        "message": "2 of 5 right",
        "color": "orange",
    }
    badge = json.loads(json_view.render_badge(matrix, killed))
    assert (badge["message"], badge["color"]) == ("0 of 2 right, unfinished", "lightgrey")


@pytest.mark.parametrize(
    ("right", "wrong", "colour"),
    [
        (10, 0, "brightgreen"),
        (9, 1, "green"),
        (8, 2, "yellowgreen"),
        (5, 5, "yellow"),
        (3, 7, "orange"),
        (2, 8, "red"),
    ],
)
def test_the_colour_of_a_badge(entries: list[Entry], newer: Report, right: int, wrong: int, colour: str) -> None:
    cases = [Entry(f"rnn/{n}", Path("x"), entries[3].case, {}, entries[3].about) for n in range(right + wrong)]
    results = [Result(f"rnn/{n}", "RNN-14 -> Y", "pass" if n < right else "wrong", 0.1) for n in range(right + wrong)]
    report = Report(newer.header, results)
    report.close(1.0)
    matrix = make_matrix([("a", report)], cases)
    assert json.loads(json_view.render_badge(matrix, matrix.columns[0]))["color"] == colour


def test_a_badge_of_some_cases_tells_of_how_many(entries: list[Entry], newer: Report) -> None:
    report = replace(newer, header=msgspec.structs.replace(newer.header, cases=1), results=newer.results[:1])
    matrix = make_matrix([("a", report)], entries)
    badge = json.loads(json_view.render_badge(matrix, matrix.columns[0]))
    assert (badge["message"], badge["color"]) == ("1 of 1 right, 1 of 5 cases", "lightgrey")


def test_a_file_that_cannot_be_written_wholly_leaves_the_old_one(matrix: Matrix, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="no limit of the size of a file can be set here")
    write_matrix(matrix, tmp_path)
    old = (tmp_path / "index.html").read_text()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(ReportError, match=r"index\.html: cannot be written \(File too large\)$"):
            write_matrix(Matrix(matrix.columns[:1], matrix.rows, matrix.cases), tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (tmp_path / "index.html").read_text() == old
    assert sorted(path.name for path in tmp_path.iterdir()) == ["badges", "index.html", "matrix.json", "matrix.md"]


def test_all_files_are_written(matrix: Matrix, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "matrix"
    write_matrix(matrix, folder)
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*")) == [
        "badges/engine-1.10.0.json",
        "badges/engine-1.2.0.json",
        "badges/i-bold-other-x.json",
        "index.html",
        "matrix.json",
        "matrix.md",
    ]
    assert (folder / "matrix.md").read_text() == markdown.render(matrix)
    (tmp_path / "file").touch()
    with pytest.raises(ReportError, match=r"file/index\.html: cannot be written \(Not a directory\)|File exists"):
        write_matrix(matrix, tmp_path / "file")
