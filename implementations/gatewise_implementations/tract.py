"""tract, through its ONNX loader; a runnable for each case."""

from tempfile import NamedTemporaryFile

import tract

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.onnx_model import feeds, to_model
from gatewise_corpus.outcome import Ran
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.options import Options


class Tract:
    """The adapter."""

    def describe(self) -> Description:
        """What runs here."""
        return Description("tract", versions={"tract": tract.version()}, settings={"shapes": "static"})

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if tract returns an error, when it loads the model or runs it.
        """
        with NamedTemporaryFile(suffix=".onnx") as file:  # tract loads paths only
            file.write(to_model(case).SerializeToString())
            file.flush()
            try:
                runnable = tract.onnx().load(file.name).into_model().into_runnable()
                arrays = [output.to_numpy() for output in runnable.run(list(feeds(case).values()))]
            except tract.TractError as error:
                raise RefusalError(str(error).partition("Stack backtrace:")[0]) from error
        return Ran(dict(zip(case.outputs, arrays, strict=True)))


def make_adapter(argument: str) -> Tract:
    """The adapter, which has no options.

    Raises:
        SetupError: if there is one.
    """
    Options("tract", argument).finish()
    return Tract()
