"""A report on a terminal: the findings, a table of verdicts by operator, the closing line."""

from pathlib import Path

from rich.console import Console
from rich.markup import escape

from gatewise_reports.columns import aligned
from gatewise_reports.failure import failure_lines
from gatewise_reports.record import Result
from gatewise_reports.report import Report
from gatewise_reports.summary import closing_line, count_verdicts, heading, stale_line
from gatewise_reports.words import counted

MOST_FINDINGS = 10
"""So many findings are printed in full; the rest are counted."""


_GRAVEST_FIRST = (
    "wrong",
    "other bits",
    "accepted",
    "crashed",
    "timed out",
    "raised",
    "differs",
    "deviates",
    "unsupported",
)


def print_report(report: Report, console: Console, path: Path | None = None) -> None:
    """Prints the findings, the gravest first, the table and the closing line; ``path`` is the report's file."""
    for result in sorted(report.findings, key=_gravity)[:MOST_FINDINGS]:
        print_result(result, console)
        console.print()
    _print_summary(report, console, path)


def _print_summary(report: Report, console: Console, path: Path | None) -> None:
    """Prints everything but the findings' texts."""
    left = len(report.findings) - MOST_FINDINGS
    if left > 0:
        where = f"gatewise show {path} --case NAME or --verdict VERDICT" if path else "--report FILE keeps them all"
        _print(f"... and {counted(left, 'more finding')}: {where}", console)
    for stale in report.stale:
        _print(stale_line(stale), console)
    _print(heading(report.header), console)
    for line in _verdict_table(report.results):
        _print(line, console)
    _print(closing_line(report), console)


def _gravity(result: Result) -> int:
    """Wrong values before what ended the process, before what was refused."""
    return _GRAVEST_FIRST.index(result.verdict) if result.verdict in _GRAVEST_FIRST else len(_GRAVEST_FIRST)


def print_result(result: Result, console: Console) -> None:
    """Prints one result in full."""
    case, verdict, *rest = map(escape, failure_lines(result))
    style = "red" if result.finding else "green"
    text = "\n".join([f"[bold]{case}[/]", f"[{style}]{verdict}[/]", *rest])
    console.print(text, highlight=False, soft_wrap=True)


def _print(line: str, console: Console) -> None:
    console.print(line, highlight=False, markup=False, soft_wrap=True)


def _verdict_table(results: list[Result]) -> list[str]:
    counts = count_verdicts(results)
    return aligned([["", *counts.columns], *([label, *map(str, row)] for label, row in counts.rows)])
