"""From an ONNX case to a layer of a system that has layers of its own.

What such a layer cannot express is refused with the reason, so that nobody takes silence for agreement.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import Layer, read_layer
from gatewise_corpus.refusal import RefusedError
from gatewise_implementations.adapter import RefusalError

Limits = Mapping[str, Callable[[Layer], bool]]
"""What a system lacks, in words, and whether a layer needs it."""


def expressible(case: Case, system: str, limits: Limits) -> Layer:
    """The layer of ``case``, which ``system`` can express.

    Raises:
        RefusalError: as unsupported, if the layer needs something that the system lacks, or if the case is not valid:
            then there is no layer, and nothing is learnt about the system.
    """
    try:
        layer = read_layer(case)
    except RefusedError as error:
        raise RefusalError(f"there is no layer to hand to {system}: {error}", "unsupported") from error
    for lack, needs in limits.items():
        if needs(layer):
            raise RefusalError(f"{system} has no {lack}", "unsupported")
    return layer


def in_gate_order(array: Array, layer: Layer, gates: Sequence[str]) -> Array:
    """W [D, G, H, I], R [D, G, H, H] or half of B [D, G, H] as [D, G*H, ...], blocks in the order of ``gates``."""
    order = [layer.operator.gates.index(gate) for gate in gates]
    dirs, _, hidden = array.shape[:3]
    return array[:, order].reshape(dirs, len(order) * hidden, *array.shape[3:])


def uses_only(layer: Layer, *names: str) -> bool:
    """Whether every direction's activations are these, in the order f, g, h."""
    return all(tuple(activation.name for activation in own) == names for own in layer.activations)


def uses_defaults(layer: Layer) -> bool:
    """Whether every direction's activations are the operator's default ones."""
    return uses_only(layer, *layer.operator.default_activations)


def clips(layer: Layer) -> bool:
    """Whether the layer clamps the inputs of its activations."""
    return layer.attributes.clip is not None


def has_peepholes(layer: Layer) -> bool:
    """Whether the layer has P."""
    return layer.P is not None


def couples_gates(layer: Layer) -> bool:
    """Whether it is an LSTM with input_forget = 1."""
    return layer.attributes.input_forget


def resets_before_product(layer: Layer) -> bool:
    """Whether it is a GRU with linear_before_reset = 0."""
    return layer.operator.name == "GRU" and not layer.attributes.linear_before_reset


def resets_after_product(layer: Layer) -> bool:
    """Whether it is a GRU with linear_before_reset = 1."""
    return layer.operator.name == "GRU" and layer.attributes.linear_before_reset


def ends_early(layer: Layer) -> bool:
    """Whether a row is shorter than the sequence."""
    return bool((layer.lengths < layer.seq).any())


def has_empty_row(layer: Layer) -> bool:
    """Whether sequence_lens holds a 0."""
    return layer.has_lengths and bool((layer.lengths == 0).any())


def is_ragged(layer: Layer) -> bool:
    """Whether a row ends early or has no step of its own."""
    return ends_early(layer) or has_empty_row(layer)


def biases(layer: Layer) -> tuple[Array, Array]:
    """Wb and Rb [D, G, H]; zeros where B is omitted."""
    if layer.Wb is None or layer.Rb is None:
        zeros = np.zeros(layer.R.shape[:3], layer.dtype)
        return zeros, zeros
    return layer.Wb, layer.Rb


def initial_states(layer: Layer) -> dict[str, Array]:
    """The initial states [D, N, H] that the operator has, by the names of the inputs."""
    names = ("initial_h", "initial_c") if layer.operator.name == "LSTM" else ("initial_h",)
    return {name: getattr(layer, name) for name in names}
