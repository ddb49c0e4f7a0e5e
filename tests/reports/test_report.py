from pathlib import Path

import msgspec
import pytest

from gatewise_reports.record import Footer, Result, number
from gatewise_reports.report import Report, ReportError, ReportWriter, read_report


def write(path: Path, report: Report, *, footer: bool = True) -> None:
    with ReportWriter(path) as writer:
        writer.write(report.header)
        for record in (*report.results, *report.stale):
            writer.write(record)
        if footer:
            writer.write(report.close(11.35))


def test_a_report_comes_back_as_it_was_written(tmp_path: Path, report: Report) -> None:
    write(tmp_path / "r.jsonl", report)
    assert read_report(tmp_path / "r.jsonl") == report


def test_the_footer_counts_verdicts_and_findings(report: Report) -> None:
    footer = report.close(11.35)
    assert footer.verdicts == {"pass": 1, "wrong": 1, "crashed": 1, "timed out": 1, "not judged": 1}
    assert footer.findings == 3  # wrong, timed out and the stale entry; the crash is known
    assert report.state == "complete"


def test_a_stopped_run_is_not_complete(report: Report) -> None:
    report.close(1.0, complete=False)
    assert report.state == "stopped early"


def test_a_run_that_lacks_planned_results_is_unfinished(report: Report) -> None:
    report.results[0] = msgspec.structs.replace(report.results[1], subject="recorded engine 1.0")
    report.close(1.0)
    assert report.state == "unfinished"
    report.close(1.0, complete=False)
    assert report.state == "stopped early"


def test_every_line_is_on_disk_before_the_next(tmp_path: Path, report: Report) -> None:
    path = tmp_path / "r.jsonl"
    with ReportWriter(path) as writer:
        writer.write(report.header)
        writer.write(report.results[0])
        assert len(read_report(path).results) == 1


def test_a_torn_last_line_is_left_out_and_the_report_is_unfinished(tmp_path: Path, report: Report) -> None:
    path = tmp_path / "r.jsonl"
    write(path, report, footer=False)
    path.write_bytes(path.read_bytes()[:-9])
    torn = read_report(path)
    assert torn.results == report.results
    assert torn.stale == []
    assert torn.state == "unfinished"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a report; its first line is not a header"),
        (b'{"record": "header"', "is not a report; its first line is not a header"),
        (b"\xff\xfe\n", "line 1: is not a record of a report"),
        (b'{"record": "footer", "verdicts": {}, "findings": 0, "seconds": 1.0, "finished": ""}\n', "not a header"),
        (b'{"record": "nonsense"}\n', "line 1: is not a record of a report"),
        pytest.param(
            b'{"record": "stale", "deep": ' + 100_000 * b"[" + b"\n", "line 1: is not a record of a report", id="deep"
        ),
    ],
)
def test_what_is_no_report_is_refused_with_a_sentence(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(content)
    with pytest.raises(ReportError, match=message):
        read_report(path)


@pytest.mark.parametrize("curve", [{"errors": []}, {"errors": [1.0], "stride": 0}])
def test_a_curve_without_numbers_or_steps_is_refused(
    tmp_path: Path, report: Report, curve: dict[str, object]
) -> None:
    path = tmp_path / "r.jsonl"
    lines = [msgspec.to_builtins(record) for record in (report.header, report.results[1])]
    lines[1]["curves"] = [{"output": "Y", "direction": "forward", **curve}]
    path.write_bytes(msgspec.json.Encoder().encode_lines(lines))
    with pytest.raises(ReportError, match=r"line 2: is not a record .* \(Expected `.*` (of length )?>= 1 - "):
        read_report(path)


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path, report: Report) -> None:
    path = tmp_path / "r.jsonl"
    write(path, report)
    lines = path.read_bytes().split(b"\n")
    lines[2] = lines[2][:20]
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(ReportError, match=r"r\.jsonl, line 3: is not a record"):
        read_report(path)


def test_two_reports_in_one_file_are_refused(tmp_path: Path, report: Report) -> None:
    path = tmp_path / "r.jsonl"
    write(path, report)
    path.write_bytes(path.read_bytes() * 2)
    with pytest.raises(ReportError, match=r"line 9: there is a second header"):
        read_report(path)


def test_a_report_of_another_format_is_refused(tmp_path: Path, report: Report) -> None:
    path = tmp_path / "r.jsonl"
    write(path, Report(msgspec.structs.replace(report.header, format=2)))
    with pytest.raises(ReportError, match=r"r\.jsonl: is a report of format 2; this gatewise reads format 1$"):
        read_report(path)


def test_a_record_after_the_footer_is_refused(tmp_path: Path, report: Report) -> None:
    path = tmp_path / "r.jsonl"
    write(path, report)
    path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(keepends=True)[1])
    with pytest.raises(ReportError, match=r"line 9: there is a record after the footer, which is the last$"):
        read_report(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="cannot be read"):
        read_report(tmp_path / "none.jsonl")
    with pytest.raises(ReportError, match="cannot be written"):
        ReportWriter(tmp_path)


def test_non_finite_numbers_survive(tmp_path: Path, report: Report) -> None:
    values = [number(float("nan")), number(float("inf")), number(float("-inf")), number(0.5)]
    assert values == ["NaN", "Infinity", "-Infinity", 0.5]
    report.add(Result("rnn/e", "RNN-7 -> Y", "wrong", 0.1, ratio=number(float("inf"))))
    write(tmp_path / "r.jsonl", report)
    assert read_report(tmp_path / "r.jsonl").results[-1].ratio == "Infinity"


def test_the_footer_is_the_last_record(report: Report) -> None:
    footer = report.close(2.0)
    assert isinstance(footer, Footer)
    assert report.footer is footer
