"""Any runtime with an ONNX backend (``onnx.backend.base.Backend``): ``backend:MODULE[:OBJECT]``."""

import inspect
import unittest
from importlib import import_module, metadata
from typing import Any

import numpy as np
import onnx
from onnx.backend.base import Backend

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.onnx_model import feeds, to_model
from gatewise_corpus.outcome import Ran
from gatewise_implementations.adapter import RefusalError, SetupError

DEVICE = "CPU"
UNSUPPORTED = (NotImplementedError, unittest.SkipTest)
"""How a backend says that it lacks something: by custom, and to ONNX's own test runner, whose class is a SkipTest."""
INVALID = (onnx.checker.ValidationError, onnx.shape_inference.InferenceError)
"""How onnx, which most backends ask first, says that a model is wrong."""


class BackendAdapter:
    """The adapter of a backend: a class derived from ``Backend``, or a module or object that has ``prepare``."""

    def __init__(self, name: str, backend: Any) -> None:
        self._name = name
        self._backend = backend

    def describe(self) -> Description:
        """What runs here, with the versions of onnx and of the distributions that the backend's module is from."""
        top = self._name.partition(".")[0].partition(":")[0]
        owners = metadata.packages_distributions().get(top, ())
        versions = {owner: metadata.version(owner) for owner in owners}
        return Description(
            f"backend:{self._name}", versions={"onnx": onnx.__version__, **versions}, settings={"device": DEVICE}
        )

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if the backend is not compatible with the model, or raises one of UNSUPPORTED or INVALID.
            ValueError: if it gives another number of outputs than the model has.
        """
        model = to_model(case)
        try:
            if not _ask(self._backend, "is_compatible", model):
                raise RefusalError("the backend says that it is not compatible with the model", "unsupported")
            outputs = self._backend.prepare(model, DEVICE).run(list(feeds(case).values()))
        except UNSUPPORTED as error:
            raise RefusalError(str(error) or type(error).__name__, "unsupported") from error
        except INVALID as error:
            raise RefusalError(str(error), "invalid") from error
        if len(outputs) != len(case.outputs):
            raise ValueError(f"the backend gives {len(outputs)} outputs, but the model has {len(case.outputs)}")
        return Ran({name: np.asarray(output) for name, output in zip(case.outputs, outputs, strict=True)})


def make_adapter(argument: str) -> BackendAdapter:
    """The adapter of ``MODULE`` or ``MODULE:OBJECT``.

    Raises:
        SetupError: if there is no such module or object, or it is no backend for the CPU.
    """
    module_name, _, object_name = argument.partition(":")
    try:
        module = import_module(module_name)
    except ImportError as error:
        raise SetupError(f"module {module_name!r} cannot be imported: {error}") from error
    backend = _find(module, object_name)
    if not _ask(backend, "supports_device", DEVICE):
        raise SetupError(f"{argument} does not support the device {DEVICE}")
    return BackendAdapter(argument, backend)


def _find(module: Any, object_name: str) -> Any:
    """The named object, or the module itself, or the one backend class that it defines."""
    if object_name and not hasattr(module, object_name):
        raise SetupError(f"module {module.__name__!r} has no {object_name!r}")
    if object_name or hasattr(module, "prepare"):
        backend = getattr(module, object_name) if object_name else module
        if not hasattr(backend, "prepare"):
            raise SetupError(f"{module.__name__}:{object_name} has no prepare, so it is no ONNX backend")
        return backend
    classes = [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, Backend) and value.__module__ == module.__name__
    ]
    if len(classes) != 1:
        raise SetupError(
            f"module {module.__name__!r} has no prepare and defines {len(classes)} backend classes, so name one: "
            f"backend:{module.__name__}:CLASS"
        )
    return classes[0]


def _ask(backend: Any, question: str, subject: Any) -> bool:
    """What ``backend`` answers to ``is_compatible`` or ``supports_device``; yes where it does not have the method."""
    method = getattr(backend, question, None)
    if method is None:
        return True
    return bool(method(subject) if question == "supports_device" else method(subject, DEVICE))
