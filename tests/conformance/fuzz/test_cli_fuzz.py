"""``gatewise fuzz`` as its users type it, interrupt it and kill it."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gatewise.cli import main
from gatewise_corpus.store import case_folders, load_entry

MUTANT = f"serve:{sys.executable} -m gatewise.mutant"
PATIENCE = 120.0


def fuzz(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["fuzz", *map(str, words)])


def test_a_right_implementation_has_no_faults() -> None:
    result = fuzz("-i", "reference:scalar,threads=1", "--examples", "120", "--seed", "9", "--workers", "2")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0] == "seed 9"
    cases, reached, rate, faults = lines[-4:]
    told = re.fullmatch(r"120 cases: (\d+) pass, (\d+) refused; (\d+) \w+, (\d+) \w+, (\d+) \w+", cases)
    assert told
    passed, refused, *operators = map(int, told.groups())
    assert passed + refused == sum(operators) == 120
    assert " of 1377 pairs and " in reached
    assert " cases per second in " in rate
    assert rate.endswith(" per second of processor time")
    assert faults == "0 faults, seed 9"


def test_a_fault_is_told_once_and_kept(tmp_path: Path) -> None:
    words = (
        "-i",
        f"{MUTANT} gru-gates-rzh",
        "--examples",
        "60",
        "--seed",
        "9",
        "--operator",
        "GRU",
        "--save",
        tmp_path,
    )
    result = fuzz(*words)
    assert result.exit_code == 1, result.output
    assert result.output.count("found: GRU wrong: gru-gates-rzh\n") == 1
    assert "the blocks of W, R and B stand in the order r, z, h" in result.output
    (folder,) = case_folders(tmp_path)
    assert f"kept in {folder}" in result.output.replace("\n", "")
    assert result.output.splitlines()[-1] == "1 fault, seed 9"
    again = fuzz(*words)
    assert again.exit_code == 1
    assert "GRU wrong: gru-gates-rzh: found earlier, and shows still" in again.output
    right = fuzz("-i", "reference:scalar,threads=1", "--examples", "10", "--save", tmp_path)
    assert right.exit_code == 0
    assert f"{folder.relative_to(tmp_path)}: found earlier, and does not show any more" in right.output


def test_people_read_the_numbers_of_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "raising.py").write_text("def prepare(model, device):\n    raise ValueError('step 12 of 34')\n")
    monkeypatch.chdir(tmp_path)
    result = fuzz("-i", "backend:raising", "--examples", "1", "--seed", "9", "--operator", "GRU")
    assert result.exit_code == 1, result.output
    lines = result.output.splitlines()
    assert "found: GRU raised: ValueError: step 12 of 34" in lines
    assert "GRU raised: ValueError: step 12 of 34 (1 case)" in lines


def test_a_fresh_seed_is_printed_and_used() -> None:
    first, second = (fuzz("-i", "reference:scalar,threads=1", "--examples", "1") for _ in range(2))
    seeds = [result.output.splitlines()[0] for result in (first, second)]
    assert all(seed.startswith("seed ") for seed in seeds)
    assert seeds[0] != seeds[1]
    assert first.output.splitlines()[-1] == f"0 faults, {seeds[0]}"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-i", "nothing", "--examples", "1"], "implementation 'nothing' is not one of"),
        (["-i", "reference", "--against", "nothing", "--examples", "1"], "implementation 'nothing' is not one of"),
        (["-i", "reference", "--seconds", "nan"], "nan is not a number of seconds"),
        (["-i", "reference", "--seconds", "0"], "0.0 is not in the range x>0"),
        (["-i", "reference", "--examples", "0"], "0 is not in the range x>=1"),
        (["-i", "reference", "--scheduler", "nonsense://x"], "scheduler 'nonsense://x' cannot be reached"),
    ],
)
def test_what_a_user_can_put_right_is_told_in_a_sentence(words: list[str], message: str) -> None:
    result = fuzz(*words)
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "sent", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=["kill", "interrupt", "terminate"]
)
def test_a_stopped_run_has_kept_what_it_found(tmp_path: Path, sent: signal.Signals) -> None:
    words = [
        "fuzz",
        "-i",
        f"{MUTANT} gru-gates-rzh",
        "--seconds",
        "600",
        "--operator",
        "GRU",
        "--save",
        str(tmp_path),
    ]
    command = [sys.executable, "-c", "from gatewise.cli import main; main()", *words]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no threads here
        start_new_session=True,
    ) as run:
        deadline = time.monotonic() + PATIENCE
        while not list(tmp_path.glob("gru/*/case.toml")):
            assert time.monotonic() < deadline, "nothing was found"
            time.sleep(0.05)
        run.send_signal(sent)
        output, _ = run.communicate(timeout=PATIENCE)
    assert "Traceback" not in output
    folders = [path.parent for path in tmp_path.glob("gru/*/case.toml")]
    assert any("gru-gates-rzh" in load_entry(folder).about.why for folder in folders)
    if sent != signal.SIGKILL:
        assert run.returncode == 1
        assert all(f"kept in {folder}\n" in output for folder in folders)
        assert f"\n{len(folders)} fault" in output
