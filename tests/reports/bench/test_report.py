from pathlib import Path

import msgspec
import pytest

from gatewise_reports.bench.record import Cell, Timing
from gatewise_reports.bench.report import BenchReport, is_bench_report, read_bench_report
from gatewise_reports.report import ReportError, ReportWriter
from gatewise_reports.schema import schemas


def write(path: Path, *records: msgspec.Struct) -> Path:
    with ReportWriter(path) as writer:
        for record in records:
            writer.write(record)
    return path


@pytest.fixture
def path(bench: BenchReport, tmp_path: Path) -> Path:
    assert bench.footer is not None
    return write(tmp_path / "bench.jsonl", bench.header, *bench.cells, bench.footer)


def test_a_report_is_read_as_it_was_written(bench: BenchReport, path: Path) -> None:
    assert is_bench_report(path)
    assert read_bench_report(path) == bench


def test_a_torn_report_is_unfinished(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])
    report = read_bench_report(path)
    assert (len(report.cells), report.footer, report.state) == (3, None, "unfinished")


def test_an_interrupted_report_was_stopped_early(bench: BenchReport) -> None:
    assert bench.footer is not None
    bench.footer = msgspec.structs.replace(bench.footer, complete=False)
    assert bench.state == "stopped early"


def test_a_failure_is_counted_and_a_refusal_is_not(bench: BenchReport) -> None:
    assert [len(cell.untimed) for cell in bench.cells] == [0, 2, 1]
    assert bench.failures == 1


def test_two_reports_in_a_file_are_refused(bench: BenchReport, tmp_path: Path) -> None:
    path = write(tmp_path / "two.jsonl", bench.header, bench.cells[0], bench.header)
    with pytest.raises(ReportError, match=r"two\.jsonl, line 3: there is a second header"):
        read_bench_report(path)


DEEP = '{"record":"bench-header","deep":' + 100_000 * "[" + "\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON\n",
        '{"record":"bench-cell","layer":"RNN"}\n',
        '{"record":"header"}\n',
        pytest.param(DEEP, id="deep"),
    ],
)
def test_what_is_no_bench_report_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text(text)
    assert not is_bench_report(path)
    with pytest.raises(ReportError, match=r"other\.jsonl"):
        read_bench_report(path)


@pytest.mark.parametrize("field", ["seq", "batch", "hidden"])
def test_a_size_of_0_is_no_cell(field: str) -> None:
    cell = msgspec.to_builtins(Cell("RNN", 64, 8, 128, (Timing("reference", 1, 5, 1, 1),)))
    assert msgspec.convert(cell, Cell).timings[0].run == 5
    with pytest.raises(msgspec.ValidationError, match=rf"\$\.{field}"):
        msgspec.convert({**cell, field: 0}, Cell)


def test_the_schema_of_a_cell_names_the_layers_and_what_must_be_there() -> None:
    definitions = schemas()["bench-cell.json"]["$defs"]
    assert definitions["Cell"]["required"] == ["record", "layer", "seq", "batch", "hidden"]
    assert set(definitions["Cell"]["properties"]["layer"]["enum"]) == {"RNN", "GRU0", "GRU1", "LSTM"}
    assert definitions["Timing"]["required"] == ["contender", "threads", "run", "runs", "prepare"]
