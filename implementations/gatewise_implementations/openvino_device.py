"""OpenVINO's CPU device in float32: what its adapters share."""

from collections.abc import Iterator
from contextlib import contextmanager

import openvino as ov

from gatewise_implementations.adapter import RefusalError

VERSIONS = {"openvino": ov.__version__}
DEVICE = "CPU"
PRECISION = "f32"
"""Without this hint the device may compute in bfloat16."""


class Device:
    """The device; ``threads`` compute one model."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self.core = ov.Core()

    @property
    def settings(self) -> dict[str, str]:
        """The settings that a report tells."""
        return {"device": DEVICE, "precision": PRECISION, "threads": str(self._threads)}

    def request(self, model: ov.Model) -> ov.InferRequest:
        """The compiled ``model``, ready to run.

        Raises:
            RuntimeError: if OpenVINO cannot compile it.
        """
        properties = {"INFERENCE_PRECISION_HINT": PRECISION, "INFERENCE_NUM_THREADS": self._threads}
        return self.core.compile_model(model, DEVICE, properties).create_infer_request()


@contextmanager
def refusing() -> Iterator[None]:
    """Within, an error of OpenVINO's is a refusal; it raises RuntimeError, and ValueError for a constant of size 0.

    Raises:
        RefusalError: with its message.
    """
    try:
        yield
    except (RuntimeError, ValueError) as error:
        raise RefusalError(_without_places(str(error))) from error


def _without_places(message: str) -> str:
    """The message without what only names places in OpenVINO's sources and passes that lead to it."""
    lines = [line for line in message.splitlines() if not line.startswith("Exception from ")]
    return "\n".join(lines).rpartition("CALLBACK HAS THROWN: ")[2]
