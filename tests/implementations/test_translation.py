"""From ONNX cases to layers of other systems: the order of gates, and what cannot be expressed."""

import numpy as np
import pytest

from gatewise_corpus.case import Case
from gatewise_corpus.layer import read_layer
from gatewise_implementations import translation
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.translation import expressible, in_gate_order


def test_blocks_stand_in_the_order_of_the_gates(lstm: Case) -> None:
    layer = read_layer(lstm)
    assert layer.Rb is not None
    given = lstm.inputs
    blocks = [slice(0, 5), slice(10, 15), slice(15, 20), slice(5, 10)]  # of i, f, c, o in ONNX's order i, o, f, c
    gates = ("i", "f", "c", "o")
    for array, wanted in ((layer.W, given["W"]), (layer.R, given["R"]), (layer.Rb, given["B"][:, 20:])):
        expected = np.concatenate([wanted[:, block] for block in blocks], axis=1)
        np.testing.assert_array_equal(in_gate_order(array, layer, gates), expected)


@pytest.mark.parametrize(
    ("lack", "operator", "with_it", "without_it"),
    [
        ("clips", "gru", {"clip": 0.5}, {"clip": 0.0}),
        ("couples_gates", "lstm", {"input_forget": 1}, {"input_forget": 0}),
        ("resets_before_product", "gru", {}, {"linear_before_reset": 1}),
        ("resets_after_product", "gru", {"linear_before_reset": 1}, {}),
    ],
)
def test_what_a_layer_needs_is_seen(
    lack: str,
    operator: str,
    with_it: dict[str, int | float],
    without_it: dict[str, int | float],
    request: pytest.FixtureRequest,
) -> None:
    case = request.getfixturevalue(operator)
    limits = {"such thing": getattr(translation, lack)}
    with pytest.raises(RefusalError, match=r"^a system has no such thing$") as error:
        expressible(case.with_attributes(**with_it), "a system", limits)
    assert error.value.kind == "unsupported"
    assert expressible(case.with_attributes(**without_it), "a system", limits).hidden == 5


def test_peepholes_are_seen(lstm: Case) -> None:
    assert translation.has_peepholes(read_layer(lstm))
    assert not translation.has_peepholes(read_layer(lstm.with_inputs(P=None)))


def test_lengths_are_seen(gru: Case) -> None:
    layers = {
        lengths: read_layer(gru.with_inputs(sequence_lens=np.array(lengths, np.int32)))
        for lengths in ((3, 3), (3, 2), (3, 0))
    }
    assert [translation.ends_early(layer) for layer in layers.values()] == [False, True, True]
    assert [translation.has_empty_row(layer) for layer in layers.values()] == [False, False, True]
    empty = gru.with_inputs(X=np.zeros((0, 2, 4), np.float32))
    assert not translation.has_empty_row(read_layer(empty))


def test_activations_are_compared_in_every_direction(rnn: Case, gru: Case) -> None:
    assert translation.uses_only(read_layer(rnn), "Affine")
    assert not translation.uses_defaults(read_layer(rnn))
    assert translation.uses_defaults(read_layer(gru))
    both = {name: np.concatenate((array, array)) for name, array in gru.inputs.items() if name != "X"}
    mixed = gru.with_inputs(**both).with_attributes(
        direction="bidirectional", activations=("Sigmoid", "Tanh", "Sigmoid", "Relu")
    )
    assert not translation.uses_defaults(read_layer(mixed))


def test_an_invalid_case_tells_nothing_of_the_system(gru: Case) -> None:
    with pytest.raises(RefusalError, match="there is no layer to hand to a system: hidden_size is 6") as error:
        expressible(gru.with_attributes(hidden_size=6), "a system", {})
    assert error.value.kind == "unsupported"
