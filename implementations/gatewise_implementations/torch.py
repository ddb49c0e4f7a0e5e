"""torch.nn.RNN, GRU and LSTM on the CPU, with the weights of the case.

A reverse layer is the second direction of a bidirectional one, whose first has the same weights and is not looked at.
"""

from typing import Any

import numpy as np
import torch

from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_corpus.layer import Layer, turned
from gatewise_corpus.outcome import Ran
from gatewise_implementations import translation
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.contracts import declared
from gatewise_implementations.options import only_threads
from gatewise_implementations.translation import expressible, in_gate_order

GATES = {"RNN": ("i",), "GRU": ("r", "z", "h"), "LSTM": ("i", "f", "c", "o")}
"""The order of the blocks of weight_ih and weight_hh (torch.nn's pages, "Variables"), by ONNX's names."""


def _has_other_activations(layer: Layer) -> bool:
    is_relu = layer.operator.name == "RNN" and translation.uses_only(layer, "Relu")
    return not is_relu and not translation.uses_defaults(layer)


LIMITS: translation.Limits = {
    "activations but Tanh or Relu (RNN), Sigmoid and Tanh (GRU, LSTM)": _has_other_activations,
    "clip": translation.clips,
    "GRU with linear_before_reset = 0": translation.resets_before_product,
    "peepholes": translation.has_peepholes,
    "input_forget": translation.couples_gates,
    "rows of length 0": translation.has_empty_row,
    "layer without inputs": lambda layer: layer.input == 0,
}


class Torch:
    """The adapter."""

    def describe(self) -> Description:
        """What runs here."""
        return Description(
            name="torch",
            versions={"torch": str(torch.__version__)},
            settings={"device": "cpu", "threads": str(torch.get_num_threads())},
            decisions=declared("torch"),
        )

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if a torch.nn layer cannot express the case, or torch raises a RuntimeError.
        """
        layer = expressible(case, "torch.nn", LIMITS)
        module = make_module(layer)
        X = torch.from_numpy(np.ascontiguousarray(case.inputs["X"]))
        state = initial_state(layer)
        try:
            with torch.inference_mode():
                Y, final = _run_packed(module, X, state, layer) if layer.has_lengths else module(X, state)
        except RuntimeError as error:
            raise RefusalError(str(error)) from error
        outputs = to_outputs(Y, final if isinstance(final, tuple) else (final,), layer)
        return Ran({name: outputs[name] for name in case.outputs})


def make_adapter(argument: str) -> Torch:
    """The adapter with the option ``threads=N``.

    Raises:
        SetupError: if an option is unknown or has no such value.
    """
    torch.set_num_threads(only_threads("torch", argument))
    return Torch()


def make_module(layer: Layer) -> torch.nn.RNNBase:
    """The torch.nn layer with the weights of ``layer``; bidirectional unless it is a forward one."""
    options: dict[str, Any] = {"nonlinearity": layer.activations[0][0].name.lower()}
    kinds: dict[str, type[torch.nn.RNNBase]] = {"RNN": torch.nn.RNN, "GRU": torch.nn.GRU, "LSTM": torch.nn.LSTM}
    module = kinds[layer.operator.name](
        layer.input,
        layer.hidden,
        bias=layer.Wb is not None,
        batch_first=bool(layer.attributes.layout),
        bidirectional=_is_doubled(layer) or len(layer.directions) == 2,
        dtype=getattr(torch, layer.dtype.name),
        **(options if layer.operator.name == "RNN" else {}),
    )
    parameters = {"weight_ih": layer.W, "weight_hh": layer.R, "bias_ih": layer.Wb, "bias_hh": layer.Rb}
    for name, array in parameters.items():
        if array is not None:
            blocks = _doubled(in_gate_order(array, layer, GATES[layer.operator.name]), layer)
            for suffix, block in zip(("_l0", "_l0_reverse"), blocks, strict=False):
                getattr(module, name + suffix).data = torch.from_numpy(np.ascontiguousarray(block))
    return module


def _is_doubled(layer: Layer) -> bool:
    return layer.directions == ("reverse",)


def _doubled(array: Array, layer: Layer) -> Array:
    """The array [D, ...], both directions alike where only the second counts."""
    return np.concatenate((array, array)) if _is_doubled(layer) else array


def initial_state(layer: Layer) -> Any:
    """The state that a module takes: h [D, N, H], of an LSTM with c."""
    states = [
        torch.from_numpy(np.ascontiguousarray(_doubled(state, layer))) for state in (layer.initial_h, layer.initial_c)
    ]
    return tuple(states) if layer.operator.name == "LSTM" else states[0]


def _run_packed(module: torch.nn.RNNBase, X: torch.Tensor, state: Any, layer: Layer) -> tuple[torch.Tensor, Any]:
    batch_first = module.batch_first
    lengths = torch.from_numpy(layer.lengths)
    packed = torch.nn.utils.rnn.pack_padded_sequence(X, lengths, batch_first=batch_first, enforce_sorted=False)
    Y, final = module(packed, state)
    padded, _ = torch.nn.utils.rnn.pad_packed_sequence(Y, batch_first=batch_first, total_length=layer.seq)
    return padded, final


def to_outputs(Y: torch.Tensor, final: tuple[torch.Tensor, ...], layer: Layer) -> dict[str, Array]:
    """ONNX's outputs from torch's Y, [T, N, D*H] or [N, T, D*H], and its final states, [D, N, H] in either layout."""
    wanted = slice(1, None) if _is_doubled(layer) else slice(None)
    split = Y.numpy().reshape(*Y.shape[:2], Y.shape[2] // layer.hidden, layer.hidden)[:, :, wanted]
    layout = layer.attributes.layout
    outputs = {"Y": split if layout else split.swapaxes(1, 2)}
    for name, state in zip(("Y_h", "Y_c"), final, strict=False):
        array = state.numpy()[wanted]
        outputs[name] = turned(name, array) if layout else array
    return outputs
