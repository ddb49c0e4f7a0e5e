"""The reference evaluator of the onnx package, which computes each operator in numpy."""

import onnx
from onnx.reference import ReferenceEvaluator

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.onnx_model import feeds, to_model
from gatewise_corpus.outcome import Ran
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.options import Options


class OnnxReference:
    """The adapter."""

    def describe(self) -> Description:
        """What runs here."""
        return Description("onnx-reference", versions={"onnx": onnx.__version__})

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        The evaluator has no error class of its own, but each RuntimeError of its is a sentence that says no. What
        numpy raises in the middle of a computation (ValueError, TypeError) it did not mean.

        Raises:
            RefusalError: if the evaluator raises a RuntimeError.
        """
        try:
            outputs = list(ReferenceEvaluator(to_model(case)).run(list(case.outputs), feeds(case)))
        except NotImplementedError as error:
            raise RefusalError(str(error), "unsupported") from error
        except RuntimeError as error:
            raise RefusalError(str(error)) from error
        return Ran(dict(zip(case.outputs, outputs, strict=True)))


def make_adapter(argument: str) -> OnnxReference:
    """The adapter, which has no options.

    Raises:
        SetupError: if there is one.
    """
    Options("onnx-reference", argument).finish()
    return OnnxReference()
