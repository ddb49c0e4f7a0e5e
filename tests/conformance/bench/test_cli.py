import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

from gatewise.cli import main
from gatewise_implementations.contenders.contender import Prepared
from gatewise_implementations.contenders.reference import ReferenceContender
from gatewise_reports.bench.report import read_bench_report

SMALL = ("--hidden", "5", "--batch", "3", "--rounds", "1", "--seconds", "0")


def gatewise(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def bench(*words: str | Path) -> Result:
    return gatewise("bench", *SMALL, "--contender", "reference:scalar", *words)


def test_a_bench_is_shown_and_written(tmp_path: Path) -> None:
    result = bench("--layer", "GRU1", "--threads", "3", "-o", tmp_path / "new" / "folder")
    assert result.exit_code == 0, result.output
    assert "GRU1 hidden 5 batch 3        3" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("2 cells, no failure in ")
    assert result.stderr.splitlines()[1].startswith("GRU1 hidden 5 batch 3: reference:scalar/3 ")
    report = read_bench_report(tmp_path / "new" / "folder" / "bench.jsonl")
    assert [(cell.layer, cell.hidden, cell.timings[0].threads) for cell in report.cells] == [
        ("RNN", 1, 3),
        ("GRU1", 5, 3),
    ]
    assert report.state == "complete"
    plot = ET.parse(tmp_path / "new" / "folder" / "bench.svg").getroot()  # noqa: S314 # written by the command above
    assert "GRU1, 3 threads" in [text.text for text in plot.iter("{http://www.w3.org/2000/svg}text")]


def test_all_layers_and_two_numbers_of_threads_are_the_default() -> None:
    result = bench("--format", "json")
    cells = json.loads(result.stdout)["cells"]
    assert [cell["layer"] for cell in cells] == ["RNN", "RNN", "GRU0", "GRU1", "LSTM"]
    assert [timing["threads"] for timing in cells[-1]["timings"]] == [1, 2]


def test_what_is_given_twice_is_timed_once() -> None:
    result = bench(
        "--contender",
        "reference:scalar",
        "--layer",
        "RNN",
        "--layer",
        "RNN",
        "--threads",
        "1",
        "--threads",
        "1",
        "--format",
        "json",
    )
    view = json.loads(result.stdout)
    assert [contender["spec"] for contender in view["header"]["contenders"]] == ["reference:scalar"]
    assert [(cell["hidden"], len(cell["timings"])) for cell in view["cells"]] == [(1, 1), (5, 1)]


def test_a_report_is_viewed_again_in_every_format(tmp_path: Path) -> None:
    result = bench("--layer", "RNN", "--threads", "1", "-o", tmp_path)
    path = tmp_path / "bench.jsonl"
    assert gatewise("show", path).output == result.stdout
    assert gatewise("show", path, "--format", "markdown").output.startswith("**bench: ")
    assert len(json.loads(gatewise("show", path, "--format", "json").output)["cells"]) == 2
    refused = gatewise("show", path, "--verdict", "wrong")
    assert refused.exit_code == 2
    assert refused.stderr.endswith("is the report of a bench, which has no results of cases\n")


def test_a_contender_that_fails_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Prepared:
        raise OSError("no")

    monkeypatch.setattr(ReferenceContender, "prepare", broken)
    result = bench("--layer", "RNN", "--threads", "1")
    assert result.exit_code == 1
    assert (
        result.stdout.splitlines()[-2] == "RNN hidden 5 batch 3: reference:scalar with 1 thread failed: OSError: no"
    )
    assert result.stdout.splitlines()[-1].startswith("2 cells, 2 failures in ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--contender", "tensorflow"),
            "contender 'tensorflow' is not one of reference, onnxruntime, openvino, torch",
        ),
        (
            ("--contender", "reference:threads=2"),
            "reference: threads is no option of a contender; --threads N sets it for all",
        ),
        (("--contender", "reference:avx9"), "reference: there is no option 'avx9'"),
        (("--layer", "GRU"), "'GRU' is not one of 'RNN', 'GRU0', 'GRU1', 'LSTM'"),
        (("--hidden", "0"), "0 is not in the range 1<=x<=2048"),
        (("--batch", "257"), "257 is not in the range 1<=x<=256"),
        (("--threads", "257"), "257 is not in the range 1<=x<=256"),
        (("--rounds", "0"), "0 is not in the range 1<=x<=1000"),
        (("--seconds", "nan"), "nan is not a number of seconds"),
        (("--seconds", "-1"), "-1.0 is not in the range 0<=x<=3600"),
        (("-o", "/dev/null/here"), "/dev/null/here: cannot be made (Not a directory)"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_usage_is_told_in_a_sentence(words: tuple[str, ...], message: str) -> None:
    result = bench(*words)
    assert result.exit_code == 2
    assert message in result.stderr
