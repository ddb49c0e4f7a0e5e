"""A report in few words: heading, verdicts by operator, closing line; the renderers share it."""

from collections import Counter
from dataclasses import dataclass

from gatewise_reports.record import VERDICTS, Header, Result, Stale
from gatewise_reports.report import Report
from gatewise_reports.words import counted

KNOWN = "known"
"""The column of the failures that were expected."""


@dataclass(frozen=True)
class VerdictCounts:
    """How often each verdict came up: ``rows`` hold a label and its counts, in the order of ``columns``."""

    columns: list[str]
    rows: list[tuple[str, list[int]]]


def count_verdicts(results: list[Result]) -> VerdictCounts:
    """A row for each operator, one for all where there are several, one for each other subject.

    A column for each verdict that occurred.
    """
    counts = Counter((_label(result), KNOWN if result.known else result.verdict) for result in results)
    columns = [name for name in (*VERDICTS, KNOWN) if any(column == name for _, column in counts)]
    subjects = sorted({result.subject for result in results if result.subject})
    operators = sorted({label for label, _ in counts} - set(subjects))
    rows = [(operator, [counts[operator, name] for name in columns]) for operator in operators]
    if len(rows) > 1:
        rows.append(("all", [sum(column) for column in zip(*(row for _, row in rows), strict=True)]))
    rows += [(subject, [counts[subject, name] for name in columns]) for subject in subjects]
    return VerdictCounts(columns, rows)


def heading(header: Header) -> str:
    """What was tested, with what and where."""
    versions = ", ".join(f"{name} {version}" for name, version in header.implementation.versions.items())
    of = f" ({versions})" if versions else ""
    return f"{header.spec}: {header.implementation.name}{of}, {header.machine}; gatewise {header.suite}"


def stale_line(stale: Stale) -> str:
    """A stale entry in one line."""
    return f"stale: entry {stale.entry} of {stale.file} ({stale.reason}): {stale.why}"


def closing_line(report: Report) -> str:
    """How many results, how many findings, and whether the run came to its end."""
    findings = len(report.findings) + len(report.stale)
    found = counted(findings, "finding") if findings else "all as expected"
    seconds = f" in {report.footer.seconds:.1f} s" if report.footer else ""
    state = "" if report.state == "complete" else f" - {report.state}: {report.header.cases} were planned"
    return f"{counted(len(report.results), 'result')}, {found}{seconds}{state}"


def _label(result: Result) -> str:
    """Whose outputs, where they are not the implementation's; else the operator, with which the line begins."""
    return result.subject or result.line.partition("-")[0] or "?"
