"""The matrix on a terminal."""

from rich.console import Console

from gatewise_reports.columns import aligned
from gatewise_reports.matrix.changes import version_steps
from gatewise_reports.matrix.matrix import Matrix
from gatewise_reports.matrix.tables import (
    Table,
    features,
    heading,
    legend,
    step_features,
    step_lines,
    summary,
)


def print_matrix(matrix: Matrix, console: Console) -> None:
    """Prints the features, what changed between versions, the legend and the summary."""
    lines = [*_aligned(features(matrix)), ""]
    for step in version_steps(matrix):
        first, *groups = step_lines(step)
        lines += [first, *(f"  {group}" for group in groups)]
        lines += [*(_aligned(step_features(step)) if step.rows else []), ""]
    lines += [*legend(), "", heading(matrix), *_aligned(summary(matrix))]
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def _aligned(table: Table) -> list[str]:
    return aligned([table.columns, *table.rows], table.words)
