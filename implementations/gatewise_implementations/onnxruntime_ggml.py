"""ONNX Runtime with its ggml execution provider on the CPU, and nothing else to fall back on."""

import onnxruntime as ort
import onnxruntime_ggml

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.onnx_model import feeds, to_model
from gatewise_corpus.outcome import Ran
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.onnxruntime import FATAL_ONLY, STATUSES
from gatewise_implementations.options import only_threads

NOT_TAKEN = "fallback to CPU EP has been explicitly disabled"
"""What ONNX Runtime says where the provider leaves the node to others: of the node's validity it says nothing."""


class OnnxRuntimeGgml:
    """The adapter; ``threads`` compute one operator."""

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def describe(self) -> Description:
        """What runs here."""
        return Description(
            name="onnxruntime-ggml",
            versions={"onnxruntime-ggml": onnxruntime_ggml.version(), "onnxruntime": ort.__version__},
            settings={"device": "cpu", "threads": str(self._threads), "fallback": "none"},
        )

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if the provider does not take the node, or ONNX Runtime returns another error.
        """
        model = to_model(case).SerializeToString()
        try:
            session = ort.InferenceSession(model, self._session_options())
            outputs = session.run(list(case.outputs), feeds(case))
        except STATUSES as error:
            kind = "unsupported" if NOT_TAKEN in str(error) else ""
            raise RefusalError(str(error), kind) from error
        return Ran(dict(zip(case.outputs, outputs, strict=True)))

    def _session_options(self) -> ort.SessionOptions:
        options = onnxruntime_ggml.session_options({"device": "cpu", "threads": self._threads})
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        options.log_severity_level = FATAL_ONLY
        return options


def make_adapter(argument: str) -> OnnxRuntimeGgml:
    """The adapter with the option ``threads=N``.

    Raises:
        SetupError: if an option is unknown or has no such value.
    """
    return OnnxRuntimeGgml(only_threads("onnxruntime-ggml", argument))
