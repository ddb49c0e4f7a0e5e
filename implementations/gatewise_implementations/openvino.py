"""OpenVINO on its CPU device, through its ONNX importer; a compiled model for each case."""

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.onnx_model import feeds, to_model
from gatewise_corpus.outcome import Ran
from gatewise_implementations.openvino_device import VERSIONS, Device, refusing
from gatewise_implementations.options import Options

SYMBOLIC = {"static": (), "dynamic": ("seq", "batch")}
"""The sizes that the model leaves open, by the option ``shapes``."""


class OpenVino:
    """The adapter; ``shapes`` is a key of SYMBOLIC, ``threads`` compute one model."""

    def __init__(self, shapes: str, threads: int) -> None:
        self._shapes = shapes
        self._device = Device(threads)

    def describe(self) -> Description:
        """What runs here."""
        return Description(
            name="openvino" if self._shapes == "static" else "openvino-dynamic",
            versions=VERSIONS,
            settings=self._device.settings | {"shapes": self._shapes},
        )

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if OpenVINO raises its error when it imports, compiles or runs the model.
        """
        model = to_model(case, SYMBOLIC[self._shapes]).SerializeToString()
        with refusing():
            request = self._device.request(self._device.core.read_model(model))
            request.infer(feeds(case))
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
