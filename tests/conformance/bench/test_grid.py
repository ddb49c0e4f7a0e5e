import numpy as np
import pytest

from gatewise.bench.grid import TRIVIAL, case_of, grid
from gatewise_corpus.layer import read_layer
from gatewise_reports.bench.figures import is_trivial
from gatewise_reports.bench.record import LAYERS, Cell, Layer


def test_the_grid_is_every_combination() -> None:
    cells = grid()
    assert len(cells) == 4 * 5 * 3
    assert {(cell.layer, cell.hidden, cell.batch) for cell in cells} == {
        (layer, hidden, batch)
        for layer in ("RNN", "GRU0", "GRU1", "LSTM")
        for hidden in (64, 128, 256, 512, 1024)
        for batch in (1, 8, 32)
    }
    assert {cell.seq for cell in cells} == {64}
    assert not any(map(is_trivial, cells))


def test_the_grid_is_narrowed_in_the_order_given() -> None:
    assert grid(("LSTM", "RNN"), (9,), (2, 1)) == [
        Cell("LSTM", 64, 2, 9),
        Cell("LSTM", 64, 1, 9),
        Cell("RNN", 64, 2, 9),
        Cell("RNN", 64, 1, 9),
    ]


@pytest.mark.parametrize(
    ("layer", "operator", "gates", "reset"),
    [("RNN", "RNN", 1, None), ("GRU0", "GRU", 3, 0), ("GRU1", "GRU", 3, 1), ("LSTM", "LSTM", 4, None)],
)
def test_a_cells_case_has_its_sizes_and_constant_weights(
    layer: Layer, operator: str, gates: int, reset: int | None
) -> None:
    case = case_of(Cell(layer, seq=5, batch=3, hidden=16))
    shapes = {name: array.shape for name, array in case.inputs.items()}
    assert (case.operator, case.attributes.get("linear_before_reset")) == (operator, reset)
    assert shapes["X"] == (5, 3, 16)
    assert shapes["W"] == shapes["R"] == (1, gates * 16, 16)
    assert shapes["B"] == (1, 2 * gates * 16)
    assert case.constants == {"W", "R", "B"}
    assert {array.dtype for array in case.inputs.values()} == {np.dtype(np.float32)}
    valid = read_layer(case)
    assert (valid.seq, valid.batch, valid.input, valid.hidden) == (5, 3, 16, 16)
    assert valid.outputs == valid.operator.output_names


def test_the_weights_contract_and_differ() -> None:
    case = case_of(Cell("LSTM", seq=5, batch=3, hidden=64))
    W, R = case.inputs["W"], case.inputs["R"]
    assert 0.12 < np.abs(R).max() <= 0.125
    assert not np.array_equal(W, R)
    assert max(np.abs(np.linalg.eigvals(gate)).max() for gate in R[0].reshape(4, 64, 64)) < 0.8
    assert all((array == 0).all() for name, array in case.inputs.items() if name.startswith("initial"))


def test_the_trivial_cell_is_the_least_layer() -> None:
    assert is_trivial(TRIVIAL)
    assert case_of(TRIVIAL).inputs["X"].size == 1
    assert set(LAYERS) == {"RNN", "GRU0", "GRU1", "LSTM"}
