"""A gate that is killed leaves a report that can be viewed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from gatewise.cli import main
from gatewise_corpus.recipes.recipe import Sizes, draw
from gatewise_corpus.store import About, save_entry
from gatewise_reports.report import read_report

PATIENCE = 60.0


def wait_for_lines(path: Path, count: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert time.monotonic() < deadline, "the gate wrote nothing"
        time.sleep(0.05)


def heed_interrupts() -> None:
    """A shell in the background starts its children with interrupts ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(
    ("sent", "state"),
    [(signal.SIGKILL, "unfinished"), (signal.SIGINT, "stopped early"), (signal.SIGTERM, "stopped early")],
    ids=["kill", "interrupt", "terminate"],
)
def test_a_stopped_gate_leaves_a_report(tmp_path: Path, sent: signal.Signals, state: str) -> None:
    """The second case hangs, so that the gate is stopped while it waits."""
    sizes = Sizes(4, 3, 2, 5)
    save_entry(tmp_path / "store", "rnn/a", draw("killed-a", "RNN", sizes), About("why", "hand"))
    hanging = draw("killed-b", "RNN", sizes, attributes={"clip": 0.5})
    save_entry(tmp_path / "store", "rnn/b", hanging, About("why", "hand"))
    report = tmp_path / "r.jsonl"
    words = ["gate", "-i", "backend:planted:fault_hang", "--cases", str(tmp_path / "store"), "--examples", "0"]
    words += ["--time-limit", "600", "--report", str(report)]
    command = [sys.executable, "-c", "from gatewise.cli import main; main()", *words]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    with subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,  # noqa: PLW1509 - this test has no threads
    ) as gate:
        try:
            wait_for_lines(report, 2)
            gate.send_signal(sent)
            _, errors = gate.communicate(timeout=PATIENCE)
        finally:
            gate.kill()
    assert "Traceback" not in errors
    found = read_report(report)
    assert (found.state, [result.case for result in found.results]) == (state, ["rnn/a"])
    shown = CliRunner().invoke(main, ["show", str(report)])
    assert shown.exit_code == 0
    assert shown.output.splitlines()[-1].startswith("1 result, all as expected")
    assert shown.output.splitlines()[-1].endswith(f"- {state}: 2 were planned")
