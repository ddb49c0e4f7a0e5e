"""A bench in tables of words, which the renderers share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from gatewise_reports.bench.figures import (
    Comparison,
    comparisons,
    grid_cells,
    is_trivial,
    speed,
    thread_counts,
    timing_of,
)
from gatewise_reports.bench.record import Cell, Contender, Timing
from gatewise_reports.bench.report import BenchReport
from gatewise_reports.words import counted

NONE = "-"


@dataclass(frozen=True)
class Table:
    """A table: the first ``words`` columns hold words, the others numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1


def heading(report: BenchReport) -> str:
    """Where and when it was measured."""
    header = report.header
    processors = counted(header.processors, "processor")
    return f"bench: {header.machine}, {processors}, load {header.load:.2f} at the start; gatewise {header.suite}"


def closing_line(report: BenchReport) -> str:
    """How many cells, how many failures, and whether the run came to its end."""
    failures = report.failures
    found = counted(failures, "failure") if failures else "no failure"
    ended = f" in {report.footer.seconds:.1f} s, load {report.footer.load:.2f} at the end" if report.footer else ""
    state = "" if report.state == "complete" else f" - {report.state}: {report.header.cells} were planned"
    return f"{counted(len(report.cells), 'cell')}, {found}{ended}{state}"


def failure_lines(report: BenchReport) -> list[str]:
    """Each failure in one line."""
    return [
        f"{label(cell)}: {untimed.contender} with {_threads(untimed.threads)} failed: {untimed.reason}"
        for cell in report.cells
        for untimed in cell.untimed
        if untimed.failed
    ]


def tables(report: BenchReport) -> list[Table]:
    """All tables; one that would have no row is left out."""
    found = comparisons(report)
    made = (
        _contenders(report),
        _overhead(report),
        _times(report),
        _ratios(report, found),
        _summary(report, found),
        _preparation(report),
    )
    return [table for table in made if table.rows]


def label(cell: Cell) -> str:
    """The cell in a few words."""
    return f"{cell.layer} hidden {cell.hidden} batch {cell.batch}"


def cell_line(cell: Cell) -> str:
    """The cell's times in one line, as they come."""
    times = (f"{timing.contender}/{timing.threads} {_microseconds(timing)}" for timing in cell.timings)
    return f"{label(cell)}: {', '.join(times) or 'nothing was timed'}"


def _contenders(report: BenchReport) -> Table:
    rows = [
        (
            contender.spec,
            _pairs(contender.implementation.versions),
            _pairs({k: v for k, v in contender.implementation.settings.items() if k != "flags"}),
            f"{contender.peak:.1f}" if contender.peak else NONE,
        )
        for contender in report.header.contenders
    ]
    return Table(
        "Contenders; peak: GFLOP/s of one core", ("contender", "versions", "settings", "peak"), tuple(rows), 3
    )


def _overhead(report: BenchReport) -> Table:
    cells = [cell for cell in report.cells if is_trivial(cell)]
    rows = [
        (_threads(threads), *(_of(cell, spec, threads) for spec in _specs(report)))
        for cell in cells
        for threads in thread_counts([cell])
    ]
    return Table("Microseconds of a call with next to no arithmetic", ("threads", *_specs(report)), tuple(rows))


def _times(report: BenchReport) -> Table:
    own = [contender for contender in report.header.contenders if not contender.peer]
    cells = grid_cells(report)
    rows = [
        (
            label(cell),
            str(threads),
            *(_of(cell, spec, threads) for spec in _specs(report)),
            *(text for contender in own for text in _speed(cell, contender, threads)),
        )
        for cell in cells
        for threads in thread_counts(cells)
    ]
    speeds = [text for contender in own for text in (f"{contender.spec} GFLOP/s", "of peak")]
    title = "Microseconds of the shortest run; operations of the matrix products, and which part that is of the peak"
    return Table(title, ("cell", "threads", *_specs(report), *speeds), tuple(rows))


def _ratios(report: BenchReport, found: Sequence[Comparison]) -> Table:
    cells = grid_cells(report)
    values = [{(id(ratio.cell), ratio.threads): ratio.value for ratio in comparison.ratios} for comparison in found]
    rows = [
        (label(cell), str(threads), *(_ratio(column.get((id(cell), threads))) for column in values))
        for cell in cells
        for threads in thread_counts(cells)
    ]
    return Table(
        "Ratios of speed, lettered as below", ("cell", "threads", *_letters(found)), tuple(rows) if found else ()
    )


def _summary(report: BenchReport, found: Sequence[Comparison]) -> Table:
    counts = thread_counts(grid_cells(report))
    rows = [
        (
            letter,
            f"{comparison.what} / {comparison.against}{f': {comparison.where}' if comparison.where else ''}",
            f"{label(comparison.worst.cell)}, {_threads(comparison.worst.threads)}",
            str(len(comparison.ratios)),
            _ratio(comparison.worst.value),
            *(_ratio(comparison.mean(threads)) for threads in counts),
            _ratio(comparison.mean()),
        )
        for letter, comparison in zip(_letters(found), found, strict=True)
    ]
    columns = ("", "speed of / speed of", "worst in", "cells", "worst", *map(_threads, counts), "all")
    return Table("Geometric means of the ratios of speed", columns, tuple(rows), 3)


def _preparation(report: BenchReport) -> Table:
    """One row for the largest batch of each layer and hidden size: the weights do not depend on the batch."""
    own = [contender.spec for contender in report.header.contenders if not contender.peer]
    largest = {(cell.layer, cell.hidden): cell for cell in sorted(grid_cells(report), key=lambda cell: cell.batch)}
    rows = []
    for cell in grid_cells(report):
        threads = min(thread_counts([cell]), default=0)
        if largest[cell.layer, cell.hidden] is cell and threads:
            timings = {spec: timing_of(cell, spec, threads) for spec in _specs(report)}
            prepared = (f"{timing.prepare / 1e6:.2f}" if timing else NONE for timing in timings.values())
            memory = (_megabytes(timings[spec], kind) for spec in own for kind in ("plan_bytes", "run_bytes"))
            rows.append((label(cell), *prepared, *memory))
    columns = [text for spec in own for text in (f"{spec} plan", "run")]
    title = "Milliseconds from a case to its first run; megabytes that a plan holds, and that runs need beside it"
    return Table(title, ("cell", *_specs(report), *columns), tuple(rows))


def _specs(report: BenchReport) -> tuple[str, ...]:
    return tuple(contender.spec for contender in report.header.contenders)


def _letters(found: Sequence[Comparison]) -> list[str]:
    """One letter each from a on, and two after z."""
    names = [*ascii_lowercase, *(first + second for first in ascii_lowercase for second in ascii_lowercase)]
    return names[: len(found)]


def _of(cell: Cell, spec: str, threads: int) -> str:
    timing = timing_of(cell, spec, threads)
    return f"{timing.run / 1e3:.1f}" if timing else NONE


def _speed(cell: Cell, contender: Contender, threads: int) -> Iterable[str]:
    timing = timing_of(cell, contender.spec, threads)
    if timing is None:
        return NONE, NONE
    reached = speed(cell, timing)
    part = f"{100 * reached / (contender.peak * threads):.0f} %" if contender.peak else NONE
    return f"{reached:.1f}", part


def _microseconds(timing: Timing) -> str:
    return f"{timing.run / 1e3:.1f} us"


def _megabytes(timing: Timing | None, kind: str) -> str:
    return f"{getattr(timing, kind) / 1e6:.2f}" if timing else NONE


def _ratio(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"


def _threads(count: int) -> str:
    return counted(count, "thread")


def _pairs(values: dict[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())
