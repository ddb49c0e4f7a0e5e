"""Looking at the first steps only, which a search for an explanation does before it looks at all."""

import numpy as np
import pytest
from sample_cases import make_case

from gatewise_corpus.case import Case
from gatewise_corpus.layer import read_layer
from gatewise_oracle.explanation import explain, tells
from gatewise_oracle.misreadings import BY_NAME, MISREADINGS
from gatewise_oracle.model import end_to_end, evaluate, stepwise
from gatewise_oracle.readings import outside

LENGTHS = (5, 2, 0)
LAYERS = {
    "RNN": make_case("RNN", direction="reverse", lengths=LENGTHS),
    "GRU": make_case("GRU", direction="bidirectional"),
    "LSTM": make_case("LSTM", lengths=LENGTHS),
    "float16": make_case("LSTM", dtype=np.float16),
}


@pytest.mark.parametrize("case", LAYERS.values(), ids=LAYERS.keys())
def test_the_first_steps_are_those_of_all_and_the_rest_is_free(case: Case) -> None:
    layer = read_layer(case)
    Y = evaluate(layer)["Y"].astype(layer.dtype)
    whole, part = stepwise(layer, Y), stepwise(layer, Y, steps=2)
    for index, name in enumerate(layer.directions):
        for row, length in enumerate(layer.lengths):
            computed = [length - 1 - step if name == "reverse" else step for step in range(int(length))]
            for step, time in enumerate(computed):
                first, all_of_it = part["Y"][time, index, row], whole["Y"][time, index, row]
                if step < 2:
                    np.testing.assert_array_equal(first.center, all_of_it.center)
                    np.testing.assert_array_equal(first.radius, all_of_it.radius)
                else:
                    assert np.isinf(first.radius).all()
            if length > 2:
                assert np.isinf(part["Y_h"].radius[index, row]).all()
            else:
                np.testing.assert_array_equal(part["Y_h"].center[index, row], whole["Y_h"].center[index, row])


def test_values_of_later_steps_do_not_count_at_first() -> None:
    case = make_case("RNN")
    outputs = {name: array.astype(np.float32) for name, array in evaluate(read_layer(case)).items()}
    outputs["Y"][3] += 1
    assert outside(case, outputs, steps=3) == 0
    assert outside(case, outputs) > 0


def chaotic() -> Case:
    """A layer whose bound from end to end admits anything."""
    case = make_case("RNN", sizes=(60, 3, 2, 16), lengths=(60, 41, 50))
    assert not tells(end_to_end(read_layer(case))["Y"])
    return case


def test_a_bound_that_admits_anything_explains_nothing() -> None:
    case, reading = chaotic(), BY_NAME["lengths-mask-y-only"]
    outputs = {name: array.astype(np.float32) for name, array in evaluate(read_layer(case)).items()}
    outputs["Y"][59, 0, 0, 3] *= np.float32(0.5)
    assert outside(case, outputs) > 0
    assert outside(case, outputs, readings=(reading,)) == 0
    assert explain(case, outputs, MISREADINGS) is None


@pytest.mark.parametrize("operator", ["RNN", "GRU", "LSTM"])
def test_without_rows_no_step_is_computed_however_many_there_are(operator: str) -> None:
    case = make_case(operator, direction="bidirectional")
    shapes = {name: (array.shape[0], 0, *array.shape[2:]) for name, array in case.inputs.items() if array.ndim == 3}
    empty = {name: np.zeros(shapes[name], np.float32) for name in {"initial_h", "initial_c"} & shapes.keys()}
    steps = 2**26  # to walk through them would take longer than a test may
    X = np.zeros((steps, *shapes["X"][1:]), np.float32)
    layer = read_layer(case.with_inputs(X=X, sequence_lens=None, **empty))
    hidden = layer.hidden
    for outputs in (evaluate(layer), end_to_end(layer), stepwise(layer, np.zeros((steps, 2, 0, hidden), np.float32))):
        arrays = {name: getattr(output, "center", output) for name, output in outputs.items()}
        assert arrays.pop("Y").shape == (steps, 2, 0, hidden)
        assert {array.shape for array in arrays.values()} == {(2, 0, hidden)}
