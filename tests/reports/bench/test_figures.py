import msgspec
import pytest

from gatewise_reports.bench.figures import Comparison, comparisons, operations, speed, thread_counts, timing_of
from gatewise_reports.bench.record import Cell, Timing
from gatewise_reports.bench.report import BenchReport


def values(comparison: Comparison) -> list[tuple[str, int, float]]:
    return [(ratio.cell.layer, ratio.threads, ratio.value) for ratio in comparison.ratios]


def found(bench: BenchReport) -> dict[tuple[str, str, str], Comparison]:
    return {(item.what, item.against, item.where): item for item in comparisons(bench)}


def test_the_comparisons_are_those_with_peers_between_modes_and_of_threads(bench: BenchReport) -> None:
    large = "hidden >= 256, batch >= 8"
    assert list(found(bench)) == [
        ("reference", "onnxruntime", ""),
        ("reference", "torch", ""),
        ("reference", "the best peer", ""),
        ("reference:mode=fast", "onnxruntime", ""),
        ("reference:mode=fast", "the best peer", ""),
        ("reference:mode=fast", "reference", ""),
        ("reference with 2 threads", "with 1 thread", ""),
        ("reference with 2 threads", "with 1 thread", large),
        ("reference:mode=fast with 2 threads", "with 1 thread", ""),
        ("onnxruntime with 2 threads", "with 1 thread", ""),
        ("onnxruntime with 2 threads", "with 1 thread", large),
    ]


def test_a_ratio_is_of_speeds_with_the_same_number_of_threads(bench: BenchReport) -> None:
    with_ort = found(bench)["reference", "onnxruntime", ""]
    assert values(with_ort) == [("GRU0", 1, 2.0), ("GRU0", 2, 0.5), ("LSTM", 1, 0.5), ("LSTM", 2, 1.0)]
    assert (with_ort.worst.cell.layer, with_ort.worst.threads) == ("GRU0", 2)


def test_the_mean_is_geometric_over_all_and_by_threads(bench: BenchReport) -> None:
    with_ort = found(bench)["reference", "onnxruntime", ""]
    assert with_ort.mean() == pytest.approx(2 ** (-1 / 4))
    assert with_ort.mean(1) == pytest.approx(1)
    assert with_ort.mean(2) == pytest.approx(2 ** (-1 / 2))
    assert with_ort.mean(3) is None


def test_the_best_peer_is_that_of_each_cell_and_what_failed_is_none(bench: BenchReport) -> None:
    assert values(found(bench)["reference", "torch", ""]) == [("LSTM", 1, 0.75)]
    best = values(found(bench)["reference", "the best peer", ""])
    assert best == [("GRU0", 1, 2.0), ("GRU0", 2, 0.5), ("LSTM", 1, 0.5), ("LSTM", 2, 1.0)]


def test_threads_are_compared_with_one_and_large_layers_by_themselves(bench: BenchReport) -> None:
    every = found(bench)["reference with 2 threads", "with 1 thread", ""]
    large = found(bench)["reference with 2 threads", "with 1 thread", "hidden >= 256, batch >= 8"]
    assert values(every) == [("GRU0", 2, 1.0), ("LSTM", 2, 2.0)]
    assert values(large) == [("LSTM", 2, 2.0)]


@pytest.mark.parametrize(("layer", "gates"), [("RNN", 1), ("GRU0", 3), ("GRU1", 3), ("LSTM", 4)])
def test_the_operations_are_two_for_each_weight_step_and_row(layer: str, gates: int) -> None:
    cell = Cell(layer, 64, 8, 128)  # type: ignore[arg-type] # a parameter of the test is any string
    weights = gates * 128 * 128 + gates * 128 * 128
    assert operations(cell) == 2 * 64 * 8 * weights
    assert speed(cell, Timing("reference", 1, 64 * 8 * weights, 1, 1)) == 2.0


def test_threads_and_timings_are_found(bench: BenchReport) -> None:
    _, gru, lstm = bench.cells
    assert thread_counts([gru]) == [1, 2]
    assert thread_counts([]) == []
    timing = timing_of(lstm, "torch", 1)
    assert timing is not None
    assert timing.run == 6_291_456
    assert timing_of(lstm, "torch", 2) is None


@pytest.mark.parametrize("smaller", [{"batch": 7}, {"hidden": 255}])
def test_a_layer_is_large_by_both_of_its_sizes(bench: BenchReport, smaller: dict[str, int]) -> None:
    bench.cells[2] = msgspec.structs.replace(bench.cells[2], **smaller)
    assert [item.where for item in comparisons(bench) if item.where] == []


def test_of_one_peer_there_is_no_best(bench: BenchReport) -> None:
    contenders = bench.header.contenders[:3]
    bench.header = msgspec.structs.replace(bench.header, contenders=contenders)
    assert [item.against for item in comparisons(bench)[:3]] == ["onnxruntime", "onnxruntime", "reference"]
