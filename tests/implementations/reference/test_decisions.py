"""What the specification leaves open, as decided: padding, empty rows and sequences, coupling, NaN."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from gatewise_corpus.case import Array, Case
from gatewise_implementations.reference_library import run

MakeCase = Callable[..., Case]
Evaluate = Callable[[Case], dict[str, Array]]
SameBits = Callable[[Mapping[str, Array], Mapping[str, Array]], None]

OPERATORS = ("RNN", "GRU", "LSTM")
LENGTHS = (6, 0, 3, 1, 5)
POISON = (np.nan, np.inf, -np.inf)


def is_plus_zero(array: Array) -> bool:
    return bool((array.view(np.uint32) == 0).all())


@pytest.mark.parametrize("poison", POISON)
@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_padding_leaks_into_no_output(
    make_case: MakeCase, same_bits: SameBits, operator: str, direction: str, poison: float
) -> None:  # D17
    case = make_case(operator, lengths=LENGTHS, direction=direction)
    inputs = {name: array.copy() for name, array in case.inputs.items()}
    for row, length in enumerate(LENGTHS):
        inputs["X"][length:, row] = poison
    for name in {"initial_h", "initial_c"} & inputs.keys():
        inputs[name][:, 1] = poison  # the row of length 0
    expected = run(case)
    assert all(np.isfinite(array).all() for array in expected.values())
    same_bits(run(case.with_inputs(**inputs)), expected)


@pytest.mark.parametrize("operator", OPERATORS)
def test_y_is_plus_zero_past_a_row_and_everywhere_in_an_empty_one(
    make_case: MakeCase, operator: str
) -> None:  # D14, D18
    outputs = run(make_case(operator, lengths=LENGTHS, direction="bidirectional"))
    for row, length in enumerate(LENGTHS):
        assert is_plus_zero(outputs["Y"][length:, :, row])
        assert (outputs["Y"][:length, :, row] != 0).all()
    for name in outputs.keys() - {"Y"}:
        assert is_plus_zero(outputs[name][:, 1])
        assert (outputs[name][:, [0, 2, 3, 4]] != 0).all()


@pytest.mark.parametrize("operator", OPERATORS)
def test_final_states_are_those_of_the_last_step_computed(make_case: MakeCase, operator: str) -> None:  # D19
    outputs = run(make_case(operator, lengths=LENGTHS, direction="bidirectional"))
    for row, length in enumerate(LENGTHS):
        if length:
            assert np.array_equal(outputs["Y_h"][0, row], outputs["Y"][length - 1, 0, row])
            assert np.array_equal(outputs["Y_h"][1, row], outputs["Y"][0, 1, row])


@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("operator", OPERATORS)
def test_an_empty_sequence_keeps_the_initial_states(make_case: MakeCase, operator: str, layout: int) -> None:  # D15
    case = make_case(operator, t=0, direction="bidirectional", layout=layout)
    outputs = run(case)
    assert outputs["Y"].shape == ((5, 0, 2, 3) if layout else (0, 2, 5, 3))
    assert np.array_equal(outputs["Y_h"], case.inputs["initial_h"])
    if operator == "LSTM":
        assert np.array_equal(outputs["Y_c"], case.inputs["initial_c"])


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_empty_sequence_without_states_gives_zeros(make_case: MakeCase, operator: str) -> None:  # D15
    outputs = run(make_case(operator, t=0, omit=("initial_h", "initial_c")))
    assert is_plus_zero(outputs["Y_h"])
    assert operator != "LSTM" or is_plus_zero(outputs["Y_c"])


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_empty_sequence_with_lengths_drops_the_initial_states(
    make_case: MakeCase, operator: str
) -> None:  # D15 yields to D14
    outputs = run(make_case(operator, t=0, lengths=(0,) * 5))
    assert is_plus_zero(outputs["Y_h"])
    assert operator != "LSTM" or is_plus_zero(outputs["Y_c"])


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_empty_batch_gives_empty_outputs(make_case: MakeCase, operator: str) -> None:  # D16
    outputs = run(make_case(operator, n=0, direction="bidirectional"))
    assert outputs["Y"].shape == (6, 2, 0, 3)
    assert outputs["Y_h"].shape == (2, 0, 3)


def test_an_empty_batch_of_an_endless_sequence(make_case: MakeCase) -> None:  # D16
    case = make_case("GRU", n=0).with_inputs(X=np.zeros((2**56, 0, 4), np.float32))
    assert run(case, threads=3)["Y"].shape == (2**56, 1, 0, 3)


@pytest.mark.parametrize("operator", OPERATORS)
def test_no_input_features_leave_bias_and_recurrence(
    make_case: MakeCase, evaluate: Evaluate, same_bits: SameBits, operator: str
) -> None:  # D16
    case = make_case(operator, i=0)
    same_bits(run(case), evaluate(case))


@pytest.mark.parametrize("poison", POISON)
def test_the_forget_gates_weights_are_not_read_when_coupled(
    make_case: MakeCase, same_bits: SameBits, poison: float
) -> None:  # D22
    case = make_case("LSTM", input_forget=1)
    inputs = {name: array.copy() for name, array in case.inputs.items()}
    inputs["W"][:, 6:9] = inputs["R"][:, 6:9] = poison
    inputs["B"][:, 6:9] = inputs["B"][:, 18:21] = inputs["P"][:, 6:9] = poison
    same_bits(run(case.with_inputs(**inputs)), run(case))


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_omitted_state_is_multiplied_like_any_other(
    make_case: MakeCase, operator: str
) -> None:  # D23: 0 * Inf = NaN
    case = make_case(operator, omit=("initial_h",))
    R = case.inputs["R"].copy()
    R[0, 1, 0] = np.inf  # into unit 1 of the first gate
    Y = run(case.with_inputs(R=R), threads=2)["Y"][0, 0]
    assert np.isnan(Y[:, 1]).all()
    assert np.isfinite(Y[:, [0, 2]]).all()


@pytest.mark.parametrize("bits", [0x7F800001, 0xFFC00000, 0x7FFFFFFF])
@pytest.mark.parametrize("operator", OPERATORS)
def test_every_nan_is_the_canonical_one(make_case: MakeCase, operator: str, bits: int) -> None:  # D24
    case = make_case(operator, t=0)
    poisoned = {
        name: np.full_like(array, np.nan).view(np.uint32) * 0 + np.uint32(bits)
        for name, array in case.inputs.items()
        if name in {"initial_h", "initial_c"}
    }
    outputs = run(case.with_inputs(**{name: words.view(np.float32) for name, words in poisoned.items()}))
    assert (outputs["Y_h"].view(np.uint32) == 0x7FC00000).all()
    if operator == "LSTM":
        assert (outputs["Y_c"].view(np.uint32) == 0x7FC00000).all()


@pytest.mark.parametrize("operator", OPERATORS)
def test_nan_passes_the_clip_and_spreads_by_the_formulas(make_case: MakeCase, operator: str) -> None:  # D03
    case = make_case(operator, clip=0.5)
    X = case.inputs["X"].copy()
    X[2, 3, 0] = np.nan
    Y = run(case.with_inputs(X=X))["Y"][:, 0]
    assert (Y[2:, 3].view(np.uint32) == 0x7FC00000).all()
    assert np.isfinite(Y[:2]).all()
    assert np.isfinite(Y[:, [0, 1, 2, 4]]).all()


@pytest.mark.parametrize("operator", OPERATORS)
def test_layout_1_is_layout_0_transposed(make_case: MakeCase, operator: str) -> None:  # D28
    plain = run(make_case(operator, direction="bidirectional", lengths=LENGTHS))
    case = make_case(operator, direction="bidirectional", lengths=LENGTHS, layout=1)
    turned = run(case)
    assert np.array_equal(turned["Y"].transpose(1, 2, 0, 3), plain["Y"])
    for name in turned.keys() - {"Y"}:
        assert np.array_equal(turned[name].swapaxes(0, 1), plain[name])
