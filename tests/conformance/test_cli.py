"""The commands as their users type them, on the reference and on a small store."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner, Result
from onnx import numpy_helper

from gatewise.cli import COMMANDS, main
from gatewise.jobs import fresh_jobs
from gatewise_corpus.case import Array, Case
from gatewise_corpus.onnx_folder import write_folder
from gatewise_corpus.onnx_model import to_model
from gatewise_reports.report import read_report

Compute = Callable[[Case], Mapping[str, Array]]
REFERENCE = "reference:scalar,threads=1"


def gatewise(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def wrong_outputs(tmp_path: Path, gru: Case, compute: Compute) -> Path:
    """A folder whose outputs are not those of its case."""
    folder = tmp_path / "wrong"
    write_folder(folder, gru, {name: array + np.float32(0.01) for name, array in compute(gru).items()})
    return folder


@pytest.mark.parametrize("words", [(), *((name,) for name in COMMANDS), ("corpus", "add")], ids=" ".join)
def test_help_begins_with_a_sentence_and_ends_with_two_examples(words: tuple[str, ...]) -> None:
    result = gatewise(*words, "--help")
    assert result.exit_code == 0
    _, sentence, *_ = result.output.split("\n\n")
    assert "." in sentence
    *_, heading, first, second = result.output.rstrip().splitlines()
    assert heading.strip() == "Examples:"
    assert first.split()[0] == second.split()[0] == "gatewise"
    assert first.split()[1 : 1 + len(words)] == list(words)


def test_the_gate_passes_the_reference_and_writes_both_reports(store: Path, tmp_path: Path) -> None:
    report, junit = tmp_path / "r.jsonl", tmp_path / "r.xml"
    words = ("--cases", store, "--examples", "5", "--seed", "3", "--report", report, "--junit", junit)
    result = gatewise("gate", "-i", REFERENCE, *words)
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[-1].startswith("9 results, all as expected in ")
    found = read_report(report)
    assert [item.case for item in found.results] == [
        "gru/b",
        "lstm/c",
        "rnn/a",
        "rnn/d",
        *(job.name for job in fresh_jobs(5, 3)),
    ]
    assert {item.verdict for item in found.results} <= {"pass", "refused"}
    assert found.results[3].verdict == "refused"
    assert found.state == "complete"
    assert found.header.options == {"cases": str(store), "examples": "5"}
    suite = ET.parse(junit).getroot()[0]  # noqa: S314 # written by the command above
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("9", "0", "0")


def test_only_some_cases(store: Path) -> None:
    result = gatewise("gate", "-i", REFERENCE, "--cases", store, "--examples", "0", "--only", "rnn/*")
    assert result.output.splitlines()[-1].startswith("2 results, all as expected")


def test_each_of_several_implementations_has_its_report(store: Path, tmp_path: Path) -> None:
    words = ("--cases", store, "--examples", "0", "--only", "gru/b", "--report", tmp_path / "r.jsonl")
    result = gatewise("gate", "-i", REFERENCE, "-i", "onnxruntime", *words)
    assert result.exit_code == 0, result.output
    specs = {path.name: read_report(path).header.spec for path in tmp_path.glob("r.*.jsonl")}
    assert specs == {"r.reference-scalar-threads-1.jsonl": REFERENCE, "r.onnxruntime.jsonl": "onnxruntime"}


def test_a_failure_is_told_and_the_command_it_names_runs_it_again(wrong_outputs: Path) -> None:
    result = gatewise("check", wrong_outputs, "-i", REFERENCE)
    assert result.exit_code == 1
    assert f"{wrong_outputs} [given outputs]: GRU-14 " in result.output
    assert "  wrong: breaks the specification: no float32 evaluation" in result.output
    again = next(line for line in result.output.splitlines() if "run again" in line)
    assert again == f"  run again: gatewise check -i {REFERENCE} {wrong_outputs}"
    assert gatewise(*again.partition("gatewise ")[2].split()).exit_code == 1


def test_the_command_that_a_gate_names_takes_the_same_failures_for_known(tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_text('[[known]]\nreason = "r"\nverdict = "wrong"\nwhen = { operator = "GRU" }\n')
    words = ("gate", "-i", "onnxruntime", "--examples", "0", "--only", "rnn/clip-zero", "--known-failures")
    result = gatewise(*words, tmp_path / "known.toml", "--no-shipped-list")
    assert result.exit_code == 1
    again = next(line for line in result.output.splitlines() if "run again" in line).partition("gatewise ")[2]
    assert f"--known-failures {tmp_path / 'known.toml'} --no-shipped-list" in again
    assert gatewise(*again.split()).exit_code == 1


def test_check_draws_inputs_for_a_model(tmp_path: Path, lstm: Case) -> None:
    path = tmp_path / "lstm.onnx"
    path.write_bytes(to_model(lstm).SerializeToString())
    result = gatewise("check", path, "-i", REFERENCE, "--seed", "7", "--report", tmp_path / "r.jsonl")
    assert result.exit_code == 0, result.output
    (found,) = read_report(tmp_path / "r.jsonl").results
    assert (found.case, found.verdict, found.judged) == (str(path), "pass", "stepwise")


def test_run_writes_what_came_and_does_not_judge(tmp_path: Path, gru: Case, compute: Compute) -> None:
    folder, output = tmp_path / "case", tmp_path / "out" / "put"
    write_folder(folder, gru, {})
    result = gatewise("run", folder, "-i", REFERENCE, "-o", output)
    assert result.exit_code == 0, result.output
    assert result.output.splitlines() == ["output_0.pb: Y float32[4, 2, 3, 5]", "output_1.pb: Y_h float32[2, 3, 5]"]
    for index, name in enumerate(("Y", "Y_h")):
        tensor = onnx.TensorProto.FromString((output / f"output_{index}.pb").read_bytes())
        assert tensor.name == name
        np.testing.assert_allclose(numpy_helper.to_array(tensor), compute(gru)[name], atol=1e-6)


def test_run_says_why_a_case_did_not_run(tmp_path: Path, gru: Case) -> None:
    write_folder(tmp_path / "case", gru.with_attributes(hidden_size=6), {})
    result = gatewise("run", tmp_path / "case", "-i", REFERENCE, "-o", tmp_path / "out")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"{tmp_path / 'case'}: refused: ")
    assert not (tmp_path / "out").exists()


@pytest.fixture
def report(wrong_outputs: Path, tmp_path: Path) -> Path:
    path = tmp_path / "r.jsonl"
    gatewise("check", wrong_outputs, "-i", REFERENCE, "--report", path)
    return path


def test_show_views_a_report(report: Path) -> None:
    pretty = gatewise("show", report)
    assert pretty.exit_code == 0
    assert pretty.output.splitlines()[-1].startswith("2 results, 1 finding in ")
    viewed = json.loads(gatewise("show", report, "--format", "json").output)
    assert (viewed["verdicts"], viewed["others"]) == ({"pass": 1}, {"given outputs": {"wrong": 1}})
    assert gatewise("show", report, "--verdict", "wrong").output.splitlines()[1].startswith("  wrong: breaks")
    assert gatewise("show", report, "--verdict", "crashed").exit_code == 2
    assert gatewise("show", report, "--format", "markdown").output.startswith(f"**{REFERENCE}: reference")


def test_show_views_one_case(report: Path, wrong_outputs: Path) -> None:
    result = gatewise("show", report, "--case", str(wrong_outputs))
    assert result.exit_code == 0
    assert [line.split(":")[0] for line in result.output.splitlines() if line.startswith("  ")][:2] == [
        "  pass",
        "  wrong",
    ]
    assert '"verdict": "wrong"' in gatewise("show", report, "--case", "*wrong", "--format", "json").output
    assert "```text" in gatewise("show", report, "--case", "*wrong", "--format", "markdown").output


def test_implementations_lists_adapters_and_forms() -> None:
    pretty = gatewise("implementations").output
    assert "reference" in pretty
    assert "serve:PROGRAM" in pretty
    found = json.loads(gatewise("implementations", "--format", "json").output)
    assert {item["name"]: item["reason"] for item in found["adapters"]}["reference"] == ""
    assert "| onnxruntime |" in gatewise("implementations", "--format", "markdown").output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("gate", "-i", "nonsense", "--examples", "1"), "'nonsense' is not one of"),
        (("gate", "-i", "serve:no-such-program", "--examples", "1"), "'no-such-program' cannot be started"),
        (("gate", "--only", "none/*", "--examples", "0"), "there is no case that matches 'none/*'"),
        (("gate", "--cases", "{tmp}/none"), "does not exist"),
        (("gate", "--examples", "-1"), "-1 is not in the range x>=0"),
        (("gate", "--workers", "0"), "0 is not in the range"),
        (("gate", "--seed", "4294967296"), "4294967296 is not in the range"),
        (("gate", "--time-limit", "0"), "0 is not in the range"),
        (("gate", "--examples", "1", "--report", "{tmp}/no/r.jsonl"), "r.jsonl: cannot be written"),
        (("gate", "--known-failures", "{tmp}/none.toml"), "does not exist"),
        (("gate", "--examples", "1", "--known-failures", "{tmp}/bad.toml"), "bad.toml: "),
        (("check", "{tmp}", "-i", "reference"), "is neither an .onnx model nor a folder that holds one"),
        (("check", "-i", "reference"), "Missing argument"),
        (("check", "{tmp}"), "Missing option '-i'"),
        (("run", "{tmp}", "-i", "reference", "-o", "{tmp}/o"), "model.onnx: cannot be read"),
        (("show", "{tmp}/bad.toml"), "is not a record of a report"),
        (("show", "{tmp}/none"), "does not exist"),
        (("nothing",), "No such command"),
    ],
)
def test_bad_input_is_told_in_a_sentence(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    (tmp_path / "bad.toml").write_text("known = nothing\n")
    result = gatewise(*(word.replace("{tmp}", str(tmp_path)) for word in words))
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_show_names_a_case_that_is_not_there(report: Path) -> None:
    result = gatewise("show", report, "--case", "none")
    assert (result.exit_code, "there is no result of a case 'none'" in result.stderr) == (2, True)


@pytest.mark.usefixtures("interrupted")
def test_an_interrupt_leaves_a_report_that_says_so(store: Path, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    result = gatewise("gate", "-i", REFERENCE, "--cases", store, "--examples", "0", "--report", path)
    assert result.exit_code == 1
    assert "2 results, all as expected" in result.output
    assert "stopped early: 4 were planned" in result.output
    found = read_report(path)
    assert (found.state, len(found.results)) == ("stopped early", 2)


def test_a_time_limit_is_a_number() -> None:
    result = gatewise("gate", "--time-limit", "nan")
    assert result.exit_code == 2
    assert "nan is not a number of seconds" in result.output


def test_a_full_disk_is_told_in_a_sentence() -> None:
    result = gatewise("gate", "--only", "rnn/smallest", "--examples", "0", "--report", "/dev/full")
    assert result.exit_code == 2
    assert result.output.splitlines()[-1] == "Error: /dev/full: cannot be written (No space left on device)"


def test_run_leaves_no_output_of_an_earlier_run(tmp_path: Path, rnn: Case) -> None:
    write_folder(tmp_path / "case", rnn.with_attributes(direction="up"), {})
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "output_0.pb").write_bytes(b"stale")
    assert gatewise("run", tmp_path / "case", "-i", "reference", "-o", tmp_path / "out").exit_code == 1
    assert list((tmp_path / "out").iterdir()) == []


def test_an_output_that_cannot_be_written_is_told_in_a_sentence() -> None:
    with Path("/dev/full").open("wb") as full:
        command = [Path(sys.executable).with_name("gatewise"), "corpus", "list"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        "Error: standard output cannot be written (No space left on device)\n",
    )


def test_a_file_that_the_system_refuses_is_named() -> None:
    program = (
        "from gatewise import cli\n"
        "def sealed(name):\n"
        "    raise PermissionError(13, 'Permission denied', '/sealed')\n"
        "cli.import_module = sealed\n"
        "cli.main(['show', 'x'])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "Error: /sealed (Permission denied)\n")
