"""The pytest plugin in sessions of its own, in folders without a test file."""

import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from gatewise_corpus.recipes.recipe import Sizes, draw
from gatewise_corpus.store import About, save_entry

Run = Callable[..., "subprocess.CompletedProcess[str]"]
RIGHT = "backend:planted:fault_right"
CLIPLESS = "backend:planted:fault_clip_ignored"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs pytest on a store of an RNN, a GRU and an LSTM with a clip."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    for operator in ("RNN", "GRU", "LSTM"):
        attributes = {"clip": 0.05} if operator == "LSTM" else {}
        case = draw(f"plugin-{operator}", operator, Sizes(4, 3, 2, 5), attributes=attributes)
        save_entry(tmp_path / "store", f"{operator.lower()}/plain", case, About("why", "hand"))
    empty = tmp_path / "empty"
    empty.mkdir()

    def pytest_in_empty(spec: str, *words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "pytest", "--gatewise-implementation", spec, "-q"]
        command += ["--gatewise-cases", str(tmp_path / "store"), *words]
        return subprocess.run(command, cwd=empty, capture_output=True, text=True, check=False)

    return pytest_in_empty


def last_line(process: "subprocess.CompletedProcess[str]") -> str:
    return process.stdout.strip().splitlines()[-1]


def known(tmp_path: Path, *operators: str) -> str:
    path = tmp_path / "known.toml"
    entry = '[[known]]\nreason = "clip is ignored"\nverdict = "wrong"\nwhen = {{ operator = "{}" }}\n'
    path.write_text("".join(entry.format(operator) for operator in operators))
    return str(path)


def test_every_case_is_a_test(run: Run, tmp_path: Path) -> None:
    process = run(RIGHT, "--junitxml", str(tmp_path / "r.xml"))
    assert (process.returncode, last_line(process).startswith("3 passed")) == (0, True), process.stdout
    suite = ET.parse(tmp_path / "r.xml").getroot()[0]  # noqa: S314 # written by the session above
    assert [(case.get("classname"), case.get("name")) for case in suite] == [
        ("gatewise", "gru/plain"),
        ("gatewise", "lstm/plain"),
        ("gatewise", "rnn/plain"),
    ]


def test_a_failure_is_told_in_words_and_runs_again_alone(run: Run) -> None:
    process = run(CLIPLESS)
    assert (process.returncode, last_line(process).startswith("1 failed, 2 passed")) == (1, True), process.stdout
    assert "gatewise::lstm/plain - lstm/plain: LSTM-14" in process.stdout
    assert "  wrong: breaks the specification: no float32 evaluation of the formulas" in process.stdout
    assert "  first at Y[0,0,0," in process.stdout
    assert "Traceback" not in process.stdout
    again = run(CLIPLESS, "--last-failed")
    assert last_line(again).startswith("1 failed"), again.stdout


def test_cases_are_selected_by_name(run: Run) -> None:
    process = run(CLIPLESS, "-k", "rnn or gru")
    assert (process.returncode, last_line(process).startswith("2 passed, 1 deselected")) == (0, True), process.stdout


def test_xdist_shares_the_cases(run: Run) -> None:
    process = run(CLIPLESS, "-n", "2")
    assert (process.returncode, last_line(process).startswith("1 failed, 2 passed")) == (1, True), process.stdout


def test_a_known_failure_is_expected(run: Run, tmp_path: Path) -> None:
    process = run(CLIPLESS, "--gatewise-known-failures", known(tmp_path, "LSTM"), "-rx")
    assert (process.returncode, last_line(process).startswith("2 passed, 1 xfailed")) == (0, True), process.stdout
    assert "gatewise::lstm/plain - wrong: clip is ignored" in process.stdout


@pytest.mark.parametrize("words", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_stale_entry_fails_the_session(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    process = run(CLIPLESS, "--gatewise-known-failures", known(tmp_path, "LSTM", "GRU"), *words)
    assert process.returncode == 1, process.stdout
    assert "2 passed, 1 xfailed" in last_line(process)
    assert "entry 2 of known.toml (clip is ignored): no case that it matches fails in this way" in process.stdout, (
        process.stdout
    )


def test_a_part_of_the_corpus_tells_nothing_stale(run: Run, tmp_path: Path) -> None:
    process = run(CLIPLESS, "--gatewise-known-failures", known(tmp_path, "LSTM", "GRU"), "-k", "gru")
    assert process.returncode == 0, process.stdout


@pytest.mark.parametrize("words", [(), ("-n", "1")], ids=["alone", "xdist"])
def test_an_implementation_that_is_not_there_ends_the_session(run: Run, words: tuple[str, ...]) -> None:
    process = run("nonsense", *words)
    assert process.returncode == pytest.ExitCode.USAGE_ERROR
    assert "ERROR: implementation 'nonsense' is not one of" in process.stderr
    assert "Traceback" not in process.stderr + process.stdout


def test_without_the_option_the_plugin_does_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", str(tmp_path)]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert process.returncode == pytest.ExitCode.NO_TESTS_COLLECTED
