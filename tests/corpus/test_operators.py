"""The operator table says what ONNX's own schemas say."""

import numpy as np
import onnx
import pytest

from gatewise_corpus.activations import ACTIVATIONS, find_activation
from gatewise_corpus.operators import OPERATORS, size_of

SCHEMAS = {name: onnx.defs.get_schema(name, max_inclusive_version=22) for name in OPERATORS}


@pytest.mark.parametrize("name", OPERATORS)
def test_inputs_and_outputs_stand_in_onnx_order(name: str) -> None:
    table, schema = OPERATORS[name], SCHEMAS[name]
    assert [slot.name for slot in table.inputs] == [value.name for value in schema.inputs]
    assert list(table.output_names) == [value.name for value in schema.outputs]
    single = onnx.defs.OpSchema.FormalParameterOption.Single
    required = [value.name for value in schema.inputs if value.option == single]
    assert [slot.name for slot in table.inputs if slot.required] == required == ["X", "W", "R"]


@pytest.mark.parametrize("name", OPERATORS)
def test_attributes_have_onnx_names_and_types(name: str) -> None:
    schema = {key: value.type.name.lower() for key, value in SCHEMAS[name].attributes.items()}
    assert dict(OPERATORS[name].attributes) == schema


@pytest.mark.parametrize(
    ("name", "gates", "rows_of_b"),
    [("RNN", ("i",), 14), ("GRU", ("z", "r", "h"), 42), ("LSTM", ("i", "o", "f", "c"), 56)],
)
def test_gates_and_the_sizes_that_follow(name: str, gates: tuple[str, ...], rows_of_b: int) -> None:
    table = OPERATORS[name]
    assert table.gates == gates
    bias = table.input("B")
    assert bias is not None
    assert size_of(bias.layout0[1], {"hidden": 7}) == rows_of_b


def test_layout_1_swaps_batch_forward() -> None:
    y, y_h = OPERATORS["GRU"].output("Y"), OPERATORS["GRU"].output("Y_h")
    assert y is not None
    assert y_h is not None
    assert y.shape(0) == ("seq", "dirs", "batch", "hidden")
    assert y.shape(1) == ("batch", "seq", "dirs", "hidden")
    assert (y_h.shape(0), y_h.shape(1)) == (("dirs", "batch", "hidden"), ("batch", "dirs", "hidden"))


def test_activation_defaults() -> None:
    """The note, section "Activations"."""
    takes = {name: (kind.alpha, kind.beta) for name, kind in ACTIVATIONS.items() if kind.alpha is not None}
    assert takes == {
        "Affine": (1.0, 0.0),
        "LeakyRelu": (0.01, None),
        "ThresholdedRelu": (1.0, None),
        "ScaledTanh": (1.0, 0.0),
        "HardSigmoid": (0.2, 0.5),
        "Elu": (1.0, None),
    }
    assert set(ACTIVATIONS) - set(takes) == {"Relu", "Tanh", "Sigmoid", "Softsign", "Softplus"}


def test_names_are_found_in_any_letter_case() -> None:
    assert find_activation("thresholdedRELU") is ACTIVATIONS["ThresholdedRelu"]
    assert find_activation("Relu6") is None


def test_sizes_of_dimensions() -> None:
    sizes = {"hidden": 5, "batch": 3}
    assert (size_of("hidden", sizes), size_of("4*hidden", sizes), size_of("batch", sizes)) == (5, 20, 3)
    assert np.prod([size_of(name, sizes) for name in ("batch", "3*hidden")]) == 45
