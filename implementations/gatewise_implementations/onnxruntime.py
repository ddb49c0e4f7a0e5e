"""ONNX Runtime on its CPU provider; a session for each case, as a program that loads the model has it."""

import onnxruntime as ort
from onnxruntime.capi import onnxruntime_pybind11_state as errors

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.onnx_model import feeds, to_model
from gatewise_corpus.outcome import Ran
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.options import Options

LEVELS = {
    "default": None,
    "disabled": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "basic": ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "all": ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
}
STATUSES = (
    errors.EPFail,
    errors.EngineError,
    errors.Fail,
    errors.InvalidArgument,
    errors.InvalidGraph,
    errors.InvalidProtobuf,
    errors.NoModel,
    errors.NoSuchFile,
    errors.NotImplemented,
    errors.RuntimeException,
)
"""The exceptions that stand for a status of the C API: the runtime saying no."""
ACTIVATION_ERRORS = {
    "RNN.Sigmoid": 2.0,
    "RNN.Tanh": 4.0,
    "GRU.Sigmoid": 6.0,
    "GRU.Tanh": 11.0,
    "LSTM.Sigmoid": 4.0,
    "LSTM.Tanh": 6.0,
}
"""Largest absolute errors seen, in units of 2^-24, rounded up; ONNX Runtime itself states none."""
FATAL_ONLY = 4


class OnnxRuntime:
    """The adapter; ``threads`` compute one operator, ``optimization`` is a key of LEVELS."""

    def __init__(self, threads: int, optimization: str) -> None:
        self._threads = threads
        self._optimization = optimization

    def describe(self) -> Description:
        """What runs here."""
        return Description(
            name="onnxruntime",
            versions={"onnxruntime": ort.__version__},
            settings={
                "provider": "CPUExecutionProvider",
                "threads": str(self._threads),
                "optimization": self._optimization,
            },
            activation_errors=ACTIVATION_ERRORS,
        )

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if ONNX Runtime returns an error, when it loads the model or runs it.
        """
        model = to_model(case).SerializeToString()
        try:
            session = ort.InferenceSession(model, self._session_options(), providers=["CPUExecutionProvider"])
            outputs = session.run(list(case.outputs), feeds(case))
        except errors.NotImplemented as error:
            raise RefusalError(str(error), "unsupported") from error
        except STATUSES as error:
            raise RefusalError(str(error)) from error
        return Ran(dict(zip(case.outputs, outputs, strict=True)))

    def _session_options(self) -> ort.SessionOptions:
        options = ort.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.log_severity_level = FATAL_ONLY
        level = LEVELS[self._optimization]
        if level is not None:
            options.graph_optimization_level = level
        return options


def make_adapter(argument: str) -> OnnxRuntime:
    """The adapter with the options ``threads=N`` and ``optimization=LEVEL``.

    Raises:
        SetupError: if an option is unknown or has no such value.
    """
    options = Options("onnxruntime", argument)
    threads = options.integer("threads", default=1, least=1)
    optimization = options.choice("optimization", LEVELS, "default")
    options.finish()
    return OnnxRuntime(threads, optimization)
