"""A report as JUnit XML, which every CI system shows."""

import re
from pathlib import Path

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from gatewise_reports.failure import failure_lines, name_of
from gatewise_reports.record import Result, Stale
from gatewise_reports.report import Report, ReportError
from gatewise_reports.summary import stale_line

_CONTROL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ERRORS = frozenset({"crashed", "raised", "timed out"})


def write_junit(report: Report, path: Path) -> None:
    """Writes the report as one test suite.

    Raises:
        ReportError: if ``path`` cannot be written.
    """
    try:
        to_junit(report).write(str(path), pretty=True)
    except OSError as error:
        raise ReportError(f"{path}: cannot be written ({error.strerror})") from error


def to_junit(report: Report) -> JUnitXml:
    """One suite named by the implementation's SPEC; a known failure or a case that was not judged is skipped."""
    suite = TestSuite(f"gatewise {report.header.spec}")
    suite.timestamp = report.header.started
    suite.add_testcases([_test_case(result) for result in report.results])
    suite.add_testcases([_stale_case(stale) for stale in report.stale])
    if report.state == "unfinished":
        suite.add_testcase(_unfinished(report))
    xml = JUnitXml()
    xml.add_testsuite(suite)
    return xml


def _test_case(result: Result) -> TestCase:
    folder, _, name = name_of(result).rpartition("/")
    case = TestCase(name, ".".join(filter(None, ("gatewise", folder))), round(result.seconds, 6))
    text = _printable("\n".join(failure_lines(result)))
    if result.known:
        case.result = [Skipped(_printable(f"known: {result.known}"), result.verdict)]
    elif result.verdict == "not judged":
        case.result = [Skipped(_printable(result.message), result.verdict)]
    elif result.finding:
        kind = Error if result.verdict in _ERRORS else Failure
        case.result = [_with_text(kind(_printable(result.message) or result.verdict, result.verdict), text)]
    return case


def _printable(text: str) -> str:
    """The text without the control characters that XML 1.0 does not allow (section 2.2)."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def _stale_case(stale: Stale) -> TestCase:
    case = TestCase(f"entry {stale.entry}", "gatewise.known_failures", 0)
    case.result = [_with_text(Failure(stale.why, "stale"), _printable(stale_line(stale)))]
    return case


def _unfinished(report: Report) -> TestCase:
    case = TestCase("unfinished", "gatewise", 0)
    case.result = [Error(f"the run ended after {len(report.results)} of {report.header.cases} cases", "unfinished")]
    return case


def _with_text(result: Failure | Error, text: str) -> Failure | Error:
    result.text = text
    return result
