"""A report on a terminal: the findings, a table of verdicts by operator, the closing line."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gatewise_reports.failure import failure_lines
from gatewise_reports.record import EXPECTED, Result
from gatewise_reports.report import Report
from gatewise_reports.summary import closing_line, count_verdicts, heading, stale_line

MOST_FINDINGS = 10
"""So many findings are printed in full; the rest are counted."""


def print_report(report: Report, console: Console) -> None:
    """Prints the findings, the table and the closing line."""
    for result in report.findings[:MOST_FINDINGS]:
        print_result(result, console)
        console.print()
    print_summary(report, console)


def print_summary(report: Report, console: Console) -> None:
    """Prints everything but the findings' texts."""
    left = len(report.findings) - MOST_FINDINGS
    if left > 0:
        _print(f"... and {left} more findings: `gatewise show REPORT --case NAME` shows any of them", console)
    for stale in report.stale:
        _print(stale_line(stale), console)
    _print(heading(report.header), console)
    console.print(_verdict_table(report.results))
    _print(closing_line(report), console)


def print_result(result: Result, console: Console) -> None:
    """Prints one result in full."""
    case, verdict, *rest = map(escape, failure_lines(result))
    style = "red" if result.finding else "green"
    text = "\n".join([f"[bold]{case}[/]", f"[{style}]{verdict}[/]", *rest])
    console.print(text, highlight=False, soft_wrap=True)


def _print(line: str, console: Console) -> None:
    console.print(line, highlight=False, markup=False, soft_wrap=True)


def _verdict_table(results: list[Result]) -> Table:
    counts = count_verdicts(results)
    table = Table("", box=None, pad_edge=False)
    for name in counts.columns:
        table.add_column(name, justify="right", style=None if name in EXPECTED else "yellow")
    for operator, row in counts.rows:
        table.add_row(operator, *map(str, row))
    return table
