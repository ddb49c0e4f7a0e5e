"""No bound in the corpus is so wide that it says nothing."""

import numpy as np
import pytest

from gatewise.bounds import Sensitivity, distances, sensitivities, widths
from gatewise.mutant import outputs_under
from gatewise_corpus.case import Case
from gatewise_corpus.recipes.recipe import Sizes, draw
from gatewise_corpus.store import cases_root, load_entries, load_entry
from gatewise_oracle.ball import UNIT

NARROW = {"float32": 2.0**-11, "float64": 2.0**-11, "float16": 2.0**-10}
"""What half an admissible interval may be, as a part of the largest magnitude in its output."""
TINY_VALUES = "all values lie below the error that an activation may have, so only the bits of exact mode tell"
AT_THRESHOLD = (
    "ThresholdedRelu at its threshold: after the first step the sum is not exact, and both values are right"
)
WIDE = {
    "gru/softplus-of-small": TINY_VALUES,
    "lstm/softplus-of-small": TINY_VALUES,
    "rnn/softplus-of-small": TINY_VALUES,
    "lstm/elu-of-small": TINY_VALUES,
    "gru/subnormal-inputs": TINY_VALUES,
    "lstm/subnormal-inputs": TINY_VALUES,
    "rnn/subnormal-inputs": TINY_VALUES,
    "lstm/tiny-weights": TINY_VALUES,
    "rnn/tiny-weights": TINY_VALUES,
    "gru/threshold-met": AT_THRESHOLD,
    "lstm/threshold-met": AT_THRESHOLD,
}
FREE = {
    "gru/minus-infinity-in-initial-h": 5,
    "gru/plus-infinity-in-initial-h": 5,
}
"""Where elements may have any value: an infinity times a gate that is 0 or not."""


def test_every_bound_is_narrow_or_named_with_the_reason() -> None:
    wide, free = set(), {}
    for entry in load_entries():
        if entry.about.refuse:
            continue
        found = widths(entry.case)
        if found.relative.max(initial=0.0) > NARROW[entry.case.inputs["X"].dtype.name]:
            wide.add(entry.name)
        if found.free:
            free[entry.name] = found.free
    assert wide == set(WIDE)
    assert free == FREE


def layer() -> Case:
    return draw("bounds", "RNN", Sizes(3, 2, 1, 4), attributes={"activations": ("Relu",)}, optional=("B",))


def test_widths_are_radii_over_the_largest_value() -> None:
    # One unit and one step: the sum of x w, Wb and Rb has three terms, the product with the state of 0 a fourth.
    case = draw("one", "RNN", Sizes(1, 1, 1, 1), attributes={"activations": ("Relu",)}, optional=("B",))
    case = case.with_inputs(
        X=np.full((1, 1, 1), 3.1, np.float32),
        W=np.full((1, 1, 1), 0.7, np.float32),
        B=np.full((1, 2), 0.3, np.float32),
    )
    found = widths(case)
    value = 3.1 * 0.7 + 0.6
    assert found.relative == pytest.approx([4 * UNIT * value / value] * 2, rel=1e-5)
    assert (found.exact, found.free) == (0, 0)
    empty = draw("empty", "RNN", Sizes(4, 2, 3, 5), lengths=[4, 1])
    assert (widths(empty).exact, widths(empty).relative.size) == (3 * 5, 4 * 5 + 5 + 2 * 5)


def test_distances_are_counted_in_radii() -> None:
    case = layer()
    outputs = outputs_under(case)
    assert distances(case, outputs).max() < 0.5
    moved = {**outputs, "Y": outputs["Y"] + np.float32(1.0)}
    assert distances(case, moved).max() > 1000


def test_a_layer_notices_small_errors_in_one_weight() -> None:
    found = list(sensitivities(sizes=(4,), weights=3))
    assert [(each.operator, each.tensor) for each in found] == [
        (operator, tensor) for operator in ("RNN", "GRU", "LSTM") for tensor in ("W", "R")
    ]
    for each in found:
        assert isinstance(each, Sensitivity)
        assert -20 < each.median <= each.worst < -6


def test_recorded_outputs_lie_well_inside() -> None:
    entry = load_entry(cases_root() / "lstm/weights-constant", cases_root())
    assert 0 < distances(entry.case, entry.outputs).max() < 0.5
