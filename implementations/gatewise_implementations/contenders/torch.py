"""torch.nn.RNN, GRU and LSTM with the case's weights, where they mean the same as ONNX's operators."""

from collections.abc import Mapping
from functools import partial

import torch

from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_corpus.layer import read_layer
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.contenders.contender import Prepared
from gatewise_implementations.options import Options
from gatewise_implementations.torch import initial_state, make_module, to_outputs


class TorchContender:
    """torch.nn on the CPU, in inference mode."""

    def describe(self) -> Description:
        """The version, and the widest instructions in use."""
        settings = {"capability": torch.backends.cpu.get_cpu_capability()}
        return Description("torch", {"torch": str(torch.__version__)}, settings)

    def prepare(self, case: Case, threads: int) -> Prepared:
        """Makes the module.

        Raises:
            RefusalError: unless the case is a forward layer in layout 0 with all of W, R, B and the initial state,
                neither lengths nor peepholes, and default activations; a GRU has linear_before_reset = 1.
        """
        _check(case)
        layer = read_layer(case)
        module, state = make_module(layer), initial_state(layer)
        X = torch.from_numpy(case.inputs["X"])
        last: list[tuple[torch.Tensor, torch.Tensor | tuple[torch.Tensor, ...]]] = []

        def run() -> None:
            with torch.inference_mode():
                last[:] = [module(X, state)]

        def outputs() -> Mapping[str, Array]:
            Y, final = last[0]
            return to_outputs(Y, final if isinstance(final, tuple) else (final,), layer)

        return Prepared(run, outputs, partial(torch.set_num_threads, threads))


def make_contender(argument: str) -> TorchContender:
    """The contender, which has no options.

    Raises:
        SetupError: if one is given.
    """
    Options("torch", argument).finish()
    return TorchContender()


def _check(case: Case) -> None:
    allowed = {"hidden_size"} | ({"linear_before_reset"} if case.operator == "GRU" else set())
    states = {"initial_h"} | ({"initial_c"} if case.operator == "LSTM" else set())
    inputs = {"X", "W", "R", "B"} | states
    if case.attributes.keys() - allowed or case.inputs.keys() != inputs:
        raise RefusalError(f"torch.nn.{case.operator} is timed as a plain forward layer only", "unsupported")
    if case.operator == "GRU" and not case.attributes.get("linear_before_reset"):
        raise RefusalError("torch.nn.GRU has linear_before_reset = 1 only", "unsupported")
