"""Times contenders on a grid of layers."""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import msgspec
import numpy as np

from gatewise.bench.grid import TRIVIAL, case_of
from gatewise.bench.peak import measure_peak
from gatewise.bench.timing import no_garbage_collection, settle, shortest, turns
from gatewise.version import suite_version
from gatewise_corpus.case import Array, Case
from gatewise_corpus.machine import this_machine
from gatewise_implementations import reference_library
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.contenders.contender import Contender, Prepared
from gatewise_implementations.contenders.table import make_contender
from gatewise_reports.bench import record
from gatewise_reports.bench.record import BenchFooter, BenchHeader, BenchRecord, Cell, Timing, Untimed
from gatewise_reports.record import Implementation
from gatewise_reports.report import now

TOLERANCE = 2.0**-16
"""How far an output may be from the exact one before its contender is not timed.

On layers that contract, rounding and approximate activations stay far below it; bfloat16 and every wrong formula are
far above.
"""
_PREPARATIONS, _PREPARING = 3, 0.25
"""A case is prepared so often, or until so many seconds are over."""


@dataclass(frozen=True)
class BenchOptions:
    """What to time.

    Attributes:
        specs: the contenders.
        cells: the layers, without timings.
        threads: numbers of threads.
        rounds: in so many rounds each contender is timed, in turns.
        seconds: so long each contender runs in a cell with each number of threads, all rounds together.
    """

    specs: Sequence[str]
    cells: Sequence[Cell]
    threads: Sequence[int]
    rounds: int
    seconds: float


def run_bench(options: BenchOptions) -> Iterator[BenchRecord]:
    """Header, a record for a trivial cell and for each of the grid, footer; an interrupt ends it early.

    Raises:
        SetupError: before the first record, if a contender cannot be had.
    """
    started = time.perf_counter()
    contenders = {spec: make_contender(spec) for spec in options.specs}
    yield BenchHeader(
        suite=suite_version(),
        machine=this_machine().label,
        processors=len(os.sched_getaffinity(0)),
        load=os.getloadavg()[0],
        started=now(),
        contenders=tuple(_describe(spec, contender) for spec, contender in contenders.items()),
        cells=1 + len(options.cells),
        rounds=options.rounds,
        seconds=options.seconds,
    )
    complete = False
    with suppress(KeyboardInterrupt):
        for cell in (TRIVIAL, *options.cells):
            yield time_cell(cell, contenders, options)
        complete = True
    yield BenchFooter(time.perf_counter() - started, os.getloadavg()[0], now(), complete)


def time_cell(cell: Cell, contenders: Mapping[str, Contender], options: BenchOptions) -> Cell:
    """``cell`` with the times of every contender that gives the right outputs, and why the others do not."""
    case = case_of(cell)
    expected = reference_library.run(case)
    entries: list[_Entry] = []
    untimed: list[Untimed] = []
    for threads in options.threads:
        for spec, contender in contenders.items():
            entry = _prepare(spec, contender, case, threads, expected)
            if isinstance(entry, Untimed):
                untimed.append(entry)
            else:
                entries.append(entry)
    with no_garbage_collection():
        for entry in turns(entries, options.rounds):
            settle()
            entry.time(options.seconds / options.rounds)
    return msgspec.structs.replace(cell, timings=tuple(entry.timing() for entry in entries), untimed=tuple(untimed))


def deviation(outputs: Mapping[str, Array], expected: Mapping[str, Array]) -> str:
    """How ``outputs`` differ from ``expected``, in a sentence; "" where they do not, or within ``TOLERANCE``."""
    for name, array in expected.items():
        if name not in outputs or outputs[name].shape != array.shape:
            return f"output {name} is missing, or has another shape than {list(array.shape)}"
        largest = float(np.abs(outputs[name] - array).max(initial=0.0))
        if not largest <= TOLERANCE:
            return f"output {name} is {largest:.2g} from the exact one; {TOLERANCE:.2g} is allowed"
    return ""


@dataclass
class _Entry:
    """A contender with a number of threads, prepared for the cell that is being timed."""

    spec: str
    threads: int
    prepared: Prepared
    prepare: int
    run: int = 0
    runs: int = 0

    def time(self, seconds: float) -> None:
        """Another round."""
        self.prepared.enter()
        least, runs = shortest(self.prepared.run, seconds)
        self.run = min(self.run, least) if self.runs else least
        self.runs += runs

    def timing(self) -> Timing:
        """The times of all rounds."""
        return Timing(
            self.spec,
            self.threads,
            self.run,
            self.runs,
            self.prepare,
            self.prepared.plan_bytes,
            self.prepared.run_bytes,
        )


def _prepare(
    spec: str, contender: Contender, case: Case, threads: int, expected: Mapping[str, Array]
) -> _Entry | Untimed:
    try:
        prepared, nanoseconds = _fastest_preparation(contender, case, threads)
        prepared.enter()
        prepared.run()
        outputs = prepared.outputs()
    except RefusalError as error:
        return Untimed(spec, threads, str(error))
    except Exception as error:  # noqa: BLE001 - whatever a runtime raises, the others are timed
        return Untimed(spec, threads, f"{type(error).__name__}: {error}", failed=True)
    problem = deviation(outputs, expected)
    return Untimed(spec, threads, problem, failed=True) if problem else _Entry(spec, threads, prepared, nanoseconds)


def _fastest_preparation(contender: Contender, case: Case, threads: int) -> tuple[Prepared, int]:
    """The case, prepared, and the nanoseconds of the shortest of a few preparations."""
    made: list[Prepared] = []  # kept until the end, so that releasing one is not timed
    times: list[int] = []
    while len(made) < _PREPARATIONS and sum(times) < _PREPARING * 1e9:
        begin = time.perf_counter_ns()
        made.append(contender.prepare(case, threads))
        times.append(time.perf_counter_ns() - begin)
    return made[-1], max(min(times), 1)


def _describe(spec: str, contender: Contender) -> record.Contender:
    description = contender.describe()
    implementation = Implementation(description.name, dict(description.versions), dict(description.settings))
    if description.name != "reference":
        return record.Contender(spec, implementation, peer=True)
    peak = measure_peak(description.settings["kernel_path"], description.settings["mode"])
    return record.Contender(spec, implementation, peer=False, peak=peak)
