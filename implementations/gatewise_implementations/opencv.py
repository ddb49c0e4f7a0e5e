"""OpenCV's dnn module on the CPU, through its ONNX importer; a net for each case."""

import cv2
import numpy as np

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.onnx_model import feeds, to_model
from gatewise_corpus.outcome import Ran
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.options import only_threads


class OpenCv:
    """The adapter."""

    def describe(self) -> Description:
        """What runs here."""
        return Description(
            name="opencv",
            versions={"opencv": cv2.__version__},
            settings={"target": "CPU", "threads": str(cv2.getNumThreads())},
        )

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if the operator is RNN, or OpenCV raises its error when it imports the model or runs it.
        """
        if case.operator == "RNN":
            raise RefusalError("OpenCV's ONNX importer has no RNN", "unsupported")
        model = np.frombuffer(to_model(case).SerializeToString(), np.uint8)
        try:
            net = cv2.dnn.readNetFromONNX(model)
            for name, array in feeds(case).items():
                net.setInput(array, name)
            outputs = net.forward(list(case.outputs))
        except cv2.error as error:
            raise RefusalError(str(error)) from error
        return Ran({name: np.asarray(output) for name, output in zip(case.outputs, outputs, strict=True)})


def make_adapter(argument: str) -> OpenCv:
    """The adapter with the option ``threads=N``.

    Raises:
        SetupError: if an option is unknown or has no such value.
    """
    cv2.setNumThreads(only_threads("opencv", argument))
    return OpenCv()
