"""Keras' SimpleRNN, GRU and LSTM on the torch backend: a layer for each direction, with the weights of the case.

Lengths are a mask. Where a step is masked Keras keeps the state, so that a row of length 0 keeps its initial state
(D14), and writes zeros if asked to, as it is here. Reverse outputs come in the order of processing and are turned.
"""

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gatewise_corpus.activations import Activation
from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_corpus.layer import Layer, output_to_layout
from gatewise_corpus.outcome import Ran
from gatewise_implementations import translation
from gatewise_implementations.contracts import declared
from gatewise_implementations.options import only_threads
from gatewise_implementations.translation import expressible, in_gate_order

BACKEND = "torch"
os.environ["KERAS_BACKEND"] = BACKEND  # read once, when keras is imported
import keras  # noqa: E402
import torch  # noqa: E402

GATES = {"RNN": ("i",), "GRU": ("z", "r", "h"), "LSTM": ("i", "f", "c", "o")}
"""The order of the blocks of kernel and recurrent_kernel, by ONNX's names."""
LAYERS = {"RNN": keras.layers.SimpleRNN, "GRU": keras.layers.GRU, "LSTM": keras.layers.LSTM}
SIXTH = float(np.float32(1 / 6))


def function_of(activation: Activation) -> Callable[[Any], Any] | None:
    """Keras' own function for the activation with its parameters, or None where it has none."""
    functions = keras.activations
    alpha, beta = activation.alpha, activation.beta
    found: Callable[[Any], Any] | None = None
    match activation.name:
        case "Relu" | "Tanh" | "Sigmoid" | "Softsign" | "Softplus":
            found = getattr(functions, activation.name.lower())
        case "Elu":
            found = partial(functions.elu, alpha=alpha)
        case "LeakyRelu":
            found = partial(functions.leaky_relu, negative_slope=alpha)
        case "ThresholdedRelu":
            found = partial(functions.threshold, threshold=alpha, default_value=0.0)
        case "HardSigmoid" if (alpha, beta) == (SIXTH, 0.5):
            found = functions.hard_sigmoid
        case "Affine" if (alpha, beta) == (1.0, 0.0):
            found = functions.linear
    return found


def _lacks_function(layer: Layer) -> bool:
    return any(function_of(activation) is None for own in layer.activations for activation in own)


def _h_is_not_g(layer: Layer) -> bool:
    return layer.operator.name == "LSTM" and any(own[1] != own[2] for own in layer.activations)


LIMITS: translation.Limits = {
    "function for these activations and parameters": _lacks_function,
    "LSTM with two activations g and h": _h_is_not_g,
    "clip": translation.clips,
    "peepholes": translation.has_peepholes,
    "input_forget": translation.couples_gates,
    "sequence without steps": lambda layer: layer.seq == 0,
}


class Keras:
    """The adapter."""

    def describe(self) -> Description:
        """What runs here."""
        return Description(
            name="keras",
            versions={"keras": keras.__version__, "torch": str(torch.__version__)},
            settings={"backend": BACKEND, "threads": str(torch.get_num_threads())},
            decisions=declared("keras"),
        )

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if a Keras layer cannot express the case.
        """
        layer = expressible(case, "Keras", LIMITS)
        with torch.inference_mode():
            directions = [_run_direction(layer, index) for index in range(len(layer.directions))]
        names = layer.operator.output_names
        stacked = {
            name: np.stack([outputs[place] for outputs in directions], axis=int(name == "Y"))
            for place, name in enumerate(names)
        }
        keras.backend.clear_session()
        return Ran({name: output_to_layout(name, stacked[name], layer.attributes.layout) for name in case.outputs})


def make_adapter(argument: str) -> Keras:
    """The adapter with the option ``threads=N``.

    Raises:
        SetupError: if an option is unknown or has no such value.
    """
    torch.set_num_threads(only_threads("keras", argument))
    return Keras()


def make_layer(layer: Layer, index: int) -> Any:
    """The Keras layer of one direction, with its weights."""
    own = layer.activations[index]
    kind = layer.operator.name
    options: dict[str, Any] = {"activation": function_of(own[0 if kind == "RNN" else 1])}
    if kind != "RNN":
        options["recurrent_activation"] = function_of(own[0])
    if kind == "GRU":
        options["reset_after"] = layer.attributes.linear_before_reset
    result = LAYERS[kind](
        layer.hidden,
        use_bias=layer.Wb is not None,
        go_backwards=layer.directions[index] == "reverse",
        return_sequences=True,
        return_state=True,
        zero_output_for_mask=True,
        kernel_initializer="zeros",
        recurrent_initializer="zeros",
        dtype=layer.dtype.name,
        **options,
    )
    result.build((layer.batch, layer.seq, layer.input))
    result.set_weights(_weights(layer, index))
    return result


def _weights(layer: Layer, index: int) -> list[Array]:
    """The kernel [I, G*H], the recurrent one [H, G*H] and the bias [G*H], or [2, G*H] of a GRU with reset_after."""
    gates = GATES[layer.operator.name]
    weights = [in_gate_order(array, layer, gates)[index].T for array in (layer.W, layer.R)]
    if layer.Wb is not None and layer.Rb is not None:
        of_input, of_state = (in_gate_order(array, layer, gates)[index] for array in (layer.Wb, layer.Rb))
        is_double = translation.resets_after_product(layer)
        weights.append(np.stack((of_input, of_state)) if is_double else of_input + of_state)
    return weights


def _run_direction(layer: Layer, index: int) -> list[Array]:
    """Y [T, N, H] in the order of the input, and the final states [N, H]."""
    states = [state[index] for state in (layer.initial_h, layer.initial_c)]
    mask = np.arange(layer.seq) < layer.lengths[:, np.newaxis] if layer.has_lengths else None
    outputs = make_layer(layer, index)(
        layer.X.swapaxes(0, 1),
        initial_state=states if layer.operator.name == "LSTM" else states[:1],
        mask=mask,
    )
    Y, *final = (keras.ops.convert_to_numpy(output) for output in outputs)
    in_order = Y[:, ::-1] if layer.directions[index] == "reverse" else Y
    return [in_order.swapaxes(0, 1), *final]
