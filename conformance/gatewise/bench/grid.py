"""The layers that a bench times, and their cases."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from gatewise_corpus.case import Case
from gatewise_corpus.operators import OPERATORS
from gatewise_reports.bench.record import LAYERS, Cell, Layer

SEQ = 64
HIDDEN = (64, 128, 256, 512, 1024)
BATCH = (1, 8, 32)
THREADS = (1, 2)
OPSET = 14
TRIVIAL = Cell(layer="RNN", seq=1, batch=1, hidden=1)
"""Next to no arithmetic: what a call costs."""


def grid(
    layers: Sequence[Layer] = tuple(LAYERS), hidden: Sequence[int] = HIDDEN, batch: Sequence[int] = BATCH
) -> list[Cell]:
    """Every combination, the sizes running faster than the layers."""
    return [Cell(layer, SEQ, rows, units) for layer, units, rows in product(layers, hidden, batch)]


def case_of(cell: Cell) -> Case:
    """A forward layer with constant W, R and B and a zero initial state; all outputs are requested.

    The weights are uniform within 1 / sqrt(hidden), as torch's initial values are. So the recurrence contracts, and
    the errors of one step do not grow along the sequence.
    """
    operator, attributes = LAYERS[cell.layer]
    table = OPERATORS[operator]
    rng = np.random.default_rng([cell.seq, cell.batch, cell.hidden])
    rows, bound = len(table.gates) * cell.hidden, 1 / np.sqrt(cell.hidden)
    weights = {"W": (1, rows, cell.hidden), "R": (1, rows, cell.hidden), "B": (1, 2 * rows)}
    states = ["initial_h", "initial_c"] if operator == "LSTM" else ["initial_h"]
    inputs = {
        "X": rng.standard_normal((cell.seq, cell.batch, cell.hidden), np.float32),
        **{name: rng.uniform(-bound, bound, shape).astype(np.float32) for name, shape in weights.items()},
        **{name: np.zeros((1, cell.batch, cell.hidden), np.float32) for name in states},
    }
    return Case(
        operator, OPSET, {"hidden_size": cell.hidden, **attributes}, inputs, table.output_names, frozenset(weights)
    )
