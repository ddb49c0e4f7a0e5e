"""The report of a bench: JSON lines, written as the cells are timed."""

from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from gatewise_reports.bench.record import BenchFooter, BenchHeader, BenchRecord, Cell
from gatewise_reports.report import ReportError, read_records, state_of

_decoder = msgspec.json.Decoder(BenchRecord)


@dataclass
class BenchReport:
    """A bench as it is viewed: the header, the cells in order, and the footer once it ended."""

    header: BenchHeader
    cells: list[Cell] = field(default_factory=list)
    footer: BenchFooter | None = None

    @property
    def state(self) -> str:
        """How it ended: "complete", "stopped early" or "unfinished"."""
        return state_of(self.footer)

    @property
    def failures(self) -> int:
        """How often a contender was not timed because it failed."""
        return sum(untimed.failed for cell in self.cells for untimed in cell.untimed)

    def add(self, record: BenchRecord) -> None:
        """Takes in the next record.

        Raises:
            ReportError: if it is a second header.
        """
        if isinstance(record, Cell):
            self.cells.append(record)
        elif isinstance(record, BenchFooter):
            self.footer = record
        else:
            raise ReportError("there is a second header; the file holds more than one report")


def is_bench_report(path: Path) -> bool:
    """Whether the first line of ``path`` is the header of a bench."""
    try:
        with path.open("rb") as file:
            return isinstance(_decoder.decode(file.readline()), BenchHeader)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def read_bench_report(path: Path) -> BenchReport:
    """The report in ``path``; a torn last line is left out.

    Raises:
        ReportError: if the file cannot be read, or is not the report of a bench.
    """
    first, *others = read_records(path, _decoder) or (None,)
    if not isinstance(first, BenchHeader):
        raise ReportError(f"{path}: is not the report of a bench; its first line is not a header")
    report = BenchReport(first)
    for number, record in enumerate(others, start=2):
        try:
            report.add(record)
        except ReportError as error:
            raise ReportError(f"{path}, line {number}: {error}") from error
    return report
