"""What the report of a bench holds: a header, the times of one cell of the grid a line, a footer.

The schemas in ``schemas/`` are made from these structures. Times are in nanoseconds.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal

import msgspec

from gatewise_reports.record import Implementation

FORMAT = 1
"""Raised when a field changes its meaning or goes."""

Layer = Literal["RNN", "GRU0", "GRU1", "LSTM"]
LAYERS: Mapping[Layer, tuple[str, Mapping[str, int]]] = MappingProxyType(
    {
        "RNN": ("RNN", {}),
        "GRU0": ("GRU", {"linear_before_reset": 0}),
        "GRU1": ("GRU", {"linear_before_reset": 1}),
        "LSTM": ("LSTM", {}),
    }
)
"""The operator and the attributes of each layer that is timed."""
Positive = Annotated[int, msgspec.Meta(ge=1)]
Seconds = Annotated[float, msgspec.Meta(ge=0)]


class Contender(msgspec.Struct, frozen=True):
    """What was timed, and how it was named on the command line.

    Attributes:
        spec: how it was named on the command line.
        implementation: its name, versions and settings.
        peer: whether it is another runtime, with which the reference is compared.
        peak: floating-point operations in a nanosecond that one core reaches on the contender's own vectors, in its
            own arithmetic, out of memory's way; 0 where that is not known.
    """

    spec: str
    implementation: Implementation
    peer: bool
    peak: Annotated[float, msgspec.Meta(ge=0)] = 0.0


class BenchHeader(msgspec.Struct, frozen=True, tag="bench-header", tag_field="record"):
    """The first line.

    Attributes:
        suite: version of gatewise.
        machine: microarchitecture and operating system.
        processors: how many this process may run on.
        load: load of the machine over the minute before the start.
        started: time of the start, ISO 8601 with time zone.
        contenders: what was timed; the first is what the plot compares with.
        cells: how many cells were planned.
        rounds: in so many rounds every contender was timed once, in turns.
        seconds: so long each contender ran in a cell with each number of threads, all rounds together, or a single
            run in each round where that takes longer.
        format: version of this format.
    """

    suite: str
    machine: str
    processors: int
    load: float
    started: str
    contenders: tuple[Contender, ...]
    cells: int
    rounds: Positive
    seconds: Seconds
    format: int = FORMAT


class Timing(msgspec.Struct, frozen=True, omit_defaults=True):
    """One contender with one number of threads in one cell.

    Attributes:
        contender: its SPEC.
        threads: how many computed, the calling one counted.
        run: the shortest run.
        runs: of how many.
        prepare: the shortest time from the case to what can be run.
        plan_bytes: memory that what was prepared holds; 0 where the contender does not tell.
        run_bytes: memory that runs need beside it; likewise.
    """

    contender: str
    threads: Positive
    run: Positive
    runs: Positive
    prepare: Positive
    plan_bytes: int = 0
    run_bytes: int = 0


class Untimed(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a contender was not timed in a cell.

    Attributes:
        contender: its SPEC.
        threads: number of threads.
        reason: what it said, or how its outputs are wrong.
        failed: whether that is a finding: it gave wrong outputs, or an error that is no refusal.
    """

    contender: str
    threads: Positive
    reason: str
    failed: bool = False


class Cell(msgspec.Struct, frozen=True, tag="bench-cell", tag_field="record", omit_defaults=True):
    """One layer of the grid; the input size is the hidden size.

    Attributes:
        layer: "RNN", "LSTM", or GRU with its linear_before_reset, "GRU0" or "GRU1".
        seq: sequence length.
        batch: batch size.
        hidden: hidden size and input size.
        timings: what was timed.
        untimed: what was not.
    """

    layer: Layer
    seq: Positive
    batch: Positive
    hidden: Positive
    timings: tuple[Timing, ...] = ()
    untimed: tuple[Untimed, ...] = ()


class BenchFooter(msgspec.Struct, frozen=True, tag="bench-footer", tag_field="record"):
    """The last line; a report without one is unfinished.

    Attributes:
        seconds: time of the whole run.
        load: load of the machine over its last minute, the bench itself counted.
        finished: time of the end, ISO 8601 with time zone.
        complete: False where the run was interrupted.
    """

    seconds: Seconds
    load: float
    finished: str
    complete: bool = True


BenchRecord = BenchHeader | Cell | BenchFooter
