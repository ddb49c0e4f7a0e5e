"""A report as one JSON object, for programs that want no JSON lines."""

from typing import Any

import msgspec

from gatewise_reports.record import Result
from gatewise_reports.report import Report


def render(report: Report) -> str:
    """The whole report: header, state, number of results by verdict, results, stale entries, footer."""
    return as_text(
        {
            "header": report.header,
            "state": report.state,
            "verdicts": report.verdicts(),
            "others": {subject: report.verdicts_of(subject) for subject in report.subjects},
            "findings": len(report.findings) + len(report.stale),
            "results": report.results,
            "stale": report.stale,
            "footer": report.footer,
        }
    )


def render_result(result: Result) -> str:
    """One result."""
    return as_text(result)


def as_text(value: Any) -> str:
    """What msgspec can encode, indented."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"
