"""A bench on a terminal: the failures, the tables, the closing line."""

from rich.console import Console

from gatewise_reports.bench.report import BenchReport
from gatewise_reports.bench.tables import closing_line, failure_lines, heading, tables
from gatewise_reports.columns import aligned


def print_bench(report: BenchReport, console: Console) -> None:
    """Prints all of it."""
    lines = [heading(report)]
    for table in tables(report):
        lines += ["", table.title, *aligned([table.columns, *table.rows], table.words)]
    for line in (*lines, "", *failure_lines(report), closing_line(report)):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
