"""What the times of a bench come to: ratios in each cell, their geometric means, operations in a second."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from gatewise_corpus.operators import OPERATORS
from gatewise_reports.bench.record import LAYERS, Cell, Timing
from gatewise_reports.bench.report import BenchReport

LARGE_HIDDEN, LARGE_BATCH = 256, 8
"""From these sizes on, a layer has work for more than one thread at every step."""


@dataclass(frozen=True)
class Ratio:
    """How many times as fast, in one cell with one number of threads."""

    cell: Cell
    threads: int
    value: float


@dataclass(frozen=True)
class Comparison:
    """One contender or number of threads with another, in every cell that has the times of both.

    Attributes:
        what: whose speed, which is 2 where it takes half of the time.
        against: in relation to whose.
        ratios: one or more.
        where: the cells that are compared; "" for all.
    """

    what: str
    against: str
    ratios: tuple[Ratio, ...]
    where: str = ""

    def mean(self, threads: int | None = None) -> float | None:
        """The geometric mean, with all numbers of threads or with one; None where nothing was compared."""
        values = [ratio.value for ratio in self.ratios if threads in (None, ratio.threads)]
        return geometric_mean(values) if values else None

    @property
    def worst(self) -> Ratio:
        """The least ratio; the first of several."""
        return min(self.ratios, key=lambda ratio: ratio.value)


def comparisons(report: BenchReport) -> list[Comparison]:
    """The reference with each peer and with the best of them in each cell; its modes; threads."""
    cells = grid_cells(report)
    own = [contender.spec for contender in report.header.contenders if not contender.peer]
    peers = [contender.spec for contender in report.header.contenders if contender.peer]
    found: list[Comparison] = []
    for spec in own:
        found += [_with_best(cells, spec, [peer], peer) for peer in peers]
        if len(peers) > 1:
            found.append(_with_best(cells, spec, peers, "the best peer"))
    found += [_with_best(cells, spec, own[:1], own[0]) for spec in own[1:]]
    large = [cell for cell in cells if cell.hidden >= LARGE_HIDDEN and cell.batch >= LARGE_BATCH]
    for spec in [*own, *peers]:
        found += _with_one_thread(cells, spec, "")
        found += _with_one_thread(large, spec, f"hidden >= {LARGE_HIDDEN}, batch >= {LARGE_BATCH}")
    return [comparison for comparison in found if comparison.ratios]


def grid_cells(report: BenchReport) -> list[Cell]:
    """The cells but for the trivial one."""
    return [cell for cell in report.cells if not is_trivial(cell)]


def is_trivial(cell: Cell) -> bool:
    """Whether the cell is there to show what a call costs."""
    return cell.seq * cell.batch * cell.hidden == 1


def thread_counts(cells: Iterable[Cell]) -> list[int]:
    """The numbers of threads that were timed."""
    return sorted({timing.threads for cell in cells for timing in cell.timings})


def timing_of(cell: Cell, contender: str, threads: int) -> Timing | None:
    """The timing of one contender with one number of threads, if there is one."""
    found = (timing for timing in cell.timings if (timing.contender, timing.threads) == (contender, threads))
    return next(found, None)


def operations(cell: Cell) -> int:
    """Floating-point operations of a run's matrix products: for each weight a multiplication and an addition."""
    operator, _ = LAYERS[cell.layer]
    weights = len(OPERATORS[operator].gates) * cell.hidden * (cell.hidden + cell.hidden)
    return 2 * cell.seq * cell.batch * weights


def speed(cell: Cell, timing: Timing) -> float:
    """Operations of the matrix products in a nanosecond, which is GFLOP/s."""
    return operations(cell) / timing.run


def _with_best(cells: Sequence[Cell], spec: str, others: Sequence[str], against: str) -> Comparison:
    """``spec`` with the fastest of ``others``, the same number of threads each."""
    return Comparison(spec, against, tuple(_ratios_with_best(cells, spec, others)))


def _ratios_with_best(cells: Sequence[Cell], spec: str, others: Sequence[str]) -> Iterator[Ratio]:
    for cell in cells:
        for timing in cell.timings:
            times = [
                other.run for other in cell.timings if other.contender in others and other.threads == timing.threads
            ]
            if timing.contender == spec and times:
                yield Ratio(cell, timing.threads, min(times) / timing.run)


def _with_one_thread(cells: Sequence[Cell], spec: str, where: str) -> Iterator[Comparison]:
    for threads in thread_counts(cells):
        pairs = [(cell, timing_of(cell, spec, 1), timing_of(cell, spec, threads)) for cell in cells]
        ratios = [Ratio(cell, threads, one.run / more.run) for cell, one, more in pairs if one and more]
        if threads > 1:
            yield Comparison(f"{spec} with {threads} threads", "with 1 thread", tuple(ratios), where)
