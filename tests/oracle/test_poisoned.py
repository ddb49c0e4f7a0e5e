"""Layers with NaN, infinities, huge and tiny numbers strewn in: float32 evaluations lie inside all the same."""

import numpy as np
import pytest
from float32_model import Float32
from sample_cases import BATCH, SEQ, with_activations

from gatewise_corpus.activations import ACTIVATIONS
from gatewise_corpus.case import Case
from gatewise_corpus.layer import read_layer
from gatewise_corpus.operators import OPERATORS
from gatewise_oracle.ball import inside
from gatewise_oracle.model import end_to_end, stepwise

POISONS = (np.nan, np.inf, -np.inf, 3e38, -1e38, 1e20, 1.0, 1e-30, 1e-40, -1e-45, 0.0, -0.0)
CASES_PER_OPERATOR = 150


def poisoned_case(operator: str, seed: int) -> Case:
    rng = np.random.default_rng(seed)
    names = [str(name) for name in rng.choice(list(ACTIVATIONS), len(OPERATORS[operator].default_activations))]
    options = {"GRU": {"linear_before_reset": seed % 2}, "LSTM": {"input_forget": seed % 2}}.get(operator, {})
    case = with_activations(
        operator,
        names,
        seed=seed,
        direction=str(rng.choice(["forward", "reverse", "bidirectional"])),
        lengths=rng.integers(0, SEQ + 1, BATCH) if rng.random() < 0.4 else None,
        omit=[name for name in ("B", "initial_h", "initial_c", "P") if rng.random() < 0.3],
        dtype=np.float16 if rng.random() < 0.2 else np.float32,
        **options,
        **({"clip": 0.7} if rng.random() < 0.3 else {}),
    )
    inputs = {name: array.copy() for name, array in case.inputs.items()}
    with np.errstate(over="ignore"):
        for name in sorted(inputs.keys() - {"sequence_lens"}):
            if rng.random() < 0.5:
                places = rng.integers(inputs[name].size, size=2)
                inputs[name].flat[places] = rng.choice(POISONS, 2).astype(inputs[name].dtype)
    return case.with_inputs(**inputs)


@pytest.mark.parametrize("operator", OPERATORS)
def test_poisoned_layers_lie_inside(operator: str) -> None:
    constrained = values = certain = 0
    for seed in range(CASES_PER_OPERATOR):
        layer = read_layer(poisoned_case(operator, seed))
        with np.errstate(all="ignore"):
            outputs = Float32(seed).run(layer)
        for balls in (stepwise(layer, outputs["Y"]), end_to_end(layer)):
            for name, array in outputs.items():
                assert inside(balls[name], array).all(), f"seed {seed}, {name}"
                values += array.size
                constrained += np.count_nonzero(~balls[name].free)
                certain += np.count_nonzero(~np.isfinite(balls[name].center))
    # The judgement is not empty: nearly all is constrained, and much is NaN or infinite for certain.
    assert constrained > 0.85 * values
    assert certain > 0.1 * values
