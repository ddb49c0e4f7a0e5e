"""OpenVINO on its CPU device, through its ONNX importer; a compiled model for each case."""

import openvino as ov

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.onnx_model import feeds, to_model
from gatewise_corpus.outcome import Ran
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.options import Options

DEVICE = "CPU"
PRECISION = "f32"
"""Without this hint the device may compute in bfloat16."""
SYMBOLIC = {"static": (), "dynamic": ("seq", "batch")}
"""The sizes that the model leaves open, by the option ``shapes``."""


class OpenVino:
    """The adapter; ``shapes`` is a key of SYMBOLIC, ``threads`` compute one model."""

    def __init__(self, shapes: str, threads: int) -> None:
        self._shapes = shapes
        self._threads = threads
        self._core = ov.Core()

    def describe(self) -> Description:
        """What runs here."""
        return Description(
            name="openvino" if self._shapes == "static" else "openvino-dynamic",
            versions={"openvino": ov.__version__},
            settings={
                "device": DEVICE,
                "precision": PRECISION,
                "shapes": self._shapes,
                "threads": str(self._threads),
            },
        )

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if OpenVINO raises a RuntimeError, its one class of error, when it imports, compiles or
                runs the model.
        """
        model = to_model(case, SYMBOLIC[self._shapes]).SerializeToString()
        properties = {"INFERENCE_PRECISION_HINT": PRECISION, "INFERENCE_NUM_THREADS": self._threads}
        try:
            request = self._core.compile_model(
                self._core.read_model(model), DEVICE, properties
            ).create_infer_request()
            request.infer(feeds(case))
        except RuntimeError as error:
            raise RefusalError(_without_places(str(error))) from error
        return Ran({name: request.get_output_tensor(index).data.copy() for index, name in enumerate(case.outputs)})


def make_adapter(argument: str) -> OpenVino:
    """The adapter with the options ``shapes=static|dynamic`` and ``threads=N``.

    Raises:
        SetupError: if an option is unknown or has no such value.
    """
    options = Options("openvino", argument)
    shapes = options.choice("shapes", SYMBOLIC, "static")
    threads = options.integer("threads", default=1, least=1)
    options.finish()
    return OpenVino(shapes, threads)


def _without_places(message: str) -> str:
    """The message without what only names places in OpenVINO's sources and passes that lead to it."""
    lines = [line for line in message.splitlines() if not line.startswith("Exception from ")]
    return "\n".join(lines).rpartition("CALLBACK HAS THROWN: ")[2]
