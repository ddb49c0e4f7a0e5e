"""The bench on contenders made for it: nothing here depends on how long anything takes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest

from gatewise.bench import run as module
from gatewise.bench.grid import TRIVIAL, grid
from gatewise.bench.run import TOLERANCE, BenchOptions, deviation, run_bench, time_cell
from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_implementations import reference_library
from gatewise_implementations.adapter import RefusalError, SetupError
from gatewise_implementations.contenders.contender import Prepared
from gatewise_reports.bench.record import BenchFooter, BenchHeader, Cell, Untimed

CELL = Cell("LSTM", seq=5, batch=3, hidden=9)
Events = list[tuple[str, str, int]]


@dataclass
class Planted:
    """A contender that runs the reference, and changes its outputs; it keeps what was asked of it."""

    name: str
    events: Events
    change: Callable[[dict[str, Array]], Mapping[str, Array]] = field(default=lambda outputs: outputs)

    def describe(self) -> Description:
        return Description(self.name, {self.name: "7"}, {"color": "red"})

    def prepare(self, case: Case, threads: int) -> Prepared:
        workspace = reference_library.Plan(case).workspace(1)
        last: list[Mapping[str, Array]] = []

        def note(what: str) -> None:
            self.events.append((what, self.name, threads))

        def run() -> None:
            note("run")
            last[:] = [self.change(workspace.run(case.inputs))]

        return Prepared(run, lambda: last[0], lambda: note("enter"), plan_bytes=11, run_bytes=13)


def options(cells: list[Cell], rounds: int = 3, threads: tuple[int, ...] = (1, 2)) -> BenchOptions:
    return BenchOptions((), cells, threads, rounds, 0.0)


def refuse(_: dict[str, Array]) -> Mapping[str, Array]:
    raise RefusalError("never")


def fail(_: dict[str, Array]) -> Mapping[str, Array]:
    raise ValueError("broken")


def far(outputs: dict[str, Array]) -> Mapping[str, Array]:
    outputs["Y_c"][0, 2, 8] += np.float32(0.25)
    return outputs


def test_the_rounds_take_turns_and_each_turn_enters_before_it_runs() -> None:
    events: Events = []
    time_cell(CELL, {name: Planted(name, events) for name in "ab"}, options([CELL]))
    one_turn = [("enter", "run")] * 4
    assert list(zip([what for what, _, _ in events[::2]], [what for what, _, _ in events[1::2]], strict=True)) == (
        one_turn + one_turn * 3
    )
    order = [(name, threads) for what, name, threads in events if what == "run"]
    keys = [("a", 1), ("b", 1), ("a", 2), ("b", 2)]
    assert order[4:] == [*keys, *keys[1:], keys[0], *keys[2:], *keys[:2]]  # the first four are compared


def test_a_timing_has_the_number_of_runs_and_the_memory() -> None:
    timed = time_cell(CELL, {"a": Planted("a", [])}, options([CELL], rounds=4, threads=(2,)))
    (timing,) = timed.timings
    assert (timing.contender, timing.threads, timing.runs, timing.plan_bytes, timing.run_bytes) == ("a", 2, 4, 11, 13)
    assert (timed.layer, timed.seq, timed.batch, timed.hidden) == ("LSTM", 5, 3, 9)


def test_what_gives_wrong_outputs_refuses_or_fails_is_not_timed() -> None:
    events: Events = []
    changes = {"far": far, "refuse": refuse, "fail": fail}
    contenders = {name: Planted(name, events, change) for name, change in changes.items()}
    timed = time_cell(CELL, {**contenders, "right": Planted("right", events)}, options([CELL], threads=(2,)))
    assert [timing.contender for timing in timed.timings] == ["right"]
    assert timed.untimed == (
        Untimed("far", 2, "output Y_c is 0.25 from the exact one; 1.5e-05 is allowed", failed=True),
        Untimed("refuse", 2, "never"),
        Untimed("fail", 2, "ValueError: broken", failed=True),
    )
    assert [name for what, name, _ in events if what == "run"] == ["far", "refuse", "fail", "right", *["right"] * 3]


def test_the_tolerance_is_an_absolute_one_and_nan_is_outside() -> None:
    expected = {"Y": np.array([100.0, 1.0], np.float32)}
    assert deviation({"Y": np.array([100.0, 1 + TOLERANCE], np.float32)}, expected) == ""
    assert deviation({"Y": np.array([100.0, 1 - 2 * TOLERANCE], np.float32)}, expected).startswith(
        "output Y is 3.1e-05"
    )
    assert deviation({"Y": np.array([np.nan, 1.0], np.float32)}, expected).startswith("output Y is nan")
    assert deviation({"Y": np.ones((1, 2), np.float32)}, expected).startswith(
        "output Y is missing, or has another shape"
    )
    assert deviation({"Y_h": expected["Y"]}, expected).startswith("output Y is missing")
    assert deviation({"Y": expected["Y"], "more": expected["Y"]}, expected) == ""


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Events:
    """The contenders of every SPEC are planted ones."""
    events: Events = []
    monkeypatch.setattr(module, "make_contender", lambda spec: Planted(spec, events))
    return events


def test_a_bench_is_header_trivial_cell_grid_footer(made: Events) -> None:
    cells = grid(("RNN",), (4,), (1, 2))
    header, *timed, footer = run_bench(BenchOptions(("x", "y"), cells, (1,), 2, 0.0))
    assert isinstance(header, BenchHeader)
    assert (header.cells, header.rounds, header.seconds) == (3, 2, 0.0)
    assert [(item.spec, item.implementation.name, item.peer, item.peak) for item in header.contenders] == [
        ("x", "x", True, 0.0),
        ("y", "y", True, 0.0),
    ]
    assert header.contenders[0].implementation.settings == {"color": "red"}
    found = [(cell.layer, cell.seq, cell.batch, cell.hidden) for cell in timed if isinstance(cell, Cell)]
    assert found == [(cell.layer, cell.seq, cell.batch, cell.hidden) for cell in (TRIVIAL, *cells)]
    assert isinstance(footer, BenchFooter)
    assert footer.complete
    assert made


def test_an_interrupt_ends_a_bench_early(made: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(cell: Cell, *_: object) -> Cell:
        if cell is TRIVIAL:
            return cell
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "time_cell", interrupt)
    header, trivial, footer = run_bench(BenchOptions(("x",), grid(("RNN",), (4,), (1,)), (1,), 2, 0.0))
    assert isinstance(header, BenchHeader)
    assert trivial is TRIVIAL
    assert isinstance(footer, BenchFooter)
    assert not footer.complete
    assert made == []


def test_the_peak_of_the_reference_is_measured() -> None:
    header = next(iter(run_bench(BenchOptions(("reference:scalar",), [], (1,), 1, 0.0))))
    assert isinstance(header, BenchHeader)
    (contender,) = header.contenders
    assert (contender.peer, contender.implementation.settings["kernel_path"]) == (False, "scalar")
    assert contender.peak > 0.01


def test_a_contender_that_cannot_be_had_stops_the_bench_before_it_begins() -> None:
    with pytest.raises(SetupError, match="contender 'nobody' is not one of reference, onnxruntime, openvino, torch"):
        next(iter(run_bench(BenchOptions(("reference", "nobody"), [], (1,), 1, 0.0))))
