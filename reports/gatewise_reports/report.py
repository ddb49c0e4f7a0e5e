"""A report file: JSON lines, written as the results come, readable whenever the run stops."""

import contextlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Protocol, Self, TypeVar

import msgspec

from gatewise_reports.record import FORMAT, Footer, Header, Record, Result, Stale

R = TypeVar("R")

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Record)


class ReportError(ValueError):
    """A file that is not a report; the message is one sentence."""


class Ending(Protocol):
    """The last record of a report."""

    @property
    def complete(self) -> bool:
        """Whether all was run."""
        ...


def state_of(ending: Ending | None) -> str:
    """How a run ended: "complete", "stopped early" or, without a last record, "unfinished"."""
    if ending is None:
        return "unfinished"
    return "complete" if ending.complete else "stopped early"


@dataclass
class Report:
    """A run as it is viewed: the header, the results in order, the stale entries, and the footer once it ended."""

    header: Header
    results: list[Result] = field(default_factory=list)
    stale: list[Stale] = field(default_factory=list)
    footer: Footer | None = None

    @property
    def state(self) -> str:
        """How the run ended: "complete", "stopped early" or "unfinished", as where planned results are missing."""
        state = state_of(self.footer)
        ran = sum(not result.subject for result in self.results)
        return "unfinished" if state == "complete" and ran < self.header.cases else state

    @property
    def findings(self) -> list[Result]:
        """The results somebody should look at."""
        return [result for result in self.results if result.finding]

    def verdicts(self) -> dict[str, int]:
        """The number of the implementation's own results by verdict; those of recorded outputs stand apart."""
        return self.verdicts_of("")

    def verdicts_of(self, subject: str) -> dict[str, int]:
        """The number of results by verdict on the outputs of ``subject``; "" is the implementation."""
        return dict(Counter(result.verdict for result in self.results if result.subject == subject))

    @property
    def subjects(self) -> list[str]:
        """Whose outputs were judged beside those of the implementation, by name."""
        return sorted({result.subject for result in self.results if result.subject})

    def add(self, record: Record) -> None:
        """Takes in the next record; raises ReportError where none can be."""
        if isinstance(record, Header):
            raise ReportError("there is a second header; the file holds more than one report")
        if self.footer is not None:
            raise ReportError("there is a record after the footer, which is the last")
        if isinstance(record, Result):
            self.results.append(record)
        elif isinstance(record, Stale):
            self.stale.append(record)
        else:
            self.footer = record

    def close(self, seconds: float, *, complete: bool = True) -> Footer:
        """Ends the report with the footer that its records amount to."""
        findings = len(self.findings) + len(self.stale)
        self.footer = Footer(self.verdicts(), findings, seconds, now(), complete)
        return self.footer


class ReportWriter:
    """Writes a report line by line; every line is flushed, so that a killed run leaves a readable file."""

    def __init__(self, path: Path) -> None:
        """Raises ReportError if ``path`` cannot be written."""
        self._path = path
        try:
            self._file: IO[bytes] = path.open("wb")
        except OSError as error:
            raise ReportError(f"{path}: cannot be written ({error.strerror})") from error

    def write(self, record: msgspec.Struct) -> None:
        """Appends one record; raises ReportError if it cannot be written."""
        try:
            self._file.write(_encoder.encode(record) + b"\n")
            self._file.flush()
        except OSError as error:
            raise ReportError(f"{self._path}: cannot be written ({error.strerror})") from error

    def close(self) -> None:
        """Closes the file; the report is finished only if its footer was written."""
        with contextlib.suppress(OSError):  # what could not be written was told when it was
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def check_writable(path: Path) -> None:
    """Tries ``path`` before a run, so that no run is lost to it; leaves it as it was.

    Raises:
        ReportError: if ``path`` cannot be written.
    """
    was_there = path.exists()
    try:
        path.open("ab").close()
        if not was_there:
            path.unlink()
    except OSError as error:
        raise ReportError(f"{path}: cannot be written ({error.strerror})") from error


def read_report(path: Path) -> Report:
    """The report in ``path``; a torn last line, as a killed run may leave it, is left out.

    Raises:
        ReportError: if the file cannot be read, is of another format, or a line other than the last is not a record
            or not in its place.
    """
    records = read_records(path, _decoder)
    if not records or not isinstance(records[0], Header):
        raise ReportError(f"{path}: is not a report; its first line is not a header")
    if records[0].format != FORMAT:
        raise ReportError(f"{path}: is a report of format {records[0].format}; this gatewise reads format {FORMAT}")
    report = Report(records[0])
    for number, record in enumerate(records[1:], start=2):
        try:
            report.add(record)
        except ReportError as error:
            raise ReportError(f"{path}, line {number}: {error}") from error
    return report


def read_records(path: Path, decoder: msgspec.json.Decoder[R]) -> list[R]:
    """The records of ``decoder``'s type in ``path``, one a line; what follows the last line end is torn, or empty.

    Raises:
        ReportError: if the file cannot be read, or a line is not such a record.
    """
    try:
        *lines, _ = path.read_bytes().split(b"\n")
    except OSError as error:
        raise ReportError(f"{path}: cannot be read ({error.strerror})") from error
    return list(_decode(path, lines, decoder))


def _decode(path: Path, lines: Iterable[bytes], decoder: msgspec.json.Decoder[R]) -> Iterable[R]:
    for number, line in enumerate(lines, start=1):
        try:
            yield decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ReportError(f"{path}, line {number}: is not a record of a report ({error})") from error


def now() -> str:
    """The time, ISO 8601 with time zone, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
