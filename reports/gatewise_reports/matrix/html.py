"""The matrix as one HTML page that needs nothing beside it, and no script to be read."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from gatewise_reports.failure import explanation_line, place_lines, verdict_line
from gatewise_reports.matrix.changes import version_steps
from gatewise_reports.matrix.curve_plot import plot
from gatewise_reports.matrix.marks import MARKS, RIGHT, STATES, Mark, mark_of
from gatewise_reports.matrix.matrix import Column, Matrix, short_names
from gatewise_reports.matrix.rows import CASES, MatrixCase, Row
from gatewise_reports.matrix.tables import (
    UNEXPECTED_SAYS,
    heading,
    step_features,
    step_heading,
    step_line,
    step_lists,
)
from gatewise_reports.record import Result
from gatewise_reports.words import counted

_PAGE = Path(__file__).parent / "page"
_NOT_RUN = "."
_LABEL_REM, _COLUMN_REM = 13, 4.5
"""Widths; where the screen has less than they come to, each row of the table becomes a card."""


@dataclass(frozen=True)
class Told:
    """A result in words, for the page: only those that are not right are told.

    Attributes:
        column: index of the column.
        name: name of the column.
        mark: kind of the verdict.
        result: the result.
        lines: verdict, first place, value, explanation, why it was expected.
        plot: the errors over the steps as SVG.
    """

    column: int
    name: str
    mark: Mark
    result: Result
    lines: Sequence[str]
    plot: Markup


@dataclass(frozen=True)
class ToldCase:
    """A case with the results that are not right."""

    case: MatrixCase
    told: Sequence[Told]


def render(matrix: Matrix) -> str:
    """The page."""
    environment = Environment(
        loader=FileSystemLoader(_PAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    cases = list(_told_cases(matrix))
    return environment.get_template("page.html.jinja").render(
        heading=heading(matrix),
        matrix=matrix,
        groups=_groups(matrix),
        summary=CASES,
        marks=MARKS,
        states=STATES,
        unexpected=UNEXPECTED_SAYS,
        operators=matrix.operators,
        cases=cases,
        short_names=short_names(matrix.columns),
        counted=counted,
        case_id=case_id,
        first_told=_first_told(cases),
        steps=version_steps(matrix),
        step_heading=step_heading,
        step_line=step_line,
        step_lists=step_lists,
        step_features=step_features,
        data=_data(matrix),
        label_rem=_LABEL_REM,
        column_rem=_COLUMN_REM,
        style=_own("style.css"),
        narrow_style=_own("narrow.css"),
        script=_own("script.js"),
    )


def case_id(name: str) -> str:
    """The id of a case's element: its name, with a slash before it if it has none; the page's own ids have none."""
    return name if "/" in name else f"/{name}"


def _own(name: str) -> Markup:
    """A file that stands beside the template, as it is."""
    return Markup((_PAGE / name).read_text(encoding="utf-8"))  # noqa: S704 - our own words


def _groups(matrix: Matrix) -> list[tuple[str, list[tuple[int, Row]]]]:
    """The rows, numbered, by feature."""
    numbered = groupby(enumerate(matrix.rows), lambda each: each[1].feature)
    return [(feature, list(rows)) for feature, rows in numbered]


def _told_cases(matrix: Matrix) -> Iterator[ToldCase]:
    for name, case in matrix.cases.items():
        told = [_told(index, column, column.results[name]) for index, column in _columns_with(matrix, name)]
        told = [each for each in told if each.mark is not RIGHT]
        if told:
            yield ToldCase(case, told)


def _columns_with(matrix: Matrix, case: str) -> Iterator[tuple[int, Column]]:
    return ((index, column) for index, column in enumerate(matrix.columns) if case in column.results)


def _told(index: int, column: Column, result: Result) -> Told:
    lines = [verdict_line(result)]
    if result.place is not None:
        lines += place_lines(result.place, result.outside)
    if result.explanation:
        lines.append(explanation_line(result.explanation))
    # plot() builds its text from numbers and escapes the rest.
    return Told(
        index,
        column.name,
        mark_of(result.verdict),
        result,
        [line.strip() for line in lines],
        Markup(plot(result.curves)),  # noqa: S704
    )


def _first_told(cases: Sequence[ToldCase]) -> Callable[[int, Sequence[str]], str]:
    """What finds the first of some cases of which something is told in a column: where a cell leads to."""
    told = {(each.column, case.case.name) for case in cases for each in case.told}
    return lambda column, names: next((case_id(name) for name in names if (column, name) in told), f"ran-{column}")


def _data(matrix: Matrix) -> dict[str, object]:
    """What the script counts: a letter for each case in each column, and the cases of each row by their position."""
    positions = {name: index for index, name in enumerate(matrix.cases)}
    return {
        "marks": [{"name": mark.name, "slug": mark.slug, "sign": mark.sign} for mark in MARKS],
        "cases": [[case.name, case.operator] for case in matrix.cases.values()],
        "rows": [[positions[case] for case in row.cases] for row in matrix.rows],
        "columns": ["".join(_letter(column, name) for name in matrix.cases) for column in matrix.columns],
    }


def _letter(column: Column, case: str) -> str:
    """The position of the kind of the verdict in the alphabet, a capital where nobody expected it."""
    result = column.results.get(case)
    if result is None:
        return _NOT_RUN
    letter = "abcdefgh"[MARKS.index(mark_of(result.verdict))]
    return letter.upper() if result.finding else letter
