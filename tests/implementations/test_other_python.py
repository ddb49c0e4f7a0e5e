"""Workers in another environment, which has what a worker imports and no gatewise."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from gatewise_corpus.case import Case
from gatewise_corpus.outcome import Ran
from gatewise_implementations import other_python
from gatewise_implementations.adapter import SetupError
from gatewise_implementations.process import Worker

BROUGHT_ALONG = ("google", "flatbuffers", "packaging", "typing_extensions")
"""What onnx and onnxruntime themselves import."""


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An interpreter that sees the standard library and, in the folder beside it, a few packages."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for module in (*other_python.NEEDS, *BROUGHT_ALONG, "onnxruntime"):
        spec = find_spec(module)
        assert spec is not None
        origin = Path(next(iter(spec.submodule_search_locations or [spec.origin])))
        for path in (origin, origin.parent / f"{origin.name}.libs"):
            if path.exists():
                (packages / path.name).symlink_to(path)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    python.chmod(0o755)
    monkeypatch.setenv("PYTHONPATH", os.fspath(packages))
    return python


@pytest.mark.parametrize("name", ["onnxruntime", "onnx-reference"])
def test_an_adapter_runs_where_gatewise_is_not_installed(
    other: Path, name: str, rnn: Case, rnn_states: np.ndarray
) -> None:
    with Worker(f"{name}:python={other}") as worker:
        assert worker.describe().name == name
        outcome = worker.run(rnn)
    assert isinstance(outcome, Ran)
    np.testing.assert_array_equal(outcome.outputs["Y"], rnn_states[:, None])


def test_the_other_options_are_the_adapters(other: Path) -> None:
    with Worker(f"onnxruntime:threads=2,python={other}") as worker:
        description = worker.describe()
    assert description.versions == {"onnxruntime": onnxruntime.__version__}
    assert description.settings["threads"] == "2"


def test_a_runtime_that_is_not_there_is_missed_there(other: Path) -> None:
    (other.parent / "packages" / "onnxruntime").unlink()
    with pytest.raises(SetupError, match="onnxruntime is not installed; pip install onnxruntime"):
        Worker(f"onnxruntime:python={other}").__enter__()


def test_what_a_worker_needs_is_named(other: Path) -> None:
    for name in ("msgspec", "ml_dtypes"):
        (other.parent / "packages" / name).unlink()
    with pytest.raises(SetupError, match=r"lacks what a worker needs; pip install ml-dtypes msgspec\)$"):
        Worker(f"onnxruntime:python={other}").__enter__()


def test_an_older_python_is_refused_with_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))
    monkeypatch.setattr(sys, "version", "3.10.4 (main)")
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(SystemExit, match=r"is Python 3\.10\.4, but a worker needs 3\.11 or newer"):
        other_python.main()


def test_a_module_beside_the_workers_hides_no_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    here = str(Path(other_python.__file__).parent)
    monkeypatch.setattr(sys, "path", [here, "/elsewhere"])
    monkeypatch.setattr(sys, "version_info", (3, 10))
    with pytest.raises(SystemExit):
        other_python.main()
    assert sys.path == ["/elsewhere"]
