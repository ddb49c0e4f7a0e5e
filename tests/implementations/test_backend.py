"""ONNX backends: how one is found, and what it is asked."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

from gatewise_corpus.case import Case
from gatewise_corpus.outcome import Ran
from gatewise_implementations.adapter import SetupError
from gatewise_implementations.process import Worker


def test_a_module_with_prepare_is_a_backend(lstm: Case, lstm_outputs: dict[str, np.ndarray]) -> None:
    with Worker("backend:onnxruntime.backend") as worker:
        description = worker.describe()
        outcome = worker.run(lstm)
    assert description.name == "backend:onnxruntime.backend"
    assert description.versions == {"onnx": onnx.__version__, "onnxruntime": onnxruntime.__version__}
    assert isinstance(outcome, Ran)
    assert list(outcome.outputs) == ["Y", "Y_h", "Y_c"]
    for name, array in lstm_outputs.items():
        np.testing.assert_allclose(outcome.outputs[name], array, rtol=0, atol=1e-6)


def test_inputs_stand_in_the_order_of_the_model(rnn: Case, rnn_states: np.ndarray) -> None:
    with Worker("backend:onnxruntime.backend") as worker:
        outcome = worker.run(rnn.replace(constants=frozenset({"W"})))
    assert isinstance(outcome, Ran)
    np.testing.assert_array_equal(outcome.outputs["Y"], rnn_states[:, None])


def test_one_of_several_classes_must_be_named(planted: Path) -> None:
    assert planted.is_dir()
    with (
        pytest.raises(SetupError, match=r"defines 2 backend classes.*backend:planted_backend:CLASS"),
        Worker("backend:planted_backend"),
    ):
        pass


def test_the_only_class_of_a_module_need_not_be_named(
    planted: Path, rnn: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "from planted_backend import PlantedBackend\nclass Mine(PlantedBackend):\n    pass\n"
    (tmp_path / "single_backend.py").write_text(module)
    monkeypatch.setenv("PYTHONPATH", f"{planted}:{tmp_path}")
    with Worker("backend:single_backend") as worker:
        assert worker.describe().name == "backend:single_backend"
        assert worker.describe().versions == {"onnx": onnx.__version__}
        outcome = worker.run(rnn)
    assert isinstance(outcome, Ran)
    assert outcome.outputs["Y"].tolist() == [[19, 19]]


def test_a_backend_must_support_the_cpu(planted: Path) -> None:
    assert planted.is_dir()
    with (
        pytest.raises(SetupError, match="planted_backend:GraphicsOnly does not support the device CPU"),
        Worker("backend:planted_backend:GraphicsOnly"),
    ):
        pass


def test_an_object_that_is_no_backend_is_refused(planted: Path) -> None:
    assert planted.is_dir()
    with (
        pytest.raises(SetupError, match="planted_backend:not_a_backend has no prepare"),
        Worker("backend:planted_backend:not_a_backend"),
    ):
        pass
