"""The matrix in tables of words, which Markdown and the terminal share."""

from collections.abc import Iterator
from dataclasses import dataclass

from gatewise_corpus.operators import OPERATORS
from gatewise_reports.matrix.changes import KINDS, Kind, Step
from gatewise_reports.matrix.marks import MARKS, UNEXPECTED, Mark
from gatewise_reports.matrix.matrix import Column, Matrix
from gatewise_reports.words import counted

MOST_ROWS = 10
"""So many features are told of each step between versions; JSON and the page have all."""
NONE = "-"
UNEXPECTED_SAYS = "no list of known failures tells of it"


@dataclass(frozen=True)
class Table:
    """A table: the first ``words`` columns hold words, the others numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1


def heading(matrix: Matrix) -> str:
    """The operators, and how many cases and implementations."""
    *others, last = [name for name in OPERATORS if name in matrix.operators] or ["no operator"]
    operators = f"{', '.join(others)} and {last}" if others else last
    return f"{operators}: {counted(len(matrix.cases), 'case')} on {counted(len(matrix.columns), 'implementation')}"


def legend() -> Iterator[str]:
    """What the signs mean, one line each."""
    yield from (f"{mark.sign} {mark.name}: {mark.says}" for mark in MARKS)
    yield f"{UNEXPECTED} unexpected: {UNEXPECTED_SAYS}"


def summary(matrix: Matrix) -> Table:
    """A row for each implementation, a column for each kind of verdict that occurs."""
    totals = [matrix.total(column) for column in matrix.columns]
    marks = [mark for mark in MARKS if any(total.number(mark) for total in totals)]
    rows = tuple(
        (column.name, *(str(total.number(mark)) for mark in marks), str(column.findings), _run(column))
        for column, total in zip(matrix.columns, totals, strict=True)
    )
    return Table(("implementation", *map(_heading, marks), "unexpected", "run"), rows)


def features(matrix: Matrix) -> Table:
    """A row for each feature, a column for each implementation."""
    rows = tuple(
        (row.feature, row.value, *(column.tally(row.cases).told or NONE for column in matrix.columns))
        for row in matrix.rows
    )
    return Table(("feature", "value", *(column.name for column in matrix.columns)), rows, words=2)


def step_heading(step: Step) -> str:
    """The two versions."""
    return f"From {step.older.name} to {step.newer.name}"


def step_line(step: Step) -> str:
    """How many cases came out otherwise."""
    counts = {kind: len(step.of(kind)) for kind in KINDS}
    told = f"{counts['fixed']} fixed, {counts['broke']} broke, {counts['otherwise']} came out otherwise"
    return f"{told}, of {counted(step.cases, 'case')} that both ran"


def step_lines(step: Step) -> list[str]:
    """The step in words: a line that counts, then a line for each kind and group of changed cases."""
    groups = [f"{kind}: {group.told}" for kind, own in step_lists(step) for group in own]
    return [f"{step_heading(step)}: {step_line(step)}", *groups]


@dataclass(frozen=True)
class ChangeGroup:
    """Cases with the same change of verdict."""

    before: str
    after: str
    cases: tuple[str, ...]

    @property
    def told(self) -> str:
        """The change and the cases in one line."""
        return f"{self.before} -> {self.after}, {len(self.cases)}: {', '.join(self.cases)}"


def step_lists(step: Step) -> Iterator[tuple[Kind, list[ChangeGroup]]]:
    """The changed cases by kind, in groups of the same change."""
    for kind in KINDS:
        groups: dict[tuple[str, str], list[str]] = {}
        for change in step.of(kind):
            groups.setdefault((change.before, change.after), []).append(change.case)
        if groups:
            yield kind, [ChangeGroup(*verdicts, tuple(cases)) for verdicts, cases in groups.items()]


def step_features(step: Step) -> Table:
    """The features with the most cases that were fixed or broke."""
    rows = tuple(
        (changed.row.feature, changed.row.value, str(changed.cases), str(changed.fixed), str(changed.broke))
        for changed in step.rows[:MOST_ROWS]
    )
    return Table(("feature", "value", "cases", "fixed", "broke"), rows, words=2)


def _heading(mark: Mark) -> str:
    return f"{mark.sign} {mark.name}"


def _run(column: Column) -> str:
    """How the run ended, and what else a reader of the numbers must know."""
    told = [column.report.state]
    if column.left_out:
        told.append(f"{counted(column.left_out, 'result')} of other cases left out")
    if column.report.stale:
        told.append(f"{len(column.report.stale)} stale")
    return ", ".join(told)
