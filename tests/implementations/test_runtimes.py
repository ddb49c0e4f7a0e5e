"""The runtimes that the test extra does not bring: their values, their refusals, what they say of themselves.

Each runs where it is installed, or in the environment whose interpreter GATEWISE_PYTHON_NAME names; packages of
Node.js run in the folder that GATEWISE_NODE_MODULES names.
"""

import os
import re
from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pytest

from gatewise_corpus.case import Case
from gatewise_corpus.layer import output_to_layout, read_layer
from gatewise_corpus.outcome import Crashed, Outcome, Ran, Refused
from gatewise_corpus.store import cases_root, load_entry
from gatewise_implementations import node
from gatewise_implementations.adapter import SetupError
from gatewise_implementations.process import Worker
from gatewise_implementations.specs import ADAPTERS
from gatewise_oracle.model import evaluate

pytestmark = pytest.mark.runtime

RIGHT = {
    "openvino": (
        "rnn/lengths-mixed-bidirectional",
        "gru/lengths-mixed-reverse",
        "gru/linear-before-reset-is-1",
        "lstm/lengths-mixed-bidirectional",
        "lstm/only-b-initial-c",
    ),
    "openvino:shapes=dynamic": ("rnn/lengths-full-reverse", "gru/lengths-full-bidirectional", "lstm/only-initial-c"),
    "openvino-cell": (
        "rnn/lengths-full-bidirectional",
        "rnn/clip-negative",
        "gru/clip-zero",
        "gru/clip-infinite",
        "gru/lengths-full-reverse",
        "gru/linear-before-reset-is-1",
        "lstm/exact-sums-reverse",
        "lstm/only-b-initial-c",
        "lstm/report-without-bias",
    ),
    "openvino-sequence": (
        "rnn/lengths-mixed-bidirectional",
        "rnn/clip-zero",
        "gru/clip-negative",
        "gru/clip-0-6",
        "rnn/layout-1-reverse",
        "gru/lengths-mixed-reverse",
        "gru/linear-before-reset-is-1",
        "gru/weights-constant",
        "lstm/lengths-mixed-bidirectional",
        "lstm/lengths-some-empty-bidirectional",
        "lstm/only-b-initial-c",
        "lstm/report-without-bias",
    ),
    "tract": ("rnn/report-without-bias", "gru/report-bias-inside-reset", "lstm/only-p-initial-h"),
    "torch": (
        "rnn/lengths-mixed-bidirectional",
        "rnn/lengths-mixed-reverse",
        "rnn/layout-1-reverse",
        "gru/linear-before-reset-is-1",
        "gru/covering-09",
        "lstm/layout-1-forward",
        "lstm/lengths-mixed-reverse",
        "lstm/lengths-mixed-bidirectional",
        "lstm/only-b-initial-c",
        "lstm/report-without-bias",
    ),
    "opencv": ("gru/lengths-full-bidirectional", "gru/report-bias-outside-reset", "lstm/report-without-bias"),
    "onnxruntime-ggml": ("lstm/report-without-bias",),
    "litert": (
        "rnn/lengths-full-forward",
        "rnn/activation-f-relu",
        "rnn/report-without-bias",
        "lstm/lengths-full-forward",
        "lstm/report-peepholes-apart",
        "lstm/report-without-bias",
    ),
    "keras": (
        "rnn/lengths-mixed-bidirectional",
        "rnn/layout-1-reverse",
        "rnn/activation-f-elu",
        "rnn/activation-f-leakyrelu",
        "rnn/activation-f-thresholdedrelu",
        "gru/lengths-mixed-reverse",
        "gru/linear-before-reset-is-1",
        "lstm/lengths-mixed-bidirectional",
        "lstm/report-without-bias",
    ),
    "ncnn": (
        "rnn/lengths-mixed-bidirectional",
        "rnn/layout-1-reverse",
        "rnn/report-without-bias",
        "gru/linear-before-reset-is-1",
        "gru/reset-after-bidirectional",
        "gru/covering-09",
        "lstm/layout-1-forward",
        "lstm/lengths-mixed-bidirectional",
        "lstm/only-b-initial-c",
        "lstm/report-without-bias",
    ),
    "mnn": (
        "rnn/lengths-full-forward",
        "rnn/lengths-full-bidirectional",
        "rnn/report-without-bias",
        "gru/report-bias-inside-reset",
        "lstm/only-b-initial-c",
        "lstm/activation-g-relu",
        "lstm/report-without-bias",
    ),
    "iree": (
        "rnn/lengths-full-forward",
        "gru/report-bias-inside-reset",
        "lstm/only-b-initial-c",
        "lstm/report-without-bias",
    ),
    "onnxruntime-node": (
        "rnn/lengths-mixed-bidirectional",
        "gru/weights-constant",
        "lstm/lengths-mixed-reverse",
        "lstm/only-p",
    ),
    "onnxruntime-node:provider=webgpu": (
        "gru/lengths-mixed-bidirectional",
        "gru/linear-before-reset-is-1",
        "lstm/lengths-mixed-reverse",
        "lstm/only-p",
    ),
    "onnxruntime-web": (
        "rnn/lengths-mixed-bidirectional",
        "gru/weights-constant",
        "lstm/lengths-mixed-reverse",
        "lstm/only-p",
    ),
}
"""Cases that a runtime computes right, chosen so that each input and each way through the adapter is in one."""
REFUSED = {
    "openvino": (
        ("rnn/activation-f-affine", "", "^Unknown activation function: affine$"),
        ("lstm/only-p", "", "Port for tensor name P was not found"),
    ),
    "openvino-cell": (
        ("rnn/activation-f-affine", "unsupported", "OpenVINO has no activations but Relu, Sigmoid and Tanh"),
        ("rnn/lengths-mixed-forward", "unsupported", "OpenVINO has no rows that end early in a cell"),
        ("rnn/no-steps", "unsupported", "OpenVINO has no cell without a step"),
        ("lstm/only-p", "unsupported", "OpenVINO has no peepholes"),
        ("gru/no-rows-without-state", "", "Cannot create an empty Constant"),
    ),
    "openvino-sequence": (
        ("rnn/activation-f-affine", "unsupported", "OpenVINO has no activations but Relu, Sigmoid and Tanh"),
        ("lstm/input-forget-is-1", "unsupported", "OpenVINO has no (peepholes|input_forget)"),
        ("rnn/float16-forward", "unsupported", "OpenVINO has no two biases in these operators"),
        ("rnn/no-steps", "", "GRUSequence|RNNSequence"),
    ),
    "tract": (("gru/lengths-mixed-forward", "", "Non constant seq_len is not supported$"),),
    "torch": (
        ("rnn/activation-f-affine", "unsupported", "torch.nn has no activations but Tanh or Relu"),
        ("rnn/clip-0-6", "unsupported", "torch.nn has no clip"),
        ("gru/lengths-mixed-forward", "unsupported", "torch.nn has no GRU with linear_before_reset = 0"),
        ("lstm/only-p", "unsupported", "torch.nn has no peepholes"),
        ("lstm/input-forget-is-1", "unsupported", "torch.nn has no (peepholes|input_forget)"),
        ("rnn/lengths-some-empty-reverse", "unsupported", "torch.nn has no rows of length 0"),
        ("rnn/no-inputs", "unsupported", "torch.nn has no layer without inputs"),
        ("rnn/no-steps", "", "Expected sequence length to be larger than 0"),
        ("rnn/invalid-x-rank", "unsupported", "there is no layer to hand to torch.nn: X has shape"),
    ),
    "opencv": (
        ("rnn/smallest", "unsupported", "OpenCV's ONNX importer has no RNN"),
        ("gru/activation-f-elu", "", "^OpenCV.*GRU@ai.onnx"),
    ),
    "litert": (
        ("gru/smallest", "unsupported", "LiteRT has no GRU"),
        ("rnn/lengths-full-reverse", "unsupported", "LiteRT has no direction but forward"),
        ("lstm/activation-h-relu", "unsupported", "LiteRT has no activations but Tanh and Relu beside Sigmoid"),
        ("lstm/lengths-mixed-forward", "unsupported", "LiteRT has no sequence_lens"),
        ("rnn/float16-forward", "unsupported", "LiteRT has no type but float32"),
    ),
    "keras": (
        ("rnn/activation-f-affine", "unsupported", "Keras has no function for these activations and parameters"),
        ("lstm/activation-g-relu", "unsupported", "Keras has no LSTM with two activations g and h"),
        ("gru/clip-0-6", "unsupported", "Keras has no clip"),
        ("lstm/only-p", "unsupported", "Keras has no peepholes"),
        ("rnn/no-steps", "unsupported", "Keras has no sequence without steps"),
    ),
    "ncnn": (
        ("rnn/float16-forward", "unsupported", "ncnn has no type but float32"),
        ("rnn/activation-f-relu", "unsupported", "ncnn has no activations but Tanh"),
        ("rnn/clip-0-6", "unsupported", "ncnn has no clip"),
        ("gru/lengths-mixed-forward", "unsupported", "ncnn has no GRU with linear_before_reset = 0"),
        ("lstm/only-p", "unsupported", "ncnn has no peepholes"),
        ("lstm/input-forget-is-1", "unsupported", "ncnn has no (peepholes|input_forget)"),
        ("rnn/lengths-some-empty-reverse", "unsupported", "ncnn has no rows of length 0"),
        ("rnn/no-steps", "unsupported", "ncnn has no rows of length 0"),
        ("rnn/no-inputs", "unsupported", "ncnn has no layer without inputs"),
        ("rnn/no-rows", "unsupported", "ncnn has no layer without rows"),
    ),
    "mnn": (
        ("rnn/float16-forward", "unsupported", "MNN has no variable of float16 .X."),
        ("lstm/only-p", "", "MNN's converter wrote no model"),
        ("gru/lengths-full-bidirectional", "", "MNN's module gives no outputs"),
        ("rnn/no-rows", "", "MNN does not compute the outputs"),
    ),
    "iree": (
        ("lstm/lengths-full-reverse", "", "IREE does not compile the model"),
        ("rnn/float64", "", "Error invoking function: "),
        ("rnn/invalid-no-outputs", "", "IREE does not compile the model"),
    ),
    "onnxruntime-node": (("rnn/layout-1-forward", "", "layout == 1"),),
    "onnxruntime-node:provider=webgpu": (
        ("rnn/smallest", "unsupported", "fallback to CPU EP has been explicitly disabled"),
        ("gru/activation-f-elu", "", "Elu"),
    ),
    "onnxruntime-web": (("rnn/layout-1-forward", "", "layout == 1"),),
    "onnxruntime-ggml": (("gru/smallest", "unsupported", "fallback to CPU EP has been explicitly disabled"),),
}
"""Cases that a runtime or its adapter refuses: kind and message."""


@pytest.fixture(scope="module")
def workers() -> Iterator[dict[str, Worker]]:
    """The workers that have been started, by SPEC."""
    started: dict[str, Worker] = {}
    yield started
    for worker in started.values():
        worker.close()


def worker_of(spec: str, workers: dict[str, Worker]) -> Worker:
    if spec not in workers:
        workers[spec] = Worker(located(spec), time_limit=60).__enter__()
    return workers[spec]


def located(spec: str) -> str:
    """The SPEC, in the environment that the variable names; skips where the runtime is nowhere."""
    name, _, options = spec.partition(":")
    if name in node.PROVIDERS:
        return located_package(name, options)
    python = os.environ.get(f"GATEWISE_PYTHON_{name.upper().replace('-', '_')}")
    if python:
        return f"{name}:{','.join(filter(None, (options, f'python={python}')))}"
    if find_spec(ADAPTERS[name].needs) is None:
        pytest.skip(f"{ADAPTERS[name].needs} is not installed")
    return spec


def located_package(name: str, options: str) -> str:
    modules = os.environ.get("GATEWISE_NODE_MODULES")
    if not modules:
        pytest.skip("GATEWISE_NODE_MODULES names no folder of packages")
    if "webgpu" in options and "VK_ICD_FILENAMES" not in os.environ:
        pytest.skip("VK_ICD_FILENAMES names no Vulkan device for WebGPU")
    return f"{name}:{','.join(filter(None, (options, f'modules={modules}')))}"


def stored(name: str) -> Case:
    return load_entry(cases_root() / name).case


def run(spec: str, name: str, workers: dict[str, Worker]) -> Outcome:
    return worker_of(spec, workers).run(stored(name))


def assert_right(case: Case, outcome: Outcome) -> None:
    """Whether the outputs are those of the model, in order, type and shape, and in value but for some roundings."""
    layer = read_layer(case)
    expected = evaluate(layer)
    assert isinstance(outcome, Ran), outcome
    assert tuple(outcome.outputs) == case.outputs
    for output, array in outcome.outputs.items():
        wanted = output_to_layout(output, expected[output], layer.attributes.layout)
        assert (array.dtype, array.shape) == (np.float32, wanted.shape)
        np.testing.assert_allclose(array, wanted, rtol=0, atol=2e-6)


@pytest.mark.parametrize(("spec", "name"), [(spec, name) for spec, names in RIGHT.items() for name in names])
def test_values_are_those_of_the_model(spec: str, name: str, workers: dict[str, Worker]) -> None:
    assert_right(stored(name), run(spec, name, workers))


@pytest.mark.parametrize("name", ["rnn/layout-1-forward", "lstm/layout-1-forward"])
def test_litert_takes_rows_first(name: str, workers: dict[str, Worker]) -> None:
    case = stored(name).with_inputs(sequence_lens=None)
    assert_right(case, worker_of("litert", workers).run(case))


def test_openvino_is_given_open_sizes(workers: dict[str, Worker]) -> None:
    """Constant weights and open sizes make it compute the padding, which it does not with static ones."""
    case = stored("gru/weights-constant")
    assert_right(case, worker_of("openvino", workers).run(case))
    outcome = worker_of("openvino:shapes=dynamic", workers).run(case)
    assert isinstance(outcome, Ran)
    past = np.arange(case.inputs["X"].shape[0])[:, np.newaxis] >= case.inputs["sequence_lens"]
    assert past.any()
    assert (outcome.outputs["Y"].swapaxes(1, 2)[past] != 0).all()


@pytest.mark.parametrize("operator", ["rnn", "gru", "lstm"])
def test_openvino_cells_take_constant_weights(operator: str, workers: dict[str, Worker]) -> None:
    case = stored(f"{operator}/weights-constant").with_inputs(sequence_lens=None, P=None)
    assert_right(case, worker_of("openvino-cell", workers).run(case))


def test_keras_keeps_the_state_of_an_empty_row_and_declares_it(workers: dict[str, Worker]) -> None:
    worker, case = worker_of("keras", workers), stored("gru/lengths-all-empty-reverse")
    outcome = worker.run(case)
    assert worker.describe().decisions == ("D14",)
    assert isinstance(outcome, Ran)
    np.testing.assert_array_equal(outcome.outputs["Y_h"], case.inputs["initial_h"])
    assert not outcome.outputs["Y"].any()


def test_onnxruntime_web_traps_where_there_are_no_rows(workers: dict[str, Worker]) -> None:
    outcome = run("onnxruntime-web", "gru/no-rows", workers)
    assert isinstance(outcome, Crashed)
    assert outcome.how == "exit code 1"
    assert "RuntimeError" in outcome.stderr


@pytest.mark.parametrize(
    ("spec", "name", "kind", "message"), [(spec, *each) for spec, all_of in REFUSED.items() for each in all_of]
)
def test_what_it_cannot_do_is_refused(
    spec: str, name: str, kind: str, message: str, workers: dict[str, Worker]
) -> None:
    outcome = run(spec, name, workers)
    assert isinstance(outcome, Refused), outcome
    assert outcome.kind == kind
    assert "\n" not in outcome.message
    assert re.search(message, outcome.message), outcome.message


@pytest.mark.parametrize(
    ("spec", "name", "settings"),
    [
        ("openvino:threads=2", "openvino", {"precision": "f32", "shapes": "static", "threads": "2"}),
        ("openvino:shapes=dynamic", "openvino-dynamic", {"shapes": "dynamic", "threads": "1"}),
        ("openvino-cell:threads=2", "openvino-cell", {"precision": "f32", "threads": "2"}),
        ("openvino-sequence", "openvino-sequence", {"precision": "f32", "threads": "1"}),
        ("tract", "tract", {"shapes": "static"}),
        ("torch:threads=2", "torch", {"device": "cpu", "threads": "2"}),
        ("opencv:threads=2", "opencv", {"target": "CPU", "threads": "2"}),
        ("keras", "keras", {"backend": "torch", "threads": "1"}),
        ("litert:threads=2", "litert", {"device": "cpu", "threads": "2"}),
        ("ncnn:threads=2", "ncnn", {"device": "cpu", "precision": "fp32", "rows": "one by one", "threads": "2"}),
        ("mnn:threads=2", "mnn", {"backend": "CPU", "precision": "high", "weights": "constant", "threads": "2"}),
        ("iree", "iree", {"backend": "llvm-cpu", "driver": "local-sync", "processor": "host"}),
        ("onnxruntime-node", "onnxruntime-node", {"provider": "cpu", "threads": "1"}),
        ("onnxruntime-node:provider=webgpu", "onnxruntime-node-webgpu", {"provider": "webgpu", "threads": "1"}),
        ("onnxruntime-web", "onnxruntime-web", {"provider": "wasm", "threads": "1"}),
        ("onnxruntime-ggml", "onnxruntime-ggml", {"device": "cpu", "fallback": "none", "threads": "1"}),
    ],
)
def test_the_description_says_what_ran_and_how(
    spec: str, name: str, settings: dict[str, str], workers: dict[str, Worker]
) -> None:
    description = worker_of(spec, workers).describe()
    assert description.name == name
    assert all(version[0].isdigit() for version in description.versions.values())
    assert description.versions
    assert settings.items() <= dict(description.settings).items()


@pytest.mark.parametrize("spec", [spec for spec in RIGHT if ":" not in spec])
def test_an_option_that_is_none_is_refused(spec: str) -> None:
    with pytest.raises(SetupError, match=f"{spec}: there is no option 'fast'"):
        Worker(located(f"{spec}:fast")).__enter__()
