"""The matrix: a column for each report, a row for each feature, and the results behind each cell."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from packaging.version import Version

from gatewise_corpus.store import Entry
from gatewise_reports.columns import printable
from gatewise_reports.matrix.marks import Tally, tally
from gatewise_reports.matrix.rows import MatrixCase, Row, matrix_case, matrix_rows
from gatewise_reports.record import Header, Result
from gatewise_reports.report import Report, ReportError

_ENVIRONMENT = frozenset({"python", "modules"})
"""The options of an adapter that say where its runtime is; the version tells what that comes to."""

_LONGEST = 100
"""So many bytes of a name stand in a file's name; file systems take 255, suffix included."""


@dataclass(frozen=True, eq=False)
class Column:
    """One implementation.

    Attributes:
        name: its name, version and options; no other column has the same.
        report: its run.
        results: its own results by case, as far as the matrix has the case.
    """

    name: str
    report: Report
    results: Mapping[str, Result]

    @property
    def header(self) -> Header:
        """What ran."""
        return self.report.header

    @property
    def version(self) -> str:
        """The implementation's own version, or the first that it tells."""
        return _version(self.header)

    @property
    def left_out(self) -> int:
        """How many of its own results are about cases that the matrix does not have."""
        return sum(not result.subject and result.case not in self.results for result in self.report.results)

    @property
    def findings(self) -> int:
        """How many of its results nobody expected."""
        return sum(result.finding for result in self.results.values())

    @property
    def as_expected(self) -> bool:
        """Whether the run is complete and nothing in it unexpected."""
        return self.report.state == "complete" and not self.findings and not self.report.stale

    def tally(self, cases: Iterable[str]) -> Tally:
        """The results of some cases, counted by kind."""
        return tally(self.results[case] for case in cases if case in self.results)


@dataclass(frozen=True, eq=False)
class Matrix:
    """Columns, rows, and the cases by name."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    cases: Mapping[str, MatrixCase]

    @property
    def operators(self) -> list[str]:
        """The operators of the cases, in their order; invalid cases may have others than RNN, GRU and LSTM."""
        return list(dict.fromkeys(case.operator for case in self.cases.values()))

    def total(self, column: Column) -> Tally:
        """All results of a column."""
        return column.tally(self.cases)


Sourced = tuple[str, Report]
"""A report and where it is from: its path, or the SPEC that is run."""


def make_matrix(reports: Sequence[Sourced], entries: Iterable[Entry]) -> Matrix:
    """The matrix of reports over the cases of a store.

    Raises:
        ReportError: if there is no case or no report, if two reports are of the same implementation in the same
            version, of the same SPEC and on the same machine, if a report is about none of the cases, or if it
            holds two results of one case.
    """
    cases = {entry.name: matrix_case(entry) for entry in entries}
    if not cases or not reports:
        raise ReportError(f"a matrix needs a {'report' if cases else 'case'}, and there is none")
    names = column_names(reports)
    columns = []
    for name, (source, report) in zip(names, reports, strict=True):
        results = {case: result for case, result in _own_results(source, report).items() if case in cases}
        if report.results and not results:
            raise ReportError(f"{source}: is about none of the cases of the store; name theirs with --cases")
        columns.append(Column(name, report, results))
    return Matrix(tuple(columns), tuple(matrix_rows(cases.values())), cases)


def _own_results(source: str, report: Report) -> dict[str, Result]:
    own: dict[str, Result] = {}
    for result in report.results:
        if result.subject:
            continue
        if result.case in own:
            raise ReportError(f"{source}: holds two results of {result.case}")
        own[result.case] = result
    return own


def column_names(reports: Sequence[Sourced]) -> list[str]:
    """A name for each report: what ran, its version, its options; and the machine or the SPEC where others are equal.

    Raises:
        ReportError: if nothing tells two reports apart.
    """
    headers = [report.header for _, report in reports]
    names = [column_name(header) for header in headers]
    names = _told_apart(names, [header.machine for header in headers])
    names = _told_apart(names, [header.spec for header in headers])
    names = list(map(printable, names))
    for name, count in Counter(names).items():
        if count > 1:
            same = [source for (source, _), other in zip(reports, names, strict=True) if other == name]
            raise ReportError(f"{' and '.join(same)} are reports of the same: {name}")
    return names


def column_name(header: Header) -> str:
    """The implementation, its version and the options of its SPEC, as in "openvino 2026.4.1 shapes=dynamic"."""
    return " ".join(filter(None, (header.implementation.name, _version(header), column_options(header))))


def short_names(columns: Sequence[Column]) -> list[str]:
    """The name of each implementation alone, or that of its column where several are of the same implementation."""
    names = [column.header.implementation.name for column in columns]
    return [name if names.count(name) == 1 else column.name for name, column in zip(names, columns, strict=True)]


def _told_apart(names: Sequence[str], others: Sequence[str]) -> list[str]:
    """The names, with what else is known of it behind each that occurs twice and has another such word somewhere."""
    words: dict[str, set[str]] = {}
    for name, other in zip(names, others, strict=True):
        words.setdefault(name, set()).add(other)
    return [f"{name} ({other})" if len(words[name]) > 1 else name for name, other in zip(names, others, strict=True)]


def file_names(names: Sequence[str]) -> list[str]:
    """A file's name without suffix for each name: letters, digits and ``_.+=-``; what is long is cut, and has a hash.

    No two are the same, be it in a file system that does not tell capitals from small letters.
    """
    taken = set[str]()
    return [_untaken(_slug(name), taken) for name in names]


def _slug(name: str) -> str:
    slug = re.sub(r"[^\w.+=-]+", "-", name).strip("-.") or "unnamed"
    if len(slug.encode()) <= _LONGEST:
        return slug
    return f"{slug.encode()[:_LONGEST].decode(errors='ignore')}-{sha256(name.encode()).hexdigest()[:8]}"


def _untaken(slug: str, taken: set[str]) -> str:
    """The slug, or the first of ``slug-2``, ``slug-3`` ... that is not in ``taken``; takes it."""
    found, number = slug, 1
    while found.casefold() in taken:
        number += 1
        found = f"{slug}-{number}"
    taken.add(found.casefold())
    return found


def column_options(header: Header) -> str:
    """The options in the SPEC of an adapter, but for the environment."""
    head, _, options = header.spec.partition(":")
    if head != header.implementation.name:
        return ""
    return ",".join(option for option in options.split(",") if option.partition("=")[0] not in _ENVIRONMENT)


def _version(header: Header) -> str:
    """The implementation's own version, or the first of its parts; of a build's long name only the release."""
    versions = header.implementation.versions
    version = versions.get(header.implementation.name) or next(iter(versions.values()), "")
    try:
        Version(version)
    except ValueError:  # InvalidVersion, or more digits than int() takes
        release = re.match(r"\d+(\.\d+)+", version)
        return release[0] if release else version
    return version
