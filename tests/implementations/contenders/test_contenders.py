"""Each contender computes the case that it was given, as often as it is asked."""

from collections.abc import Callable, Mapping
from importlib.util import find_spec

import numpy as np
import pytest

from gatewise_corpus.case import Array, Case
from gatewise_corpus.operators import OPERATORS
from gatewise_implementations import reference_library
from gatewise_implementations.adapter import RefusalError, SetupError
from gatewise_implementations.contenders.contender import Contender
from gatewise_implementations.contenders.table import CONTENDERS, default_specs, make_contender
from gatewise_implementations.reference_library import kernel_paths

Change = Callable[[Case], Case]
SPECS = (
    "reference",
    "reference:mode=fast",
    "reference:scalar",
    "onnxruntime",
    "onnxruntime:spinning=off",
    "openvino",
    "torch",
    pytest.param("webgpu", marks=pytest.mark.webgpu),
)
LAYERS = [("RNN", {}), ("GRU", {"linear_before_reset": 0}), ("GRU", {"linear_before_reset": 1}), ("LSTM", {})]


def contender(spec: str) -> Contender:
    """The contender; its test is skipped where it is optional and not installed."""
    needs = CONTENDERS[spec.partition(":")[0]]
    if find_spec(needs) is None:
        pytest.skip(f"{needs} is not installed; pip install {needs}")
    try:
        return make_contender(spec)
    except SetupError as error:
        pytest.skip(str(error))


def make(operator: str, attributes: Mapping[str, int]) -> Case:
    """A forward layer whose sizes all differ, with constant weights of unit scale."""
    rng = np.random.default_rng(7)
    rows = len(OPERATORS[operator].gates) * 3
    shapes = {"X": (6, 5, 4), "W": (1, rows, 4), "R": (1, rows, 3), "B": (1, 2 * rows), "initial_h": (1, 5, 3)}
    if operator == "LSTM":
        shapes["initial_c"] = (1, 5, 3)
    inputs = {name: rng.standard_normal(shape).astype(np.float32) / 2 for name, shape in shapes.items()}
    outputs = OPERATORS[operator].output_names
    return Case(operator, 14, {"hidden_size": 3, **attributes}, inputs, outputs, frozenset({"W", "R", "B"}))


def equal(outputs: Mapping[str, Array], case: Case) -> None:
    expected = reference_library.run(case)
    assert outputs.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_allclose(outputs[name], array, rtol=0, atol=3e-6, err_msg=name)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(("operator", "attributes"), LAYERS, ids=["RNN", "GRU0", "GRU1", "LSTM"])
def test_the_outputs_are_those_of_the_case_run_after_run(
    spec: str, operator: str, attributes: Mapping[str, int]
) -> None:
    case = make(operator, attributes)
    if spec == "torch" and attributes.get("linear_before_reset") == 0:
        pytest.skip("torch has no such layer; it refuses, as another test asserts")
    ready = [contender(spec).prepare(case, threads) for threads in (1, 2)]
    for prepared in (*ready, *ready):
        prepared.enter()
        prepared.run()
        equal(prepared.outputs(), case)
        for array in prepared.outputs().values():
            array[...] = np.nan  # the next run must write it again


@pytest.mark.parametrize(
    ("operator", "change", "message"),
    [
        (
            "GRU",
            lambda case: case.with_attributes(linear_before_reset=0),
            "torch.nn.GRU has linear_before_reset = 1 only",
        ),
        (
            "GRU",
            lambda case: case.with_attributes(linear_before_reset=None),
            "torch.nn.GRU has linear_before_reset = 1 only",
        ),
        ("LSTM", lambda case: case.with_attributes(clip=0.5), "torch.nn.LSTM is timed as a plain forward layer only"),
        ("RNN", lambda case: case.with_attributes(direction="reverse"), "torch.nn.RNN is timed as a plain forward"),
        ("RNN", lambda case: case.with_inputs(B=None), "torch.nn.RNN is timed as a plain forward layer only"),
        (
            "RNN",
            lambda case: case.with_inputs(sequence_lens=np.array([6, 1, 2, 3, 4], np.int32)),
            "torch.nn.RNN is timed as a plain forward layer only",
        ),
    ],
)
def test_torch_refuses_what_it_would_compute_otherwise(operator: str, change: Change, message: str) -> None:
    case = make(operator, {"linear_before_reset": 1} if operator == "GRU" else {})
    with pytest.raises(RefusalError, match=message) as refusal:
        contender("torch").prepare(change(case), 1)
    assert refusal.value.kind == "unsupported"


def test_the_reference_is_timed_on_one_path_and_tells_its_memory() -> None:
    widest = [path.name for path in kernel_paths() if path.available][-1]
    settings = make_contender("reference").describe().settings
    assert (settings["kernel_path"], settings["mode"]) == (widest, "exact")
    assert "configurations" not in settings
    assert make_contender("reference:scalar").describe().settings["kernel_path"] == "scalar"
    fast = make_contender("reference:mode=fast").describe().settings
    assert (fast["kernel_path"], fast["mode"]) == (widest, "fast")
    case = make("LSTM", {})
    workspace = reference_library.Plan(case, "scalar").workspace(2)
    prepared = make_contender("reference:scalar").prepare(case, 2)
    assert (prepared.plan_bytes, prepared.run_bytes) == (workspace.plan.bytes, workspace.bytes)


def test_fast_mode_is_what_runs() -> None:
    case = make("LSTM", {})
    ran = {}
    for mode in ("exact", "fast"):
        prepared = make_contender(f"reference:mode={mode}").prepare(case, 1)
        prepared.run()
        ran[mode] = prepared.outputs()["Y"].tobytes()
        assert ran[mode] == reference_library.Plan(case, mode=mode).workspace().run(case.inputs)["Y"].tobytes()
    assert ran["exact"] != ran["fast"]


def test_onnxruntime_tells_whether_it_spins() -> None:
    assert make_contender("onnxruntime").describe().settings["spinning"] == "on"
    assert make_contender("onnxruntime:spinning=off").describe().settings["spinning"] == "off"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nobody", "contender 'nobody' is not one of reference, onnxruntime, openvino, torch"),
        ("reference:avx9", "reference: there is no option 'avx9'"),
        ("reference:scalar,threads=2", "reference: threads is no option of a contender; --threads N sets it for all"),
        ("onnxruntime:spinning=maybe", "onnxruntime: spinning=maybe, but must be one of on, off"),
    ],
)
def test_a_spec_that_names_nothing_is_refused(spec: str, message: str) -> None:
    with pytest.raises(SetupError, match=f"^{message}"):
        make_contender(spec)


def test_what_is_not_installed_is_refused_and_no_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONTENDERS, "openvino", "no_such_module")
    with pytest.raises(SetupError, match=r"^openvino: no_such_module is not installed; pip install no_such_module$"):
        make_contender("openvino")
    assert "openvino" not in default_specs()
    assert default_specs()[:2] == ("reference", "reference:mode=fast")
    assert "onnxruntime" in default_specs()


def test_what_says_little_is_timed_on_request_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONTENDERS, "webgpu", "numpy")
    assert "webgpu" not in default_specs()
