"""The variations of a case: rows taken along the right axes, weights made constant or not."""

import numpy as np
import pytest

from gatewise.variations import batch_axis, batch_of, join_rows, rows_of, with_other_constants, with_rows
from gatewise_corpus.case import Case, same_bits, same_case
from gatewise_corpus.layer import output_to_layout, read_layer, turned
from gatewise_oracle.model import evaluate


def in_layout_1(case: Case) -> Case:
    arrays = {name: np.ascontiguousarray(turned(name, array)) for name, array in case.inputs.items()}
    return case.with_inputs(**arrays).with_attributes(layout=1)


@pytest.mark.parametrize(
    ("layout", "axes"),
    [
        (0, {"X": 1, "sequence_lens": 0, "initial_h": 1, "initial_c": 1, "Y": 2, "Y_h": 1, "Y_c": 1, "W": None}),
        (1, {"X": 0, "sequence_lens": 0, "initial_h": 0, "initial_c": 0, "Y": 0, "Y_h": 0, "Y_c": 0, "W": None}),
    ],
)
def test_the_axis_of_the_rows(lstm: Case, layout: int, axes: dict[str, int | None]) -> None:
    case = lstm.with_attributes(layout=layout)
    assert {name: batch_axis(case, name) for name in axes} == axes


def test_rows_are_taken_in_the_order_that_is_asked_for(lstm: Case) -> None:
    for case in (lstm, in_layout_1(lstm)):
        twice = with_rows(case, [2, 0, 2])
        assert twice.inputs["sequence_lens"].tolist() == [3, 4, 3]
        assert same_bits(twice.inputs["W"], case.inputs["W"])
        assert same_case(with_rows(with_rows(case, [2, 0, 1]), [1, 2, 0]), case)


@pytest.mark.parametrize("layout", [0, 1])
def test_rows_alone_join_to_the_whole(gru: Case, layout: int) -> None:
    case = in_layout_1(gru) if layout else gru
    assert batch_of(case) == 3
    whole, alone = evaluate(read_layer(case)), [evaluate(read_layer(row)) for row in rows_of(case)]
    assert len(alone) == 3
    for name in case.outputs:
        parts = [output_to_layout(name, each[name], layout) for each in alone]
        joined = output_to_layout(name, whole[name], layout)
        np.testing.assert_allclose(join_rows(case, name, parts), joined, rtol=1e-12, atol=0, strict=True)


def test_other_constants_are_none_or_all_the_weights(lstm: Case) -> None:
    assert with_other_constants(lstm).constants == {"W", "R", "B", "P"}
    assert with_other_constants(lstm.replace(constants=frozenset({"R", "X"}))).constants == frozenset()
    assert with_other_constants(lstm.with_inputs(P=None)).constants == {"W", "R", "B"}
