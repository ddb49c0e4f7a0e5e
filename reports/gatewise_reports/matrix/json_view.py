"""The matrix as JSON, and its badges."""

from gatewise_reports.json_view import as_text
from gatewise_reports.matrix.changes import Change, Step, version_steps
from gatewise_reports.matrix.marks import MARKS, RIGHT, Tally
from gatewise_reports.matrix.matrix import Column, Matrix
from gatewise_reports.matrix.record import (
    FORMAT,
    CaseRecord,
    CellRecord,
    ChangedRowRecord,
    ChangeRecord,
    ColumnRecord,
    MatrixRecord,
    RowRecord,
    StepRecord,
)
from gatewise_reports.matrix.rows import Row
from gatewise_reports.record import Verdict

_COLOURS = ((0.9, "green"), (0.75, "yellowgreen"), (0.5, "yellow"), (0.25, "orange"), (0.0, "red"))
"""shields.io's names, each from this share of right results on."""


def render(matrix: Matrix) -> str:
    """The whole matrix."""
    return as_text(to_record(matrix))


def to_record(matrix: Matrix) -> MatrixRecord:
    """The matrix as ``matrix.json`` holds it."""
    columns = matrix.columns
    return MatrixRecord(
        format=FORMAT,
        columns=tuple(map(_column, columns)),
        kinds={mark.name: mark.verdicts for mark in MARKS},
        rows=tuple(_row(row, columns) for row in matrix.rows),
        cases={
            name: CaseRecord(case.line, case.why, tuple(_verdict(column, name) for column in columns))
            for name, case in matrix.cases.items()
        },
        steps=tuple(map(_step, version_steps(matrix))),
    )


def render_badge(matrix: Matrix, column: Column) -> str:
    """What shields.io's endpoint badge reads (https://shields.io/badges/endpoint-badge)."""
    tally = matrix.total(column)
    right = tally.number(RIGHT)
    share = right / tally.judged if tally.judged else 0
    colour = next(name for least, name in _COLOURS if share >= least)
    message = f"{right} of {tally.judged} right"
    if column.report.state != "complete":
        colour, message = "lightgrey", f"{message}, {column.report.state}"
    elif tally.total < len(matrix.cases):
        colour, message = "lightgrey", f"{message}, {tally.total} of {len(matrix.cases)} cases"
    elif tally.judged and right == tally.judged:
        colour = "brightgreen"
    return as_text({"schemaVersion": 1, "label": f"gatewise: {column.name}", "message": message, "color": colour})


def _column(column: Column) -> ColumnRecord:
    header = column.header
    return ColumnRecord(
        name=column.name,
        spec=header.spec,
        implementation=header.implementation,
        suite=header.suite,
        machine=header.machine,
        started=header.started,
        state=column.report.state,
        left_out=column.left_out,
        stale=len(column.report.stale),
    )


def _row(row: Row, columns: tuple[Column, ...]) -> RowRecord:
    cells = tuple(_cell(column.tally(row.cases)) for column in columns)
    return RowRecord(row.feature, row.value, row.says, row.cases, cells)


def _cell(tally: Tally) -> CellRecord:
    return CellRecord(
        {count.mark.name: count.number for count in tally.counts},
        {count.mark.name: count.unexpected for count in tally.counts if count.unexpected},
    )


def _verdict(column: Column, case: str) -> Verdict | None:
    return column.results[case].verdict if case in column.results else None


def _step(step: Step) -> StepRecord:
    return StepRecord(
        older=step.older.name,
        newer=step.newer.name,
        cases=step.cases,
        fixed=tuple(map(_change, step.of("fixed"))),
        broke=tuple(map(_change, step.of("broke"))),
        otherwise=tuple(map(_change, step.of("otherwise"))),
        rows=tuple(
            ChangedRowRecord(changed.row.feature, changed.row.value, changed.cases, changed.fixed, changed.broke)
            for changed in step.rows
        ),
    )


def _change(change: Change) -> ChangeRecord:
    return ChangeRecord(change.case, change.before, change.after)
