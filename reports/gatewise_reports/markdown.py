"""A report as Markdown, for issues and pull requests."""

from gatewise_reports.columns import piped
from gatewise_reports.failure import failure_lines, name_of
from gatewise_reports.record import Result
from gatewise_reports.report import Report
from gatewise_reports.summary import closing_line, count_verdicts, heading, stale_line


def render(report: Report) -> str:
    """The whole report: heading, table of verdicts, findings."""
    parts = [f"**{heading(report.header)}**", closing_line(report), _table(report.results)]
    parts += [render_result(result) for result in report.findings]
    parts += [f"- {stale_line(stale)}" for stale in report.stale]
    return "\n\n".join(parts) + "\n"


def render_result(result: Result) -> str:
    """One result: its name as a heading, its text as a block."""
    return "\n".join([f"### {name_of(result)}: {result.verdict}", "", "```text", *failure_lines(result), "```"])


def _table(results: list[Result]) -> str:
    counts = count_verdicts(results)
    return piped([["", *counts.columns], *([label, *map(str, row)] for label, row in counts.rows)])
