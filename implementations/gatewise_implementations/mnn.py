"""MNN on the CPU, through its ONNX converter; a module for each case.

The converter needs constant weights and biases, so the adapter makes constants of them (D32: the bits are equal).
``MNN.tools`` is left alone, because importing it installs other packages: the converter itself is in ``_tools``.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import _tools
import MNN
import numpy as np
from MNN import expr, nn

from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_corpus.onnx_model import feeds, to_model
from gatewise_corpus.outcome import Ran
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.options import only_threads

WEIGHTS = {"W", "R", "B", "P"}
TYPES = {"float32": expr.float, "int32": expr.int}


class Mnn:
    """The adapter; ``threads`` compute one module."""

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def describe(self) -> Description:
        """What runs here."""
        return Description(
            name="mnn",
            versions={"mnn": MNN.version()},
            settings={"backend": "CPU", "precision": "high", "weights": "constant", "threads": str(self._threads)},
        )

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if an input has a type that MNN lacks, no model is written, or MNN does not run it.
        """
        for name, array in case.inputs.items():
            if array.dtype.name not in TYPES:
                raise RefusalError(f"MNN has no variable of {array.dtype} ({name})", "unsupported")
        case = replace(case, constants=case.constants | (case.inputs.keys() & WEIGHTS))
        with TemporaryDirectory() as folder:
            converted = _convert(case, Path(folder))
            try:
                arrays = self._compute(converted, case)
            except SystemError as error:  # an error of MNN's, which its binding raises in this way
                raise RefusalError("MNN does not compute the outputs") from error
        if len(arrays) != len(case.outputs):
            raise RefusalError("MNN's module gives no outputs")
        return Ran(dict(zip(case.outputs, arrays, strict=True)))

    def _compute(self, model: Path, case: Case) -> list[Array]:
        fed = feeds(case)
        module = nn.load_module_from_file(
            str(model),
            list(fed),
            list(case.outputs),
            precision_mode=expr.PrecisionMode.High,
            thread_num=self._threads,
        )
        results = module.forward([_variable(array) for array in fed.values()])
        return [np.array(result.read()) for result in results]


def make_adapter(argument: str) -> Mnn:
    """The adapter with the option ``threads=N``.

    Raises:
        SetupError: if an option is unknown or has no such value.
    """
    return Mnn(only_threads("mnn", argument))


def _convert(case: Case, folder: Path) -> Path:
    source, converted = folder / "model.onnx", folder / "model.mnn"
    source.write_bytes(to_model(case).SerializeToString())
    files = ["--modelFile", str(source), "--MNNModel", str(converted)]
    _tools.mnnconvert(["mnnconvert", "-f", "ONNX", *files, "--bizCode", ""])
    if not converted.exists():
        raise RefusalError("MNN's converter wrote no model")
    return converted


def _variable(array: Array) -> Any:
    return expr.const(array.ravel().tolist(), list(array.shape), expr.NCHW, TYPES[array.dtype.name])
