import io
import json
from xml.etree import ElementTree as ET

import msgspec
import pytest
from rich.console import Console

from gatewise_reports.bench import json_view, markdown, svg
from gatewise_reports.bench.record import Timing
from gatewise_reports.bench.report import BenchReport
from gatewise_reports.bench.tables import cell_line, closing_line, failure_lines, heading, tables
from gatewise_reports.bench.terminal import print_bench

SVG = "{http://www.w3.org/2000/svg}"


def table(bench: BenchReport, title: str) -> dict[tuple[str, ...], dict[str, str]]:
    """The rows of the table whose title begins so, by their words, as column and text; a column's name may recur."""
    (found,) = (table for table in tables(bench) if table.title.startswith(title))
    return {
        row[: found.words]: dict(zip(found.columns[found.words :], row[found.words :], strict=True))
        for row in found.rows
    }


def test_the_frame_tells_the_machine_its_load_and_the_end(bench: BenchReport) -> None:
    assert heading(bench) == "bench: zen4 x86_64 Linux, 2 processors, load 0.25 at the start; gatewise 0.1.0"
    assert closing_line(bench) == "3 cells, 1 failure in 12.5 s, load 1.50 at the end"
    assert failure_lines(bench) == [
        (
            "LSTM hidden 256 batch 8: torch with 2 threads failed:"
            " output Y is 0.5 from the exact one; 1.5e-05 is allowed"
        )
    ]


def test_a_bench_without_an_end_says_so(bench: BenchReport) -> None:
    bench.footer = None
    bench.cells.pop()
    assert closing_line(bench) == "2 cells, no failure - unfinished: 4 were planned"


def test_the_contenders_stand_with_versions_settings_and_peak(bench: BenchReport) -> None:
    assert next(iter(table(bench, "Contenders").items())) == (
        ("reference", "reference 0.1.0", "kernel_path avx2"),
        {"peak": "64.0"},
    )
    assert [row["peak"] for row in table(bench, "Contenders").values()] == ["64.0", "128.0", "-", "-"]


def test_the_trivial_cell_stands_apart(bench: BenchReport) -> None:
    rows = table(bench, "Microseconds of a call")
    assert rows == {
        ("1 thread",): {"reference": "0.4", "reference:mode=fast": "0.3", "onnxruntime": "2.5", "torch": "20.0"}
    }
    assert not any("hidden 1 " in row[0] for row in table(bench, "Microseconds of the shortest run"))


def test_the_times_stand_with_the_share_of_all_threads_peaks(bench: BenchReport) -> None:
    (found,) = (item for item in tables(bench) if item.title.startswith("Microseconds of the shortest run"))
    assert found.columns[2:] == (
        *("reference", "reference:mode=fast", "onnxruntime", "torch"),
        *("reference GFLOP/s", "of peak", "reference:mode=fast GFLOP/s", "of peak"),
    )
    # 2 * 64 steps * 8 rows * 4 gates * 256 * 512 weights = 64 operations in each of 8,388,608 ns
    assert found.rows[2] == (
        *("LSTM hidden 256 batch 8", "1", "8388.6", "-", "4194.3", "6291.5", "64.0", "100 %", "-", "-"),
    )
    assert found.rows[3] == (
        *("LSTM hidden 256 batch 8", "2", "4194.3", "-", "4194.3", "-", "128.0", "100 %", "-", "-"),
    )


def test_the_ratios_are_lettered_as_the_means(bench: BenchReport) -> None:
    means = {words[:2]: (words[2], row) for words, row in table(bench, "Geometric means").items()}
    worst, row = means["a", "reference / onnxruntime"]
    assert worst == "GRU0 hidden 64 batch 1, 2 threads"
    assert row == {"cells": "4", "worst": "0.50", "1 thread": "1.00", "2 threads": "0.71", "all": "0.84"}
    assert ("h", "reference with 2 threads / with 1 thread: hidden >= 256, batch >= 8") in means
    ratios = {(*words, cells.pop("threads")): cells for words, cells in table(bench, "Ratios of speed").items()}
    assert list(ratios) == [("GRU0 hidden 64 batch 1", "2"), ("LSTM hidden 256 batch 8", "2")]
    assert {letter: ratios["LSTM hidden 256 batch 8", "2"][letter] for letter in "abg"} == {
        "a": "1.00",
        "b": "-",
        "g": "2.00",
    }


def test_what_is_prepared_stands_with_its_memory(bench: BenchReport) -> None:
    bench.cells.append(msgspec.structs.replace(bench.cells[2], batch=2))  # the largest batch has the row
    (found,) = (item for item in tables(bench) if item.title.startswith("Milliseconds from a case"))
    assert len(found.rows) == 2
    assert found.columns == (
        *("cell", "reference", "reference:mode=fast", "onnxruntime", "torch"),
        *("reference plan", "run", "reference:mode=fast plan", "run"),
    )
    assert found.rows[1] == ("LSTM hidden 256 batch 8", "2.50", "-", "5.00", "5.00", "3.00", "4.50", "-", "-")


def test_a_cell_in_a_line(bench: BenchReport) -> None:
    assert cell_line(bench.cells[1]) == (
        "GRU0 hidden 64 batch 1: reference/1 40.0 us, reference:mode=fast/1 20.0 us, onnxruntime/1 80.0 us,"
        " reference/2 40.0 us, reference:mode=fast/2 20.0 us, onnxruntime/2 20.0 us"
    )
    assert cell_line(msgspec.structs.replace(bench.cells[1], timings=())).endswith(": nothing was timed")


def test_the_terminal_shows_every_table_and_ends_with_failures_and_the_closing_line(bench: BenchReport) -> None:
    file = io.StringIO()
    print_bench(bench, Console(file=file, width=40))
    lines = file.getvalue().splitlines()
    assert lines[0] == heading(bench)
    assert [line for line in lines if line in {item.title for item in tables(bench)}] == [
        item.title for item in tables(bench)
    ]
    assert "a  reference / onnxruntime" in file.getvalue()
    assert lines[-2:] == [*failure_lines(bench), closing_line(bench)]


def test_markdown_has_the_same_tables(bench: BenchReport) -> None:
    text = markdown.render(bench)
    assert text.startswith(f"**{heading(bench)}**\n\nContenders")
    assert (
        "| threads | reference | reference:mode=fast | onnxruntime | torch |\n| --- | ---: | ---: | ---: | ---: |"
        in text
    )
    assert "| 1 thread | 0.4 | 0.3 | 2.5 | 20.0 |" in text
    assert "| contender | versions | settings | peak |\n| --- | --- | --- | ---: |" in text
    assert f"- {failure_lines(bench)[0]}\n\n{closing_line(bench)}\n" in text


def test_json_has_numbers(bench: BenchReport) -> None:
    view = json.loads(json_view.render(bench))
    assert (view["state"], view["failures"], len(view["cells"])) == ("complete", 1, 3)
    assert view["header"]["contenders"][0]["peak"] == 64.0
    first = view["comparisons"][0]
    assert first.pop("geometric_mean") == pytest.approx(2 ** (-1 / 4))
    assert first.pop("by_threads") == {"1": pytest.approx(1.0), "2": pytest.approx(2 ** (-1 / 2))}
    assert first == {
        "what": "reference",
        "against": "onnxruntime",
        "where": "",
        "cells": 4,
        "worst": {"ratio": 0.5, "threads": 2, "layer": "GRU0", "seq": 64, "batch": 1, "hidden": 64},
    }


def test_the_plot_has_a_point_for_each_ratio_with_the_first(bench: BenchReport) -> None:
    root = ET.fromstring(svg.render(bench))  # noqa: S314 # written by the function under test
    points = {title.text: path for path in root.iter(f"{SVG}path") for title in path.iter(f"{SVG}title")}
    assert list(points) == [
        "reference:mode=fast: GRU0 hidden 64 batch 1, threads 1: 2.00 times as fast as reference",
        "onnxruntime: GRU0 hidden 64 batch 1, threads 1: 0.50 times as fast as reference",
        "reference:mode=fast: GRU0 hidden 64 batch 1, threads 2: 2.00 times as fast as reference",
        "onnxruntime: GRU0 hidden 64 batch 1, threads 2: 2.00 times as fast as reference",
        "onnxruntime: LSTM hidden 256 batch 8, threads 1: 2.00 times as fast as reference",
        "torch: LSTM hidden 256 batch 8, threads 1: 1.33 times as fast as reference",
        "onnxruntime: LSTM hidden 256 batch 8, threads 2: 1.00 times as fast as reference",
    ]
    heights = [float(path.get("transform", "").rstrip(")").split(",")[1]) for path in points.values()]
    top = 64.0  # of the first row of panels, which span the powers of 2 from 1/2 to 2
    assert heights[:4] == [top, top + 150, top, top]
    assert len({(points[name].get("fill")) for name in list(points)[4:6]}) == 2


def test_the_plot_names_panels_axes_and_contenders(bench: BenchReport) -> None:
    root = ET.fromstring(svg.render(bench))  # noqa: S314 # written by the function under test
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"GRU0, 1 thread", "GRU0, 2 threads", "LSTM, 1 thread", "LSTM, 2 threads"} < set(texts)
    assert texts[1:4] == ["reference:mode=fast", "onnxruntime", "torch"]
    assert {"1/2", "1", "2", "hidden 64", "hidden 256", "batch"} < set(texts)


def test_the_plot_spans_every_ratio(bench: BenchReport) -> None:
    slow = Timing("torch", 1, 8 * 8_388_608 - 1, 7, 1)
    bench.cells[2] = msgspec.structs.replace(bench.cells[2], timings=(bench.cells[2].timings[0], slow))
    root = ET.fromstring(svg.render(bench))  # noqa: S314 # written by the function under test
    texts = {text.text for text in root.iter(f"{SVG}text")}
    assert {"1/8", "1/4", "1/2", "1", "2"} < texts
    assert not {"1/16", "4"} & texts


def test_a_bench_that_timed_nothing_is_shown(bench: BenchReport) -> None:
    bench.cells.clear()
    assert [item.title for item in tables(bench)] == ["Contenders; peak: GFLOP/s of one core"]
    assert ET.fromstring(svg.render(bench)).findall(f"{SVG}line") == []  # noqa: S314 # likewise
    assert json.loads(json_view.render(bench))["comparisons"] == []
