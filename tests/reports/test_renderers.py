import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from gatewise_reports import json_view, markdown
from gatewise_reports.failure import failure_lines
from gatewise_reports.junit import write_junit
from gatewise_reports.record import Explanation, Place, Result
from gatewise_reports.report import Report, ReportError
from gatewise_reports.summary import closing_line, count_verdicts
from gatewise_reports.terminal import print_report, print_result


def printed(report: Report) -> str:
    console = Console(file=io.StringIO(), width=200)
    print_report(report, console)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def test_a_failure_is_told_in_order(wrong: Result) -> None:
    assert failure_lines(wrong) == [
        "gru/covering-017: GRU-14 direction=reverse X[5, 2, 3] -> Y",
        "  wrong: breaks the specification: no float32 evaluation of the formulas gives these values",
        "  first at Y[4,1,1,3] (direction reverse, row 1, step 2, unit 3); 12 elements are outside",
        "  value 0.48132566, admissible 0.5123 .. 0.5127, outside by 156 times the bound",
        "  the whole output is what this reading gives: gates z and r are swapped [gates-zr]",
        "  run again: gatewise gate -i reference --only gru/covering-017",
    ]


def test_a_deviation_names_its_decisions_and_the_recording() -> None:
    place = Place("Y_h", "forward", 0, 0, 0, (0, 0, 0), "NaN", 0.0, 0.0, "Infinity", past_length=True)
    readings = (Explanation("keep-state", "an empty row keeps its state", "D14"), Explanation("x", "and that", "D18"))
    result = Result(
        "rnn/a", "RNN-7 -> Y_h", "deviates", 0.1, "D14, D18", "", place, 1, readings, subject="onnxruntime 1.32.0"
    )
    assert failure_lines(result) == [
        "rnn/a [onnxruntime 1.32.0]: RNN-7 -> Y_h",
        "  deviates (D14, D18): differs where the specification is silent",
        (
            "  first at Y_h[0,0,0] (direction forward, row 0, step 0, unit 0, past the row's length);"
            " 1 element is outside"
        ),
        "  value NaN, admissible only 0, outside by any measure",
        (
            "  the whole output is what this reading gives: an empty row keeps its state [keep-state, D14];"
            " and and that [x, D18]"
        ),
    ]


def test_verdicts_are_counted_by_operator_and_the_known_apart(report: Report) -> None:
    counts = count_verdicts(report.results)
    assert counts.columns == ["pass", "wrong", "timed out", "not judged", "known"]
    assert counts.rows == [
        ("GRU", [0, 1, 0, 0, 0]),
        ("LSTM", [1, 0, 0, 0, 1]),
        ("RNN", [0, 0, 1, 1, 0]),
        ("all", [1, 1, 1, 1, 1]),
    ]


def test_other_subjects_are_counted_below(report: Report) -> None:
    report.add(Result("gru/a", "GRU-14 -> Y", "deviates", 0.1, "D03", subject="recorded onnxruntime 1.32.0"))
    counts = count_verdicts(report.results)
    assert counts.columns[2] == "deviates"
    assert counts.rows[-2] == ("all", [1, 1, 0, 1, 1, 1])
    assert counts.rows[-1] == ("recorded onnxruntime 1.32.0", [0, 0, 1, 0, 0, 0])


def test_a_value_that_is_right_but_for_its_bits() -> None:
    place = Place("Y", "forward", 0, 3, 0, (3, 0, 0, 0), -0.0, 0.0, 0.0, 0.0, past_length=True)
    result = Result("rnn/a", "RNN-7 -> Y", "wrong", 0.1, "D18", "a zero that no step computed is negative", place, 1)
    assert failure_lines(result)[1:] == [
        "  wrong (D18): breaks the specification: a zero that no step computed is negative",
        (
            "  first at Y[3,0,0,0] (direction forward, row 0, step 3, unit 0, past the row's length);"
            " 1 element is outside"
        ),
        "  value -0, admissible only 0, equal to it but for its bits",
    ]


def test_the_closing_line_tells_how_the_run_ended(report: Report) -> None:
    assert closing_line(report) == "5 results, 3 findings - unfinished: 5 were planned"
    report.close(11.35)
    assert closing_line(report) == "5 results, 3 findings in 11.3 s"
    clean = Report(msgspec.structs.replace(report.header, cases=1), [report.results[0]])
    clean.close(1.0)
    assert closing_line(clean) == "1 result, all as expected in 1.0 s"


def test_the_terminal_shows_findings_then_counts(report: Report) -> None:
    text = printed(report)
    order = [
        text.index(part)
        for part in (
            "gru/covering-017: GRU-14 direction=reverse X[5, 2, 3] -> Y",
            "rnn/c: RNN-22 -> Y",
            "stale: entry 2 of known.toml (old fault): every case that it matches passes",
            "reference: reference (gatewise 0.1.0), zen4, Linux; gatewise 0.1.0",
            "      pass  wrong  timed out  not judged  known\nGRU      0      1",
            "5 results, 3 findings",
        )
    ]
    assert order == sorted(order)
    assert "lstm/b" not in text  # a known failure is counted, not told


def test_the_terminal_counts_the_findings_it_leaves_out(report: Report, wrong: Result) -> None:
    report.results = [wrong] * 13
    assert "... and 3 more findings" in printed(report)
    assert printed(report).count("run again") == 10


def test_a_result_is_shown_without_losing_brackets(wrong: Result) -> None:
    console = Console(file=io.StringIO(), width=30)
    print_result(wrong, console)
    file = console.file
    assert isinstance(file, io.StringIO)
    assert file.getvalue().splitlines() == failure_lines(wrong)


def test_markdown(report: Report) -> None:
    text = markdown.render(report)
    assert "|  | pass | wrong | timed out | not judged | known |\n| --- | ---: |" in text
    assert "| LSTM | 1 | 0 | 0 | 0 | 1 |" in text
    assert "### gru/covering-017: wrong\n\n```text\ngru/covering-017: GRU-14" in text
    assert "- stale: entry 2 of known.toml" in text


def test_json(report: Report) -> None:
    found = json.loads(json_view.render(report))
    assert (found["state"], found["findings"], found["verdicts"]["wrong"]) == ("unfinished", 3, 1)
    assert found["results"][1]["place"]["index"] == [4, 1, 1, 3]
    assert json.loads(json_view.render_result(report.results[1])) == found["results"][1]


def test_junit(tmp_path: Path, report: Report) -> None:
    write_junit(report, tmp_path / "r.xml")
    suite = ET.parse(tmp_path / "r.xml").getroot()[0]  # noqa: S314 # written a line above
    counts = {name: suite.get(name) for name in ("name", "tests", "failures", "errors", "skipped")}
    assert counts == {"name": "gatewise reference", "tests": "7", "failures": "2", "errors": "2", "skipped": "2"}
    case = suite[1]
    assert (case.get("classname"), case.get("name"), case.get("time")) == ("gatewise.gru", "covering-017", "0.25")
    assert case[0].tag == "failure"
    assert case[0].text is not None
    assert "first at Y[4,1,1,3]" in case[0].text
    assert [element.tag for element in suite[3]] == ["error"]
    assert suite[6].get("name") == "unfinished"


def test_a_finished_report_has_no_unfinished_test(tmp_path: Path, report: Report) -> None:
    report.close(1.0)
    write_junit(report, tmp_path / "r.xml")
    assert "unfinished" not in (tmp_path / "r.xml").read_text()
    report.results.pop()
    write_junit(report, tmp_path / "r.xml")
    assert "the run ended after 4 of 5 cases" in (tmp_path / "r.xml").read_text()
    with pytest.raises(ReportError, match="cannot be written"):
        write_junit(report, tmp_path)


def test_junit_holds_what_an_implementation_wrote_in_control_characters(report: Report, tmp_path: Path) -> None:
    report.add(Result("gru/z", "GRU-14 -> Y", "crashed", 0.1, message="red \x1b[31m and nul \x00"))
    write_junit(report, tmp_path / "report.xml")
    messages = [error.get("message") for error in ET.parse(tmp_path / "report.xml").iter("error")]  # noqa: S314 - own
    assert "red \ufffd[31m and nul \ufffd" in messages
