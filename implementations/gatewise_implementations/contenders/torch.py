"""torch.nn.RNN, GRU and LSTM with the case's weights, where they mean the same as ONNX's operators."""

from collections.abc import Mapping
from functools import partial

import torch

from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.contenders.contender import Prepared
from gatewise_implementations.options import Options

_MODULES = {"RNN": torch.nn.RNN, "GRU": torch.nn.GRU, "LSTM": torch.nn.LSTM}
_GATES = {"RNN": (0,), "GRU": (1, 0, 2), "LSTM": (0, 2, 3, 1)}
"""The gates of torch's weights, as places in ONNX's: r, z, n of z, r, h; and i, f, g, o of i, o, f, c."""
_STATES = {"RNN": ("initial_h",), "GRU": ("initial_h",), "LSTM": ("initial_h", "initial_c")}


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
        module = _MODULES[case.operator](*(case.inputs[name].shape[2] for name in ("W", "R")))
        module.load_state_dict(_parameters(case))
        X = torch.from_numpy(case.inputs["X"])
        states = tuple(torch.from_numpy(case.inputs[name]) for name in _STATES[case.operator])
        state = states if case.operator == "LSTM" else states[0]
        last: list[tuple[torch.Tensor, torch.Tensor | tuple[torch.Tensor, ...]]] = []

        def run() -> None:
            with torch.inference_mode():
                last[:] = [module(X, state)]

        def outputs() -> Mapping[str, Array]:
            Y, final = last[0]
            finals = final if isinstance(final, tuple) else (final,)
            arrays = [Y.numpy()[:, None], *(tensor.numpy() for tensor in finals)]
            return dict(zip(("Y", "Y_h", "Y_c"), arrays, strict=False))

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
    inputs = {"X", "W", "R", "B", *_STATES[case.operator]}
    if case.attributes.keys() - allowed or case.inputs.keys() != inputs:
        raise RefusalError(f"torch.nn.{case.operator} is timed as a plain forward layer only", "unsupported")
    if case.operator == "GRU" and not case.attributes.get("linear_before_reset"):
        raise RefusalError("torch.nn.GRU has linear_before_reset = 1 only", "unsupported")


def _parameters(case: Case) -> dict[str, torch.Tensor]:
    """The module's parameters by torch's names."""
    W, R, B = (case.inputs[name][0] for name in ("W", "R", "B"))
    arrays = {
        "weight_ih_l0": W,
        "weight_hh_l0": R,
        **dict(zip(("bias_ih_l0", "bias_hh_l0"), B.reshape(2, -1), strict=True)),
    }
    return {name: torch.from_numpy(_reordered(array, _GATES[case.operator])) for name, array in arrays.items()}


def _reordered(array: Array, order: tuple[int, ...]) -> Array:
    """``array``, whose first axis holds the gates' blocks, with these in another order."""
    return array.reshape(len(order), -1, *array.shape[1:])[list(order)].reshape(array.shape)
