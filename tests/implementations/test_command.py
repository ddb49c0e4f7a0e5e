"""Programs that run one case and end: exit codes, files, time limit."""

import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from gatewise_corpus.case import Case
from gatewise_corpus.outcome import Crashed, Raised, Ran, Refused, TimedOut
from gatewise_implementations.adapter import CrashError, RefusalError
from gatewise_implementations.command import Command, make_adapter
from gatewise_implementations.process import Worker

ANSWER = """
import pathlib, sys
import numpy as np
import onnx
from onnx import numpy_helper
model, inputs, outputs = (pathlib.Path(argument) for argument in sys.argv[1:4])
def read(name):
    tensor = onnx.load_tensor(inputs / name)
    return numpy_helper.to_array(tensor)
def write(index, array, name=""):
    onnx.save_tensor(numpy_helper.from_array(array, name), outputs / f"output_{index}.pb")
"""


def command(tmp_path: Path, body: str) -> str:
    script = tmp_path / "program.py"
    script.write_text(ANSWER + body)
    return f"{shlex.join([sys.executable, str(script)])} {{model}} {{inputs}} {{outputs}}"


def program(tmp_path: Path, body: str) -> Command:
    return make_adapter(command(tmp_path, body))


def test_inputs_are_read_and_outputs_written_as_tensors(rnn: Case, tmp_path: Path) -> None:
    body = """
assert [entry.name for entry in onnx.load_model(model).graph.input] == ["X", "R", "B"]
assert sorted(path.name for path in inputs.iterdir()) == ["input_0.pb", "input_1.pb", "input_2.pb"]
write(0, 2 * read("input_0.pb"))
write(1, read("input_2.pb").astype(np.float16))
"""
    outputs = program(tmp_path, body).run(rnn.replace(constants=frozenset({"W"}))).outputs
    assert list(outputs) == ["Y", "Y_h"]
    np.testing.assert_array_equal(outputs["Y"], 2 * rnn.inputs["X"])
    assert outputs["Y_h"].dtype == np.float16
    np.testing.assert_array_equal(outputs["Y_h"], rnn.inputs["B"])


def test_a_tensor_with_the_name_of_an_output_is_that_output(rnn: Case, tmp_path: Path) -> None:
    body = 'write(0, np.float32([1]), "Y_h")\nwrite(1, np.float32([2]), "Y")'
    outputs = program(tmp_path, body).run(rnn).outputs
    assert outputs["Y"].tolist() == [2]
    assert outputs["Y_h"].tolist() == [1]


def test_exit_code_2_is_a_refusal_with_its_reason(rnn: Case, tmp_path: Path) -> None:
    with pytest.raises(RefusalError, match=r"^no layout 1 here$"):
        program(tmp_path, 'print("no layout 1 here", file=sys.stderr)\nsys.exit(2)').run(rnn)
    with pytest.raises(RefusalError, match=r"^the program gave no reason$"):
        program(tmp_path, "sys.exit(2)").run(rnn)


@pytest.mark.parametrize(
    ("body", "how"),
    [
        ("print('why', file=sys.stderr, flush=True)\nimport os\nos.abort()", "SIGABRT"),
        ("sys.exit('why')", "exit code 1"),
        ("print('why', file=sys.stderr)\nsys.exit(3)", "exit code 3"),
    ],
)
def test_any_other_end_is_a_crash(rnn: Case, tmp_path: Path, body: str, how: str) -> None:
    with pytest.raises(CrashError) as error:
        program(tmp_path, body).run(rnn)
    assert error.value.how == how
    assert error.value.stderr == "why"
    with Worker(f"command:{command(tmp_path, body)}") as worker:
        assert worker.run(rnn) == Crashed(how, "why")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("write(0, np.float32([1]))", "the program ended with 0, but did not write output_1.pb (Y_h)"),
        ("", "the program ended with 0, but did not write output_0.pb (Y)"),
        ("(outputs / 'output_0.pb').write_bytes(b'no tensor')", "output_0.pb: does not hold a tensor"),
        ("for index in range(3): write(index, np.float32([1]))", "so output_2 belongs to none"),
    ],
)
def test_outputs_that_are_not_there_are_an_exception(rnn: Case, tmp_path: Path, body: str, sentence: str) -> None:
    with Worker(f"command:{command(tmp_path, body)}") as worker:
        outcome = worker.run(rnn)
    assert isinstance(outcome, Raised)
    assert outcome.exception == "FormatError"
    assert sentence in outcome.message


def test_what_a_program_prints_is_harmless_and_the_next_case_runs(rnn: Case, tmp_path: Path) -> None:
    body = """
print("x" * 100_000)
print("e" * 1_000_000, file=sys.stderr)
assert sys.stdin.read() == ""
if b"Relu" in model.read_bytes():
    sys.exit(2)
write(0, np.float32([1]))
write(1, np.float32([2]))
"""
    with Worker(f"command:{command(tmp_path, body)}") as worker:
        assert isinstance(worker.run(rnn.with_attributes(activations=("Relu",))), Refused)
        outcome = worker.run(rnn)
    assert isinstance(outcome, Ran)
    assert outcome.outputs["Y_h"].tolist() == [2]


def test_a_program_that_hangs_is_ended(rnn: Case, tmp_path: Path) -> None:
    with Worker(f"command:{command(tmp_path, 'import time; time.sleep(3600)')}", time_limit=1) as worker:
        assert worker.run(rnn) == TimedOut(1)


def test_the_description_is_the_command(tmp_path: Path) -> None:
    text = command(tmp_path, "")
    description = make_adapter(text).describe()
    assert description.name == f"command:{Path(sys.executable).name}"
    assert description.settings == {"command": text}
