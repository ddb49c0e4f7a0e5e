"""``gatewise matrix`` as its users type it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from gatewise.cli import main
from gatewise_reports.report import read_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SCALAR, FAST = "reference:scalar,threads=1", "reference:scalar,threads=1,mode=fast"


def gatewise(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_implementations_are_run_and_their_reports_kept_by_name(store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "matrix"
    result = gatewise("matrix", "-i", SCALAR, "-i", FAST, "-i", SCALAR, "--cases", store, "-o", folder)
    assert result.exit_code == 0, result.output
    reports = {path.name: read_report(path) for path in (folder / "reports").iterdir()}
    assert {name: report.header.spec for name, report in reports.items()} == {
        "reference-0.1.0-scalar-threads=1.jsonl": SCALAR,
        "reference-0.1.0-scalar-threads=1-mode=fast.jsonl": FAST,
    }
    assert {report.state for report in reports.values()} == {"complete"}
    header = reports["reference-0.1.0-scalar-threads=1.jsonl"].header
    assert header.options == {"cases": str(store), "examples": "0"}
    found = json.loads((folder / "matrix.json").read_text())
    assert [row["cells"][0]["results"] for row in found["rows"][:3]] == [{"right": 4}, {"right": 3}, {"right": 1}]
    assert (folder / "index.html").read_text().startswith("<!doctype html>")
    assert sorted(path.stem for path in (folder / "badges").iterdir()) == sorted(
        name.removesuffix(".jsonl") for name in reports
    )


def test_reports_and_runs_stand_together(store: Path, tmp_path: Path) -> None:
    report = tmp_path / "r.jsonl"
    gatewise("gate", "-i", FAST, "--cases", store, "--examples", "2", "--report", report)
    result = gatewise("matrix", report, "-i", SCALAR, "--cases", store, "--format", "json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [(column["spec"], column["left_out"]) for column in found["columns"]] == [(SCALAR, 0), (FAST, 2)]
    assert found["cases"]["rnn/d"]["verdicts"] == ["refused", "refused"]


def test_only_some_cases(store: Path) -> None:
    result = gatewise("matrix", "-i", SCALAR, "--cases", store, "--only", "rnn/*", "--format", "markdown")
    assert result.stdout.startswith("**RNN: 2 cases on 1 implementation**")
    assert "| operator | RNN | ✓ 1 |" in result.stdout
    assert "GRU |" not in result.stdout


def test_the_terminal_shows_the_table(store: Path) -> None:
    result = gatewise("matrix", "-i", SCALAR, "--cases", store)
    line = next(line for line in result.stdout.splitlines() if line.startswith("invalid input"))
    assert line.split() == ["invalid", "input", "hidden-size-mismatch", "✓", "1"]
    assert "4 results, all as expected" in result.stderr


def test_what_is_not_as_expected_gives_exit_code_1(store: Path, tmp_path: Path) -> None:
    report = tmp_path / "r.jsonl"
    options = ("--cases", store, "--examples", "0", "--no-shipped-list", "--report", report)
    gatewise("gate", "-i", "onnx-reference", *options)
    result = gatewise("matrix", report, "--cases", store)
    assert result.exit_code == 1
    assert "onnx-reference 1.2" in result.stdout


def test_an_unfinished_report_is_shown_and_gives_exit_code_1(store: Path, tmp_path: Path) -> None:
    report = tmp_path / "r.jsonl"
    gatewise("gate", "-i", SCALAR, "--cases", store, "--examples", "0", "--report", report)
    report.write_bytes(b"".join(report.read_bytes().splitlines(keepends=True)[:3]))
    result = gatewise("matrix", report, "--cases", store, "--format", "json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert found["columns"][0]["state"] == "unfinished"
    assert [case["verdicts"] for case in found["cases"].values()] == [["pass"], ["pass"], [None], [None]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "a matrix needs a report, and there is none"),
        (("{tmp}/none.jsonl",), "does not exist"),
        (("{tmp}/bad.jsonl",), "bad.jsonl, line 1: is not a record of a report"),
        (("-i", "nonsense"), "'nonsense' is not one of"),
        (("-i", SCALAR, "--only", "none/*"), "there is no case that matches 'none/*'"),
        (
            ("{tmp}/fine.jsonl", "{tmp}/copy.jsonl"),
            "fine.jsonl and {tmp}/copy.jsonl are reports of the same: reference",
        ),
        (
            ("{tmp}/fine.jsonl", "-i", SCALAR),
            "reference:scalar,threads=1 and {tmp}/fine.jsonl are reports of the same",
        ),
        (("{tmp}/other.jsonl",), "other.jsonl: is about none of the cases of the store"),
        (("-i", SCALAR, "-o", "{tmp}/bad.jsonl/x"), "cannot be made (Not a directory)"),
        (("{tmp}/fine.jsonl", "-o", "/proc/none"), "/proc/none/index.html: cannot be written"),
    ],
)
def test_bad_input_is_told_in_a_sentence(store: Path, tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    (tmp_path / "bad.jsonl").write_text("nothing\n")
    fine = tmp_path / "fine.jsonl"
    gatewise("gate", "-i", SCALAR, "--cases", store, "--examples", "0", "--report", fine)
    (tmp_path / "copy.jsonl").write_bytes(fine.read_bytes())
    gatewise("gate", "-i", SCALAR, "--only", "rnn/smallest", "--examples", "0", "--report", tmp_path / "other.jsonl")
    told = [word.replace("{tmp}", str(tmp_path)) for word in words]
    result = gatewise("matrix", "--cases", store, *told)
    assert result.exit_code == 2
    assert message.replace("{tmp}", str(tmp_path)) in result.stderr
    assert "Traceback" not in result.stderr


def test_nothing_is_run_if_one_implementation_cannot_start(store: Path, tmp_path: Path) -> None:
    result = gatewise("matrix", "-i", SCALAR, "-i", "serve:no-such-program", "--cases", store, "-o", tmp_path / "out")
    assert result.exit_code == 2
    assert "'no-such-program' cannot be started" in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("interrupted")
def test_an_interrupt_leaves_the_reports(store: Path, tmp_path: Path) -> None:
    result = gatewise("matrix", "-i", SCALAR, "--cases", store, "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert "Aborted" in result.stderr
    (report,) = (tmp_path / "out" / "reports").iterdir()
    assert (read_report(report).state, len(read_report(report).results)) == ("stopped early", 2)
    assert not (tmp_path / "out" / "index.html").exists()


@pytest.mark.browser
def test_the_page_of_real_runtimes_opens(browser: "Browser", tmp_path: Path) -> None:
    """Some of the corpus on three implementations; onnx's evaluator ignores the lengths."""
    specs = ("-i", "reference", "-i", "onnxruntime", "-i", "onnx-reference")
    result = gatewise("matrix", *specs, "--only", "*/*lengths*", "-o", tmp_path)
    assert result.exit_code == 0, result.output
    heard: list[str] = []
    page = browser.new_page()
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("request", lambda request: heard.append(request.url))
    address = (tmp_path / "index.html").as_uri()
    page.goto(address)
    names = page.locator("#matrix thead a").all_text_contents()
    assert [name.split()[0] for name in names] == ["reference", "onnxruntime", "onnx-reference"]
    page.fill("[name=text]", "mixed")
    page.locator("#matrix td[data-name^=onnx-reference] a:visible").nth(3).click()
    page.locator("#panel summary", has_text="gru/lengths-mixed-reverse").click()
    article = page.locator("#panel article:visible")
    assert "sequence_lens is not read: every row runs all steps [lengths-ignored]" in str(article.text_content())
    assert article.locator("svg path.reverse").count() > 0
    assert heard == [address]
    page.close()
