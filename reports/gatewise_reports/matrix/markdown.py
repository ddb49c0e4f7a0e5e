"""The matrix as Markdown; its first table is one for a README."""

from collections.abc import Iterator

from gatewise_reports.columns import piped
from gatewise_reports.matrix.changes import Step, version_steps
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


def render(matrix: Matrix) -> str:
    """Heading, summary, legend, features, what changed between versions."""
    return "\n\n".join(_parts(matrix)) + "\n"


def _parts(matrix: Matrix) -> Iterator[str]:
    yield f"**{heading(matrix)}**"
    yield _table(summary(matrix))
    yield "\n".join(f"- {_escaped(line)}" for line in legend())
    yield _table(features(matrix))
    found = version_steps(matrix)
    if found:
        yield "**What changed between versions**"
    for step in found:
        yield from _step(step)


def _step(step: Step) -> Iterator[str]:
    first, *groups = map(_escaped, step_lines(step))
    yield f"{first}."
    if groups:
        yield "\n".join(f"- {group}" for group in groups)
    if step.rows:
        yield _table(step_features(step))


def _table(table: Table) -> str:
    return piped([[_escaped(word) for word in row] for row in (table.columns, *table.rows)], table.words)


def _escaped(word: str) -> str:
    """Without what Markdown would take as more than words; ``*`` marks what was not expected."""
    for character in "\\`*_|<[":
        word = word.replace(character, f"\\{character}")
    return word
