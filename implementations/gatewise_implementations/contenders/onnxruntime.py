"""ONNX Runtime on its CPU provider: a session whose inputs and outputs are bound to arrays."""

from functools import partial

import numpy as np
import onnxruntime as ort

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.layer import output_shapes
from gatewise_corpus.onnx_model import feeds, to_model
from gatewise_implementations.contenders.contender import Prepared
from gatewise_implementations.options import Options


class OnnxRuntimeContender:
    """ONNX Runtime; ``spinning`` is whether its threads wait for work in a loop, as they do by default."""

    def __init__(self, spinning: str) -> None:
        self._spinning = spinning

    def describe(self) -> Description:
        """The version, and the options of the sessions."""
        settings = {"provider": "CPUExecutionProvider", "spinning": self._spinning}
        return Description("onnxruntime", {"onnxruntime": ort.__version__}, settings)

    def prepare(self, case: Case, threads: int) -> Prepared:
        """Loads the model, and binds its inputs and outputs."""
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "1" if self._spinning == "on" else "0")
        session = ort.InferenceSession(
            to_model(case).SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        inputs, shapes = feeds(case), output_shapes(case)
        outputs = {name: np.empty(shapes[name], case.inputs["X"].dtype) for name in case.outputs}
        binding = session.io_binding()
        for name, array in inputs.items():
            binding.bind_input(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
        for name, array in outputs.items():
            binding.bind_output(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
        return Prepared(partial(session.run_with_iobinding, binding), lambda: outputs)


def make_contender(argument: str) -> OnnxRuntimeContender:
    """The contender with the option ``spinning=on`` or ``spinning=off``.

    Raises:
        SetupError: if an option is unknown or has no such value.
    """
    options = Options("onnxruntime", argument)
    spinning = options.choice("spinning", ("on", "off"), "on")
    options.finish()
    return OnnxRuntimeContender(spinning)
