"""ncnn's RNN, GRU and LSTM layers on the CPU, with the weights of the case.

An ncnn layer has one row and no lengths: the adapter runs it row by row, each on its own steps.
Source: the layers' load_param, load_model and forward, for the order of the weights and of the blobs.
"""

from collections.abc import Sequence
from tempfile import NamedTemporaryFile

import ncnn
import numpy as np

from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_corpus.layer import Layer, output_to_layout
from gatewise_corpus.outcome import Ran
from gatewise_implementations import translation
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.options import only_threads
from gatewise_implementations.translation import expressible, in_gate_order, initial_states

GATES = {"RNN": ("i",), "GRU": ("r", "z", "h"), "LSTM": ("i", "f", "o", "c")}
"""The order of the blocks of the weights, by ONNX's names."""
DIRECTIONS = {("forward",): 0, ("reverse",): 1, ("forward", "reverse"): 2}
MAGIC = 7767517
"""The first line of a .param text."""
RAW_FLOAT32 = np.uint32(0).tobytes()
"""What stands before the elements of a tensor in a .bin file: neither float16 nor a table."""
LOW_PRECISION = ("fp16_packed", "fp16_storage", "fp16_arithmetic", "bf16_packed", "bf16_storage")
"""Options that let ncnn store or compute in 16 bits, most of them on by default."""

LIMITS: translation.Limits = {
    "type but float32": lambda layer: layer.dtype != np.float32,
    "activations but Tanh (RNN), Sigmoid and Tanh (GRU, LSTM)": lambda layer: not translation.uses_defaults(layer),
    "clip": translation.clips,
    "GRU with linear_before_reset = 0": translation.resets_before_product,
    "peepholes": translation.has_peepholes,
    "input_forget": translation.couples_gates,
    "rows of length 0": lambda layer: translation.has_empty_row(layer) or layer.seq == 0,
    "layer without inputs": lambda layer: layer.input == 0,
    "layer without rows": lambda layer: layer.batch == 0,
}


class Ncnn:
    """The adapter; ``threads`` compute one layer."""

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def describe(self) -> Description:
        """What runs here."""
        return Description(
            name="ncnn",
            versions={"ncnn": ncnn.__version__},
            settings={"device": "cpu", "precision": "fp32", "rows": "one by one", "threads": str(self._threads)},
        )

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if the layers cannot express the case, or ncnn returns an error.
        """
        layer = expressible(case, "ncnn", LIMITS)
        states = initial_states(layer)
        fed = states if case.inputs.keys() & states.keys() else {}
        asked = layer.operator.output_names if set(case.outputs) - {"Y"} else ("Y",)
        net = self._net(layer, list(fed), asked)
        outputs = {"Y": np.zeros((layer.seq, len(layer.directions), layer.batch, layer.hidden), np.float32)}
        outputs |= {name: np.zeros_like(layer.initial_h) for name in asked if name != "Y"}
        for row, steps in enumerate(layer.lengths):
            blobs = {"X": layer.X[:steps, row]} | {name: state[:, row] for name, state in fed.items()}
            Y, *final = _run(net, blobs, asked)
            outputs["Y"][:steps, :, row] = Y.reshape(steps, -1, layer.hidden)
            for name, state in zip(asked[1:], final, strict=True):
                outputs[name][:, row] = state
        return Ran({name: output_to_layout(name, outputs[name], layer.attributes.layout) for name in case.outputs})

    def _net(self, layer: Layer, fed: Sequence[str], asked: Sequence[str]) -> ncnn.Net:
        net = ncnn.Net()
        net.opt.num_threads = self._threads
        for name in LOW_PRECISION:
            setattr(net.opt, f"use_{name}", False)
        _check(net.load_param_mem(_param(layer, ["X", *fed], asked)), "the layer's parameters")
        with NamedTemporaryFile(suffix=".bin") as file:  # weights in memory would have to outlive the net
            file.write(_weights(layer))
            file.flush()
            _check(net.load_model(file.name), "the layer's weights")
        return net


def make_adapter(argument: str) -> Ncnn:
    """The adapter with the option ``threads=N``.

    Raises:
        SetupError: if an option is unknown or has no such value.
    """
    return Ncnn(only_threads("ncnn", argument))


def _param(layer: Layer, inputs: Sequence[str], outputs: Sequence[str]) -> str:
    """The network as a .param text: a line for each input and one for the layer."""
    blobs = [*inputs, *outputs]
    settings = {0: layer.hidden, 1: layer.W.size, 2: DIRECTIONS[layer.directions]}
    lines = [
        f"{MAGIC}",
        f"{len(inputs) + 1} {len(blobs)}",
        *(f"Input {name} 0 1 {name}" for name in inputs),
        f"{layer.operator.name} layer {len(inputs)} {len(outputs)} {' '.join(blobs)} "
        + " ".join(f"{key}={value}" for key, value in settings.items()),
    ]
    return "\n".join(lines) + "\n"


def _weights(layer: Layer) -> bytes:
    """The contents of the .bin file: the weights of X, the bias and the weights of h, each for all directions."""
    gates = GATES[layer.operator.name]
    tensors = (in_gate_order(layer.W, layer, gates), _bias(layer), in_gate_order(layer.R, layer, gates))
    return b"".join(RAW_FLOAT32 + np.ascontiguousarray(tensor, "<f4").tobytes() for tensor in tensors)


def _bias(layer: Layer) -> Array:
    """The bias [D, K*H]: ONNX's two added, but for the candidate of a GRU, which has both, that of X first."""
    gates = GATES[layer.operator.name]
    of_input, of_state = (in_gate_order(half, layer, gates) for half in translation.biases(layer))
    added: Array = of_input + of_state
    if layer.operator.name != "GRU":
        return added
    candidate = 2 * layer.hidden
    return np.concatenate((added[:, :candidate], of_input[:, candidate:], of_state[:, candidate:]), axis=1)


def _run(net: ncnn.Net, blobs: dict[str, Array], asked: Sequence[str]) -> list[Array]:
    """Y [T, D*H] and the final states [D, H] of one row."""
    extractor = net.create_extractor()
    kept = {name: np.ascontiguousarray(array) for name, array in blobs.items()}  # a Mat does not keep its array
    for name, array in kept.items():
        _check(extractor.input(name, ncnn.Mat(array)), name)
    results = []
    for name in asked:
        code, blob = extractor.extract(name)
        _check(code, name)
        results.append(np.array(blob))
    return results


def _check(code: int, what: str) -> None:
    if code:
        raise RefusalError(f"ncnn returned {code} for {what}")
