"""Packages of Node.js: the command that serves one, and the serving program itself on a package made for the test."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from gatewise_corpus.case import Case
from gatewise_corpus.outcome import Crashed, Raised, Ran, Refused
from gatewise_implementations.adapter import SetupError
from gatewise_implementations.node import PROGRAM
from gatewise_implementations.process import Worker
from gatewise_implementations.specs import Availability, Spec, availabilities, parse_spec

PACKAGE = """
class Tensor {
  constructor(type, data, dims) {
    if (data.length !== dims.reduce((product, size) => product * size, 1)) {
      throw new RangeError(`${data.length} elements do not fill ${dims}`);
    }
    Object.assign(this, { type, data, dims });
  }
}
class InferenceSession {
  static async create(model, options) {
    if (options.executionProviders[0] === "webgpu") {
      throw new Error("there is no device");
    }
    return new InferenceSession();
  }
  async run(feeds) {
    switch (feeds.X.dims[0]) {
      case 1: return { Y: feeds.X, Y_h: feeds.W };
      case 2: throw new Error("this\\n  model is refused");
      case 3: throw new Error("Could not find an implementation for RNN");
      case 4: throw new TypeError("this is a fault");
      case 5: throw new WebAssembly.RuntimeError("memory access out of bounds");
    }
  }
  async release() { console.log("a word on standard output"); }
}
module.exports = { Tensor, InferenceSession, env: { wasm: {} } };
"""
"""A package that answers by the number of steps: it gives back X and W, or fails in each way that there is."""

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    for name in ("onnxruntime-node", "onnxruntime-web"):
        package = tmp_path / name
        package.mkdir()
        (package / "package.json").write_text(f'{{"name": "{name}", "version": "1.2.3", "main": "index.js"}}')
        (package / "index.js").write_text(PACKAGE)
    return tmp_path


@pytest.fixture
def worker(modules: Path) -> Iterator[Worker]:
    with Worker(f"onnxruntime-web:modules={modules}", time_limit=60) as started:
        yield started


def case_of(X: np.ndarray, W: np.ndarray | None = None) -> Case:
    inputs = {"X": X, "W": np.zeros((1, 2, 3), np.float32) if W is None else W}
    return Case("RNN", 14, {}, inputs, ("Y", "Y_h"), frozenset())


def steps(count: int) -> Case:
    return case_of(np.zeros((count, 2, 3), np.float32))


@needs_node
@pytest.mark.parametrize(
    ("options", "package", "provider"),
    [
        ("onnxruntime-node:modules={}", "onnxruntime-node", "cpu"),
        ("onnxruntime-node:provider=webgpu,modules={}", "onnxruntime-node", "webgpu"),
        ("onnxruntime-web:modules={}", "onnxruntime-web", "wasm"),
    ],
)
def test_a_package_is_served_by_a_program(options: str, package: str, provider: str, modules: Path) -> None:
    text = options.format(modules)
    assert parse_spec(text) == Spec(text, ("node", str(PROGRAM), str(modules / package), provider), is_foreign=True)


@needs_node
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            "modules=nowhere",
            "^onnxruntime-web is not installed in nowhere; npm install --ignore-scripts onnxruntime-web$",
        ),
        ("provider=webgpu", "^onnxruntime-web: provider=webgpu, but must be one of wasm$"),
        ("modules=", "^onnxruntime-web: modules= is empty$"),
        ("threads=2", "^onnxruntime-web: there is no option 'threads'; allowed: modules=..., provider=wasm$"),
    ],
)
def test_what_cannot_be_served_is_refused(options: str, sentence: str) -> None:
    with pytest.raises(SetupError, match=sentence):
        parse_spec(f"onnxruntime-web:{options}")


def test_without_node_no_package_can_be_served(modules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(modules))
    with pytest.raises(SetupError, match=r"^onnxruntime-web needs Node\.js, but there is no program 'node'$"):
        parse_spec(f"onnxruntime-web:modules={modules}")


@needs_node
def test_packages_of_the_current_folder_are_listed(modules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(modules)
    modules.joinpath("node_modules").mkdir()
    modules.joinpath("onnxruntime-node").rename("node_modules/onnxruntime-node")
    found = {item.name: item for item in availabilities()}
    assert found["onnxruntime-node"] == Availability("onnxruntime-node", "1.2.3")
    assert found["onnxruntime-web"].version == ""
    assert found["onnxruntime-web"].reason.startswith("onnxruntime-web is not installed in node_modules")


@needs_node
@pytest.mark.parametrize(
    ("X", "W"),
    [
        (np.array([[[np.inf, -0.0, 1e-40]]], np.float32), np.array([[[1 / 3, -np.inf]]], np.float64)),
        (np.array([[[65504, 6e-8, -0.0]]], np.float16), np.array([[[-(2**31), 2**31 - 1]]], np.int32)),
        (np.array([[[-(2**63), 2**63 - 1]]], np.int64), np.zeros((1, 0, 3), np.float32)),
        (np.array([[[0x7FC01234, 0xFF812345]]], np.uint32).view(np.float32), np.array([[[True, False]]])),
    ],
)
def test_tensors_keep_every_bit(X: np.ndarray, W: np.ndarray, worker: Worker) -> None:
    outcome = worker.run(case_of(X, W))
    assert isinstance(outcome, Ran), outcome
    for wanted, array in ((X, outcome.outputs["Y"]), (W, outcome.outputs["Y_h"])):
        assert (array.dtype, array.shape) == (wanted.dtype, wanted.shape)
        assert array.tobytes() == wanted.tobytes()


@needs_node
def test_a_constant_is_not_fed(worker: Worker) -> None:
    """The package then finds no W to give back."""
    outcome = worker.run(replace(steps(1), constants=frozenset({"W"})))
    assert isinstance(outcome, Raised)
    assert outcome.exception == "TypeError"


@needs_node
def test_errors_are_told_apart(worker: Worker) -> None:
    assert worker.run(steps(2)) == Refused("this model is refused")
    assert worker.run(steps(3)) == Refused("Could not find an implementation for RNN", "unsupported")
    assert worker.run(steps(4)) == Raised("TypeError", "this is a fault")
    assert worker.run(case_of(np.zeros((1, 2, 3), ml_dtypes.bfloat16))) == Refused(
        "ONNX Runtime's JavaScript has no tensors of bfloat16", "unsupported"
    )


@needs_node
def test_webassembly_that_traps_ends_the_program_and_the_next_case_finds_another(worker: Worker) -> None:
    outcome = worker.run(steps(5))
    assert isinstance(outcome, Crashed)
    assert outcome.how == "exit code 1"
    assert outcome.stderr.rstrip().endswith("RuntimeError: memory access out of bounds")
    assert isinstance(worker.run(steps(1)), Ran)


@needs_node
def test_the_description_says_what_ran_and_how(worker: Worker) -> None:
    description = worker.describe()
    assert description.name == "onnxruntime-web"
    assert description.versions["onnxruntime-web"] == "1.2.3"
    assert description.versions["node"][0].isdigit()
    assert description.settings == {"provider": "wasm", "threads": "1"}


@needs_node
def test_a_missing_device_is_told_at_the_start(modules: Path) -> None:
    text = f"onnxruntime-node:provider=webgpu,modules={modules}"
    with pytest.raises(SetupError, match=f"^{text}: there is no device$"):
        Worker(text).__enter__()
