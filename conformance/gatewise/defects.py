"""The defects of invalid cases: each makes a valid case without empty sizes invalid for one reason."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from gatewise_corpus.case import Array, Case
from gatewise_corpus.features import sizes
from gatewise_corpus.operators import LAYOUT_OPSET, OPERATORS

DEFECTS: Mapping[str, Callable[[Case], Case]] = MappingProxyType(
    {
        "direction": lambda case: case.with_attributes(direction="Forward"),
        "opset": lambda case: case.replace(opset=6),
        "layout": lambda case: case.replace(opset=LAYOUT_OPSET).with_attributes(layout=2),
        "hidden-size": lambda case: case.with_attributes(hidden_size=0),
        "hidden-size-mismatch": lambda case: case.with_attributes(hidden_size=case.inputs["R"].shape[2] + 1),
        "activation-name": lambda case: case.with_attributes(activations=_unknown_names(case)),
        "activation-count": lambda case: case.with_attributes(activations=("Tanh",) * 7),
        "missing-input": lambda case: case.with_inputs(R=None),
        "rank": lambda case: case.with_inputs(W=case.inputs["W"][0]),
        "shape": lambda case: case.with_inputs(R=np.concatenate([case.inputs["R"]] * 2, axis=1)),
        "dtype-mismatch": lambda case: case.with_inputs(W=case.inputs["W"].astype(np.float64)),
        "lengths-range": lambda case: case.with_inputs(sequence_lens=_equal_lengths(case, sizes(case)["seq"] + 1)),
        "lengths-dtype": lambda case: case.with_inputs(sequence_lens=_equal_lengths(case, 1).astype(np.int64)),
    }
)
"""What makes a case invalid, by the reason (``gatewise_corpus.refusal.REASONS``) to refuse it."""


def _unknown_names(case: Case) -> tuple[str, ...]:
    return ("Gelu",) * len(OPERATORS[case.operator].default_activations)


def _equal_lengths(case: Case, length: int) -> Array:
    return np.full(sizes(case)["batch"], length, dtype=np.int32)
