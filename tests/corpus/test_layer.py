"""Validation and the normal form, against values worked out by hand."""

from typing import Any

import numpy as np
import pytest

from gatewise_corpus.case import Case
from gatewise_corpus.layer import output_from_layout, output_shapes, output_to_layout, read_layer, turned
from gatewise_corpus.recipes.recipe import ALL_INPUTS, Sizes, draw
from gatewise_corpus.refusal import REASONS, RefusedError

SIZES = Sizes(seq=4, batch=3, input=2, hidden=5)


def activations_of(operator: str, **attributes: Any) -> list[list[tuple[str, float, float]]]:
    case = draw("test", operator, SIZES, attributes=attributes)
    return [
        [(used.name, round(used.alpha, 6), round(used.beta, 6)) for used in direction]
        for direction in read_layer(case).activations
    ]


def test_alpha_and_beta_run_on_separate_cursors() -> None:
    """The note's own example: HardSigmoid, LeakyRelu, ScaledTanh."""
    assert activations_of(
        "LSTM",
        activations=("HardSigmoid", "LeakyRelu", "ScaledTanh"),
        activation_alpha=(0.3, 0.2, 1.2),
        activation_beta=(0.4, 0.7),
    ) == [[("HardSigmoid", 0.3, 0.4), ("LeakyRelu", 0.2, 0.0), ("ScaledTanh", 1.2, 0.7)]]


def test_cursors_skip_activations_without_parameters_and_run_out_into_defaults() -> None:
    assert activations_of(
        "GRU",
        direction="bidirectional",
        activations=("Sigmoid", "LeakyRelu", "HardSigmoid", "Elu"),
        activation_alpha=(0.3,),
        activation_beta=(0.9, 0.8),
    ) == [
        [("Sigmoid", 0.0, 0.0), ("LeakyRelu", 0.3, 0.0)],
        [("HardSigmoid", 0.2, 0.9), ("Elu", 1.0, 0.0)],
    ]


def test_one_set_of_names_is_duplicated_before_the_cursor_runs() -> None:
    """D09."""
    assert activations_of(
        "RNN", direction="bidirectional", activations=("LeakyRelu",), activation_alpha=(0.1, 0.45)
    ) == [[("LeakyRelu", 0.1, 0.0)], [("LeakyRelu", 0.45, 0.0)]]


def test_second_name_of_one_rnn_direction_consumes_nothing() -> None:
    """D10."""
    assert activations_of("RNN", activations=("Elu", "LeakyRelu"), activation_alpha=(0.3, 0.7)) == [
        [("Elu", 0.3, 0.0)]
    ]


def test_an_empty_list_means_the_defaults() -> None:
    """D11."""
    assert activations_of("GRU", activations=()) == [[("Sigmoid", 0.0, 0.0), ("Tanh", 0.0, 0.0)]]


@pytest.mark.parametrize(
    ("clip", "effective"),
    [(None, None), (0.75, 0.75), (0.0, None), (-1.0, None), (float("nan"), None), (float("inf"), None)],
)
def test_only_a_positive_clip_clamps(clip: float | None, effective: float | None) -> None:
    """D02."""
    case = draw("test", "RNN", SIZES).with_attributes(clip=clip)
    assert read_layer(case).attributes.clip == effective


def test_tensors_are_split_by_direction_and_gate() -> None:
    case = draw("test", "LSTM", SIZES, attributes={"direction": "bidirectional"}, optional=ALL_INPUTS)
    layer = read_layer(case)
    assert layer.W.shape == (2, 4, 5, 2)
    assert layer.R.shape == (2, 4, 5, 5)
    assert layer.Wb is not None
    assert layer.Rb is not None
    assert layer.P is not None
    B, P = case.inputs["B"], case.inputs["P"]
    np.testing.assert_array_equal(layer.W[1, 2], case.inputs["W"][1, 10:15])
    np.testing.assert_array_equal(layer.Wb[1, 3], B[1, 15:20])
    np.testing.assert_array_equal(layer.Rb[0, 1], B[0, 25:30])
    np.testing.assert_array_equal(layer.P[1, 2], P[1, 10:15])
    assert layer.directions == ("forward", "reverse")


def test_layout_1_is_turned_and_omitted_states_are_zeros() -> None:
    case = draw("test", "GRU", SIZES, attributes={"layout": 1}, optional=("initial_h",), lengths=[4, 0, 2])
    layer = read_layer(case)
    assert (layer.seq, layer.batch, layer.input, layer.hidden) == (4, 3, 2, 5)
    np.testing.assert_array_equal(layer.X[1, 2], case.inputs["X"][2, 1])
    np.testing.assert_array_equal(layer.initial_h[0, 2], case.inputs["initial_h"][2, 0])
    assert not layer.initial_c.any()
    assert layer.Wb is None
    assert layer.lengths.tolist() == [4, 0, 2]
    assert layer.has_lengths


def test_lengths_default_to_the_whole_sequence() -> None:
    layer = read_layer(draw("test", "GRU", SIZES))
    assert layer.lengths.tolist() == [4, 4, 4]
    assert not layer.has_lengths


@pytest.mark.parametrize("flag", [2, -1, 1])
def test_any_non_zero_flag_is_set(flag: int) -> None:
    """D21."""
    gru = read_layer(draw("test", "GRU", SIZES, attributes={"linear_before_reset": flag}))
    lstm = read_layer(draw("test", "LSTM", SIZES, attributes={"input_forget": flag}))
    assert gru.attributes.linear_before_reset
    assert lstm.attributes.input_forget


def test_layouts_of_outputs_are_inverse() -> None:
    Y = np.arange(2 * 1 * 3 * 5).reshape(2, 1, 3, 5)
    assert output_to_layout("Y", Y, 1).shape == (3, 2, 1, 5)
    assert output_to_layout("Y", Y, 1)[2, 1, 0, 4] == Y[1, 0, 2, 4]
    np.testing.assert_array_equal(output_from_layout("Y", output_to_layout("Y", Y, 1), 1), Y)
    assert output_to_layout("Y_h", Y[0], 1)[2, 0, 3] == Y[0, 0, 2, 3]
    np.testing.assert_array_equal(turned("X", turned("X", Y)), Y)
    assert turned("W", Y) is Y


def test_shapes_of_all_outputs() -> None:
    case = draw("test", "LSTM", SIZES, attributes={"layout": 1, "direction": "bidirectional"}, outputs=("Y_c",))
    assert output_shapes(case) == {"Y": (3, 4, 2, 5), "Y_h": (3, 2, 5), "Y_c": (3, 2, 5)}


def refused(case: Case) -> tuple[str, str, str]:
    with pytest.raises(RefusedError) as caught:
        read_layer(case)
    return caught.value.reason, caught.value.kind, str(caught.value)


@pytest.mark.parametrize(
    ("change", "reason", "words"),
    [
        ({"opset": 6}, "opset", "opset 6 is not supported; 7 is the oldest"),
        ({"operator": "SRU"}, "operator", "operator 'SRU' is not one of RNN, GRU, LSTM"),
        ({"outputs": ("Y", "Y")}, "output", "output 'Y' is not one of Y, Y_h, each at most once"),
        ({"constants": frozenset({"P"})}, "constant", "constant 'P' is not an input of the case"),
    ],
)
def test_a_refusal_is_one_sentence_that_names_the_value(change: dict[str, Any], reason: str, words: str) -> None:
    assert refused(draw("test", "GRU", SIZES).replace(**change)) == (reason, "invalid", words)


def test_a_shape_is_refused_with_what_it_should_be() -> None:
    case = draw("test", "GRU", SIZES)
    short = case.with_inputs(B=case.inputs["B"][:, :-1])
    assert refused(short) == ("shape", "invalid", "B has shape [1, 29], but [dirs, 6*hidden] is [1, 30]")


def test_scratch_is_computed_without_overflow() -> None:
    """D36: exactly 2^30 floats are refused, one row fewer is not."""

    def with_rows(rows: int) -> Case:
        sizes = Sizes(seq=2**16, batch=rows, input=0, hidden=4)
        return draw("test", "RNN", sizes, optional=(), constants=("W", "R"))

    fits = 2**30 // (4 * (2**16 + 4))
    reason, kind, words = refused(with_rows(fits + 1))
    assert (reason, kind) == ("scratch-limit", "unsupported")
    assert words == f"a direction needs {(fits + 1) * 4 * (2**16 + 4)} floats of scratch, but 2^30 is the limit"
    assert read_layer(with_rows(fits)).batch == fits


def test_bfloat16_is_unsupported_where_the_operator_has_it() -> None:
    import ml_dtypes

    case = draw("test", "RNN", SIZES, opset=22)
    narrowed = case.with_inputs(**{name: array.astype(ml_dtypes.bfloat16) for name, array in case.inputs.items()})
    assert refused(narrowed)[:2] == ("bfloat16", "unsupported")
    assert refused(narrowed.replace(opset=21))[:2] == ("dtype", "invalid")


def test_every_reason_is_explained() -> None:
    assert all(REASONS.values())
    with pytest.raises(KeyError):
        RefusedError("no-such-reason", "words")
