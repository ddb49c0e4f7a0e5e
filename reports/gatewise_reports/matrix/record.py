"""What ``matrix.json`` holds; the schema in ``schemas/`` is made from these structures."""

import msgspec

from gatewise_reports.record import Implementation, Verdict

FORMAT = 1
"""Raised when a field changes its meaning or goes."""


class ColumnRecord(msgspec.Struct, frozen=True):
    """One implementation.

    Attributes:
        name: its name, version and options; no other column has the same.
        spec: how it was named on the command line.
        implementation: what ran.
        suite: version of gatewise.
        machine: microarchitecture and operating system.
        started: time of the start, ISO 8601 with time zone.
        state: "complete", "stopped early" or "unfinished".
        left_out: how many of its results are about cases that the matrix does not have.
        stale: how many entries of lists of known failures no longer hold.
    """

    name: str
    spec: str
    implementation: Implementation
    suite: str
    machine: str
    started: str
    state: str
    left_out: int
    stale: int


class CellRecord(msgspec.Struct, frozen=True):
    """How many results of each kind, and how many of those nobody expected; what is 0 is left out."""

    results: dict[str, int]
    unexpected: dict[str, int]


class RowRecord(msgspec.Struct, frozen=True):
    """One value of one feature: the cases that have it, by name, and a cell for each column."""

    feature: str
    value: str
    says: str
    cases: tuple[str, ...]
    cells: tuple[CellRecord, ...]


class CaseRecord(msgspec.Struct, frozen=True):
    """A case in one line, why it exists, and its verdict in each column; None where it did not run."""

    line: str
    why: str
    verdicts: tuple[Verdict | None, ...]


class ChangeRecord(msgspec.Struct, frozen=True):
    """The verdicts on a case in an older and a newer version."""

    case: str
    before: Verdict
    after: Verdict


class ChangedRowRecord(msgspec.Struct, frozen=True):
    """How many of a row's cases were fixed and how many broke, of those that both versions ran."""

    feature: str
    value: str
    cases: int
    fixed: int
    broke: int


class StepRecord(msgspec.Struct, frozen=True):
    """From one version to the next: two columns by name, number of common cases, changed cases and features.

    A change in ``otherwise`` is one between two ways to fail, or from or to a case that was not judged.
    """

    older: str
    newer: str
    cases: int
    fixed: tuple[ChangeRecord, ...]
    broke: tuple[ChangeRecord, ...]
    otherwise: tuple[ChangeRecord, ...]
    rows: tuple[ChangedRowRecord, ...]


class MatrixRecord(msgspec.Struct, frozen=True):
    """The whole matrix.

    Attributes:
        format: version of this format.
        columns: the implementations.
        kinds: the verdicts by the kind under which cells count them.
        rows: the features.
        cases: the cases by name.
        steps: what changed between versions.
    """

    format: int
    columns: tuple[ColumnRecord, ...]
    kinds: dict[str, tuple[Verdict, ...]]
    rows: tuple[RowRecord, ...]
    cases: dict[str, CaseRecord]
    steps: tuple[StepRecord, ...]
