"""Other ways to compute a case that must give the same: each row alone, and other inputs constant (D32)."""

from collections.abc import Sequence

import numpy as np

from gatewise_corpus.case import Array, Case
from gatewise_corpus.operators import OPERATORS

WEIGHTS = ("W", "R", "B", "P")


def batch_axis(case: Case, name: str) -> int | None:
    """The axis of the rows in the input or output ``name`` of ``case``; None where it has none."""
    operator = OPERATORS[case.operator]
    slot = operator.input(name) or operator.output(name)
    dimensions = slot.shape(int(case.attributes.get("layout") == 1)) if slot else ()
    return dimensions.index("batch") if "batch" in dimensions else None


def batch_of(case: Case) -> int:
    """The number of rows of a valid case."""
    return int(case.inputs["X"].shape[batch_axis(case, "X") or 0])


def with_rows(case: Case, rows: Sequence[int]) -> Case:
    """The case with these rows of its batch, in this order; a row may come several times."""
    axes = {name: batch_axis(case, name) for name in case.inputs}
    taken = {name: np.take(case.inputs[name], rows, axis) for name, axis in axes.items() if axis is not None}
    return case.with_inputs(**taken)


def rows_of(case: Case) -> list[Case]:
    """Each row of the batch as a case of its own."""
    return [with_rows(case, [row]) for row in range(batch_of(case))]


def join_rows(case: Case, name: str, rows: Sequence[Array]) -> Array:
    """The output ``name`` of ``case`` from that of its rows; at least one is needed."""
    return np.concatenate(rows, axis=batch_axis(case, name) or 0)


def with_other_constants(case: Case) -> Case:
    """The case with all its weights as inputs where one of them is constant, else with all of them constant."""
    weights = case.inputs.keys() & set(WEIGHTS)
    return case.replace(constants=frozenset() if case.constants & weights else frozenset(weights))
