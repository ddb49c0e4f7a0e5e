"""A bench as Markdown."""

from gatewise_reports.bench.report import BenchReport
from gatewise_reports.bench.tables import Table, closing_line, failure_lines, heading, tables
from gatewise_reports.columns import piped


def render(report: BenchReport) -> str:
    """All of it: heading, tables, failures, closing line."""
    parts = [f"**{heading(report)}**", *map(_table, tables(report))]
    parts += ["\n".join(f"- {line}" for line in failure_lines(report))] if report.failures else []
    return "\n\n".join([*parts, closing_line(report)]) + "\n"


def _table(table: Table) -> str:
    return f"{table.title}:\n\n{piped([table.columns, *table.rows], table.words)}"
