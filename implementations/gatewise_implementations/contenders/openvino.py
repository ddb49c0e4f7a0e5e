"""OpenVINO on its CPU device: an inference request whose tensors are bound to arrays."""

from functools import partial
from io import BytesIO

import numpy as np
import openvino as ov

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.layer import output_shapes
from gatewise_corpus.onnx_model import feeds, to_model
from gatewise_implementations.contenders.contender import Prepared
from gatewise_implementations.options import Options

SETTINGS = {
    "INFERENCE_PRECISION_HINT": "f32",  # else bfloat16, where the processor has it
    "PERFORMANCE_HINT": "LATENCY",
    "NUM_STREAMS": "1",
    "ENABLE_CPU_PINNING": "NO",  # the other contenders run on the same thread
}


class OpenVinoContender:
    """OpenVINO, which reads the ONNX model itself."""

    def __init__(self) -> None:
        self._core = ov.Core()

    def describe(self) -> Description:
        """The version, and the properties of the compiled models."""
        return Description("openvino", {"openvino": ov.__version__}, SETTINGS)

    def prepare(self, case: Case, threads: int) -> Prepared:
        """Compiles the model, and binds its inputs and outputs."""
        model = self._core.read_model(BytesIO(to_model(case).SerializeToString()))
        request = self._core.compile_model(
            model, "CPU", {**SETTINGS, "INFERENCE_NUM_THREADS": str(threads)}
        ).create_infer_request()
        shapes = output_shapes(case)
        outputs = {name: np.empty(shapes[name], case.inputs["X"].dtype) for name in case.outputs}
        for name, array in {**feeds(case), **outputs}.items():
            request.set_tensor(name, ov.Tensor(array, shared_memory=True))
        return Prepared(partial(request.infer, share_outputs=True), lambda: outputs)


def make_contender(argument: str) -> OpenVinoContender:
    """The contender, which has no options.

    Raises:
        SetupError: if one is given.
    """
    Options("openvino", argument).finish()
    return OpenVinoContender()
