"""What changed between versions: the same implementation in several columns, from each version to the next."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from packaging.version import Version

from gatewise_reports.matrix.marks import FAILING, RIGHT, mark_of
from gatewise_reports.matrix.matrix import Column, Matrix, column_options
from gatewise_reports.matrix.rows import CASES, Row
from gatewise_reports.record import Result, Verdict

Kind = Literal["fixed", "broke", "otherwise"]
KINDS: tuple[Kind, ...] = Kind.__args__  # type: ignore[attr-defined] # typing's way to list a Literal


@dataclass(frozen=True)
class Change:
    """A case of which two versions make something else: fixed, broke, or failing otherwise."""

    case: str
    kind: Kind
    before: Verdict
    after: Verdict


@dataclass(frozen=True)
class ChangedRow:
    """How much changed among the cases of one row; ``cases`` is the number of those that both versions ran."""

    row: Row
    cases: int
    fixed: int
    broke: int


@dataclass(frozen=True, eq=False)
class Step:
    """From one version to the next.

    Attributes:
        older, newer: the columns.
        cases: number of cases that both ran.
        changes: the cases whose kind of verdict is another.
        rows: the features with such cases, those with the most cases that were fixed or broke first.
    """

    older: Column
    newer: Column
    cases: int
    changes: tuple[Change, ...]
    rows: tuple[ChangedRow, ...]

    def of(self, kind: Kind) -> list[Change]:
        """The changes of one kind."""
        return [change for change in self.changes if change.kind == kind]


def version_steps(matrix: Matrix) -> list[Step]:
    """The steps of every implementation that stands in several versions in the matrix.

    Columns are compared that have the same options and the same machine.
    """
    series: dict[tuple[str, str, str], list[Column]] = {}
    for column in matrix.columns:
        header = column.header
        series.setdefault((header.implementation.name, column_options(header), header.machine), []).append(column)
    return [
        _step(matrix, older, newer)
        for columns in series.values()
        for older, newer in pairwise(sorted(columns, key=_version))
        if older.version != newer.version
    ]


def _version(column: Column) -> tuple[bool, Version, str]:
    """What is no version comes first."""
    try:
        return True, Version(column.version), ""
    except ValueError:  # InvalidVersion, or more digits than int() takes
        return False, Version("0"), column.version


def _step(matrix: Matrix, older: Column, newer: Column) -> Step:
    common = [case for case in matrix.cases if case in older.results and case in newer.results]
    changes = {
        change.case: change for case in common for change in _change(case, older.results[case], newer.results[case])
    }
    rows = [_changed_row(row, set(common), changes) for row in matrix.rows if row.feature != CASES]
    rows = [row for row in rows if row.fixed or row.broke]
    rows.sort(key=lambda row: (-(row.fixed + row.broke), row.cases))
    return Step(older, newer, len(common), tuple(changes.values()), tuple(rows))


def _change(case: str, before: Result, after: Result) -> Iterator[Change]:
    first, second = mark_of(before.verdict), mark_of(after.verdict)
    if first is not second:
        kind: Kind = "otherwise"
        if first in FAILING and second is RIGHT:
            kind = "fixed"
        elif first is RIGHT and second in FAILING:
            kind = "broke"
        yield Change(case, kind, before.verdict, after.verdict)


def _changed_row(row: Row, common: set[str], changes: dict[str, Change]) -> ChangedRow:
    own = [case for case in row.cases if case in common]
    kinds = [changes[case].kind for case in own if case in changes]
    return ChangedRow(row, len(own), kinds.count("fixed"), kinds.count("broke"))
