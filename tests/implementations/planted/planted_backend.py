"""A backend that shows the fault which a case's direction names, and else fills each output with the sum of X."""

import ctypes
import os
import sys
import time
import unittest
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
from onnx.backend.base import Backend, BackendRep


def segfault() -> None:
    ctypes.string_at(0)


def print_to_stdout() -> None:
    sys.stdout.write("from Python\n")
    sys.stdout.flush()
    os.write(1, b"from C\n")


def flood_stderr() -> None:
    for _ in range(160):
        os.write(2, b"e" * 65535 + b"\n")


def read_stdin() -> None:
    if sys.stdin.read():
        raise AssertionError("the protocol's own lines can be read")


def raise_(error: Exception) -> Callable[[], None]:
    def fault() -> None:
        raise error

    return fault


FAULTS: dict[str, Callable[[], None]] = {
    "segfault": segfault,
    "exit": lambda: os._exit(3),
    "abort": os.abort,
    "hang": lambda: time.sleep(3600),
    "exception": raise_(ZeroDivisionError("by planted zero")),
    "nameless": raise_(AssertionError()),
    "not implemented": raise_(NotImplementedError("no such direction here")),
    "skip": raise_(unittest.SkipTest("skipped here")),
    "check": lambda: onnx.checker.check_model(onnx.ModelProto()),
    "print": print_to_stdout,
    "flood": flood_stderr,
    "stdin": read_stdin,
}


class PlantedRep(BackendRep):
    def __init__(self, model: onnx.ModelProto) -> None:
        self.model = model

    def run(self, inputs: Any, **_: Any) -> tuple[Any, ...]:
        direction = _direction(self.model)
        FAULTS.get(direction, lambda: None)()
        count = len(self.model.graph.output) + (direction == "one output too many")
        return tuple(np.full((position + 1, 2), np.sum(inputs[0]), np.float32) for position in range(count))


class PlantedBackend(Backend):
    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **_: Any) -> bool:
        return device == "CPU" and _direction(model) != "incompatible"

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device == "CPU"

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **_: Any) -> PlantedRep:
        if device != "CPU":
            raise AssertionError(device)
        return PlantedRep(model)


class GraphicsOnly(PlantedBackend):
    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device == "CUDA"


not_a_backend = 3


def _direction(model: onnx.ModelProto) -> str:
    for attribute in model.graph.node[0].attribute:
        if attribute.name == "direction":
            return str(attribute.s.decode())
    return "forward"
