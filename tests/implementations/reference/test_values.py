"""Values: bit-equal to a literal float32 evaluation, and to numbers worked out by hand."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from gatewise_corpus.case import Array, Case
from gatewise_implementations.reference_library import run

MakeCase = Callable[..., Case]
Evaluate = Callable[[Case], dict[str, Array]]
SameBits = Callable[[Mapping[str, Array], Mapping[str, Array]], None]

OPERATORS = ("RNN", "GRU", "LSTM")
DIRECTIONS = ("forward", "reverse", "bidirectional")
VARIANTS = (
    ("RNN", {}),
    ("GRU", {"linear_before_reset": 0}),
    ("GRU", {"linear_before_reset": 1}),
    ("LSTM", {"input_forget": 0}),
    ("LSTM", {"input_forget": 1}),
)
LENGTHS = (6, 0, 3, 1, 5)


@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["whole", "ragged"])
@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize(("operator", "attributes"), VARIANTS)
def test_equals_the_literal_evaluation(
    *,
    make_case: MakeCase,
    evaluate: Evaluate,
    same_bits: SameBits,
    operator: str,
    attributes: dict[str, Any],
    direction: str,
    layout: int,
    lengths: tuple[int, ...] | None,
) -> None:
    case = make_case(operator, lengths=lengths, layout=layout, direction=direction, **attributes)
    same_bits(run(case), evaluate(case))


@pytest.mark.parametrize("clip", [0.25, 3.0, float("inf"), 0.0, -1.0, float("nan")])
@pytest.mark.parametrize(("operator", "attributes"), VARIANTS)
def test_clip_bounds_what_enters_the_gates(
    *,
    make_case: MakeCase,
    evaluate: Evaluate,
    same_bits: SameBits,
    operator: str,
    attributes: dict[str, Any],
    clip: float,
) -> None:
    case = make_case(operator, clip=clip, **attributes)
    same_bits(run(case), evaluate(case))


def test_a_clip_changes_the_result_only_where_it_is_positive(make_case: MakeCase) -> None:
    plain, zero, positive = (run(make_case("GRU", **extra))["Y"] for extra in ({}, {"clip": 0.0}, {"clip": 0.25}))
    assert np.array_equal(plain, zero)
    assert not np.array_equal(plain, positive)


@pytest.mark.parametrize("omit", [("B",), ("initial_h",), ("initial_c",), ("P",), ("B", "initial_h", "P")])
@pytest.mark.parametrize(("operator", "attributes"), VARIANTS)
def test_omitted_inputs(
    *,
    make_case: MakeCase,
    evaluate: Evaluate,
    same_bits: SameBits,
    operator: str,
    attributes: dict[str, Any],
    omit: tuple[str, ...],
) -> None:
    case = make_case(operator, omit=omit, **attributes)
    same_bits(run(case), evaluate(case))


@pytest.mark.parametrize("hidden", [1, 3, 5, 8, 9, 17])
@pytest.mark.parametrize(("operator", "attributes"), VARIANTS)
def test_hidden_sizes_around_a_panel(
    *,
    make_case: MakeCase,
    evaluate: Evaluate,
    same_bits: SameBits,
    operator: str,
    attributes: dict[str, Any],
    hidden: int,
) -> None:
    case = make_case(operator, h=hidden, n=7, lengths=(6, 1, 4, 4, 0, 2, 6), direction="bidirectional", **attributes)
    same_bits(run(case), evaluate(case))


@pytest.mark.parametrize("batch", [1, 3, 4, 5, 9])
@pytest.mark.parametrize("operator", OPERATORS)
def test_batch_sizes_around_a_tile(
    make_case: MakeCase, evaluate: Evaluate, same_bits: SameBits, operator: str, batch: int
) -> None:
    case = make_case(operator, n=batch, t=2, h=10)
    same_bits(run(case), evaluate(case))


@pytest.mark.parametrize("operator", OPERATORS)
def test_hidden_size_may_be_given_and_any_non_zero_flag_is_one(
    make_case: MakeCase, same_bits: SameBits, operator: str
) -> None:
    flag = {"RNN": None, "GRU": "linear_before_reset", "LSTM": "input_forget"}[operator]
    one, other = ({flag: 1}, {flag: -7}) if flag else ({}, {})
    same_bits(run(make_case(operator, **other, hidden_size=3)), run(make_case(operator, **one)))


def test_an_older_opset_gives_the_same(make_case: MakeCase, same_bits: SameBits) -> None:
    case = make_case("LSTM")
    same_bits(run(case.replace(opset=7)), run(case))


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_subset_of_outputs_gives_the_same_values(
    make_case: MakeCase, evaluate: Evaluate, same_bits: SameBits, operator: str
) -> None:
    case = make_case(operator, lengths=LENGTHS, direction="bidirectional")
    expected = evaluate(case)
    for size in range(1, len(case.outputs) + 1):
        for outputs in itertools.permutations(case.outputs, size):
            actual = run(case.replace(outputs=outputs))
            assert tuple(actual) == outputs
            same_bits(actual, expected)


AFFINE = {"activation_alpha": (1.0,) * 6, "activation_beta": (0.0,) * 6}


def arrays(**values: Any) -> dict[str, Array]:
    return {name: np.array(value, np.float32) for name, value in values.items()}


def test_rnn_by_hand() -> None:
    # h1 = 2*1 + 3*2 + (0.5*4 + 0.25*8) + 1 + 0.5 = 13.5; the second unit: -1*1 + 4*2 + (-1*4 + 2*8) + 2 - 1 = 20
    inputs = arrays(
        X=[[[1, 2]]],
        W=[[[2, 3], [-1, 4]]],
        R=[[[0.5, 0.25], [-1, 2]]],
        B=[[1, 2, 0.5, -1]],
        initial_h=[[[4, 8]]],
    )
    case = Case("RNN", 14, {"activations": ("Affine",), **AFFINE}, inputs, ("Y", "Y_h"))
    outputs = run(case)
    assert outputs["Y"].tolist() == [[[[13.5, 20.0]]]]
    assert outputs["Y_h"].tolist() == [[[13.5, 20.0]]]


@pytest.mark.parametrize(("before", "expected"), [(0, -29.0), (1, -26.0)])
def test_gru_by_hand(before: int, expected: float) -> None:
    # X = 1, h = 2: z = 2 + 0.5*2 + 1 - 1 = 3 and r = 1 - 2*2 + 0 + 1 = -2
    rb = 20.5 if before == 0 else -9.5
    # 0: candidate = 4 + 3*(-2*2) + 5 + 20.5 = 17.5, h = (1 - 3)*17.5 + 3*2 = -29
    # 1: candidate = 4 - 2*(3*2 - 9.5) + 5 = 16, h = (1 - 3)*16 + 3*2 = -26
    inputs = arrays(
        X=[[[1]]], W=[[[2], [1], [4]]], R=[[[0.5], [-2], [3]]], B=[[1, 0, 5, -1, 1, rb]], initial_h=[[[2]]]
    )
    attributes = {"activations": ("Affine", "Affine"), "linear_before_reset": before, **AFFINE}
    assert run(Case("GRU", 14, attributes, inputs, ("Y_h",)))["Y_h"].tolist() == [[[expected]]]


@pytest.mark.parametrize(("forget", "cell"), [(0, 36.0), (1, 10.0)])
def test_lstm_by_hand(forget: int, cell: float) -> None:
    # X = 1, h = 2, c = 4; gates i, o, f, c.
    # i = (1 + 0.5*2) + 0.25*4 = 3; f = (2 - 1*2) + 1.5*4 = 6, or 1 - 3 = -2; candidate = 5 + 0.5*2 = 6 (no peephole)
    # c = f*4 + 3*6 = 42 or 10; with Rb of f at -1.5: f = 4.5 and c = 36; o = (3 - 2) + 1 * c; h = o * c
    inputs = arrays(
        X=[[[1]]],
        W=[[[1], [3], [2], [5]]],
        R=[[[0.5], [-1], [-1], [0.5]]],
        B=[[0, 0, 0, 0, 0, 0, -1.5, 0]],
        initial_h=[[[2]]],
        initial_c=[[[4]]],
        P=[[0.25, 1, 1.5]],
    )
    attributes = {"activations": ("Affine",) * 3, "input_forget": forget, **AFFINE}
    outputs = run(Case("LSTM", 14, attributes, inputs, ("Y_h", "Y_c")))
    assert outputs["Y_c"].tolist() == [[[cell]]]
    assert outputs["Y_h"].tolist() == [[[(1 + cell) * cell]]]
