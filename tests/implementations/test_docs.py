"""The examples of the documentation do what the documentation says."""

import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from gatewise_corpus.case import Case
from gatewise_corpus.outcome import Ran, Refused
from gatewise_implementations import specs
from gatewise_implementations.process import Worker
from gatewise_implementations.protocol import (
    DescribeRequest,
    DescriptionAnswer,
    RanAnswer,
    RunRequest,
    decode_answer,
    decode_request,
    encode,
    from_answer,
    from_message,
)
from gatewise_implementations.schema import SCHEMAS, as_text, schemas

DOCS = Path(__file__).parents[2] / "docs"
PYTHON = shlex.quote(sys.executable)
SPECS = {
    "backend": "backend:my_backend",
    "command": f"command:{PYTHON} my_command.py {{model}} {{inputs}} {{outputs}}",
    "serve": f"serve:{PYTHON} my_server.py",
    "adapter": "my-runtime",
}


@pytest.fixture
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the examples of implementations.md; the adapter's is where a worker finds adapters."""
    text = (DOCS / "implementations.md").read_text()
    blocks = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", text, re.DOTALL)
    assert [name for name, _ in blocks] == [
        "my_runtime.py",
        "my_backend.py",
        "my_command.py",
        "my_server.py",
        "my_adapter.py",
    ]
    for name, code in blocks:
        (tmp_path / name).write_text(code)
    registration = """
import importlib, sys
from gatewise_implementations import specs
specs.ADAPTERS["my-runtime"] = specs.Entry("my-runtime", "my_adapter", "my_runtime", "my-runtime", "")
sys.modules["gatewise_implementations.my_adapter"] = importlib.import_module("my_adapter")
"""
    (tmp_path / "sitecustomize.py").write_text(registration)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    entry = specs.Entry("my-runtime", "my_adapter", "my_runtime", "my-runtime", "")
    monkeypatch.setitem(specs.ADAPTERS, "my-runtime", entry)
    return tmp_path


@pytest.fixture
def tanh_rnn(rnn: Case) -> Case:
    """``rnn`` with small weights and the default activation; T=4, N=2, I=5, H=3."""
    small = {name: (array / 16).astype(np.float32) for name, array in rnn.inputs.items()}
    start = np.array([[[0.5, -0.25, 0.125], [0.75, 0.0, -0.5]]], np.float32)
    return rnn.replace(attributes={"hidden_size": 3}, inputs={**small, "initial_h": start})


@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("way", SPECS)
@pytest.mark.parametrize("constants", [frozenset(), frozenset({"W", "R", "B"})], ids=["fed", "constants"])
def test_each_way_gives_the_values_of_onnx_runtime(way: str, constants: frozenset[str], tanh_rnn: Case) -> None:
    case = tanh_rnn.replace(constants=constants)
    with Worker("onnxruntime") as runtime, Worker(SPECS[way]) as worker:
        for requested in (("Y", "Y_h"), ("Y_h",)):
            expected, actual = (each.run(case.replace(outputs=requested)) for each in (runtime, worker))
            assert isinstance(expected, Ran)
            assert isinstance(actual, Ran), actual
            assert sorted(actual.outputs) == sorted(requested)
            for name in requested:
                np.testing.assert_allclose(actual.outputs[name], expected.outputs[name], rtol=0, atol=1e-6)


@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("way", SPECS)
def test_each_way_refuses_what_the_runtime_lacks(way: str, rnn: Case, gru: Case) -> None:
    with Worker(SPECS[way]) as worker:
        plain, other = worker.run(rnn), worker.run(gru)
    assert isinstance(plain, Refused)
    assert plain.message == "only a plain forward RNN is implemented"
    assert isinstance(other, Refused)
    assert plain.kind == other.kind == ("" if way == "command" else "unsupported")


@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("way", ["serve", "adapter"])
def test_a_described_runtime_has_its_name_and_version(way: str) -> None:
    with Worker(SPECS[way]) as worker:
        assert worker.describe().name == "my-runtime"
        assert worker.describe().versions == {"my-runtime": "1.0"}


def protocol_lines() -> list[bytes]:
    text = (DOCS / "serve-protocol.md").read_bytes()
    return re.findall(rb"```json\n(.*?)\n```", text)


def test_the_requests_of_the_protocol_page_are_requests() -> None:
    describe, run = (decode_request(line) for line in protocol_lines()[:2])
    assert describe == DescribeRequest(1)
    assert isinstance(run, RunRequest)
    case = from_message(run.case)
    assert case.attributes["clip"] == np.inf
    assert {name: array.ravel().tolist() for name, array in case.inputs.items()} == {
        "X": [1, 2],
        "W": [3, 1],
        "R": [0.5],
    }


def test_the_answers_of_the_protocol_page_are_answers() -> None:
    *descriptions, ran, refused, raised, crashed = protocol_lines()[2:]
    others = (refused, raised, crashed)
    for description in descriptions:
        answer = decode_answer(description, 1)
        assert isinstance(answer, DescriptionAnswer)
        told = {key: value for key, value in json.loads(description).items() if key != "type"}
        assert json.loads(encode(answer)).items() >= told.items()
    answer = decode_answer(ran, 2)
    assert isinstance(answer, RanAnswer)
    outcome = from_answer(answer)
    assert isinstance(outcome, Ran)
    assert outcome.outputs["Y"].tolist() == [[[[5]]]]
    assert [json.loads(line)["type"] for line in others] == ["refused", "raised", "crashed"]
    for line in others:
        told = {key: value for key, value in json.loads(line).items() if key not in {"type", "id"}}
        assert vars_of(from_answer(decode_answer(line, 2))) == told


def vars_of(outcome: object) -> dict[str, object]:
    return dict(vars(outcome))


def test_the_schema_files_say_what_the_protocol_is() -> None:
    files = {path.name: path.read_text() for path in SCHEMAS.glob("*.json")}
    assert files == {name: as_text(schema) for name, schema in schemas().items()}
