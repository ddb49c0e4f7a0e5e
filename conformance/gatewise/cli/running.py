"""Runs the gate on the command line: progress, report files, summary."""

import re
import shlex
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import click
from rich.console import Console

from gatewise.cli.progress import RunProgress
from gatewise.gate import GateOptions, run_gate
from gatewise.jobs import Job
from gatewise_reports.junit import write_junit
from gatewise_reports.record import Header, Record, Result
from gatewise_reports.report import Report, ReportWriter, check_writable
from gatewise_reports.terminal import print_report


class RunReport:
    """A run's report as it grows: in memory, and line by line in a file if one is asked for."""

    def __init__(self, path: Path | None) -> None:
        """Raises ReportError if ``path`` cannot be written."""
        self._writer = ReportWriter(path) if path else None
        self.report: Report | None = None

    def add(self, record: Record) -> None:
        """Takes in the next record."""
        if isinstance(record, Header):
            self.report = Report(record)
        elif self.report is not None:
            self.report.add(record)
        if self._writer:
            self._writer.write(record)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writer:
            self._writer.close()

    def interrupt(self, seconds: float) -> None:
        """Ends the report of a run that was stopped."""
        if self.report is not None and self.report.footer is None:
            footer = self.report.close(seconds, complete=False)
            if self._writer:
                self._writer.write(footer)


def run_and_report(
    jobs: Sequence[Job], options: GateOptions, report_path: Path | None, junit_path: Path | None
) -> Report:
    """Runs the gate, shows its progress, writes the reports, prints the summary.

    Raises:
        click.Abort: after an interrupt or a request to end (SIGTERM); the reports are written first.
    """
    if junit_path:
        check_writable(junit_path)
    console = Console(soft_wrap=True)
    report, interrupted = run_with_progress(jobs, options, report_path, console)
    print_report(report, console, report_path)
    if junit_path:
        write_junit(report, junit_path)
    if interrupted:
        raise click.Abort
    return report


def run_with_progress(
    jobs: Sequence[Job], options: GateOptions, report_path: Path | None, console: Console
) -> tuple[Report, bool]:
    """Runs the gate, shows its progress on ``console``, writes its report; tells whether it was interrupted.

    Raises:
        click.Abort: after an interrupt or a request to end (SIGTERM) before the run had begun.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    started = time.perf_counter()
    interrupted = False
    with RunReport(report_path) as run_report, RunProgress(console, options.spec, len(jobs)) as progress:
        try:
            for record in run_gate(jobs, options):
                run_report.add(record)
                if isinstance(record, Result):
                    progress.add(record)
        except KeyboardInterrupt:
            interrupted = True
            run_report.interrupt(time.perf_counter() - started)
    if run_report.report is None:
        raise click.Abort
    return run_report.report, interrupted


def gate_options(
    spec: str,
    cases: Path | None,
    only: str,
    examples: int,
    known_failures: Sequence[Path],
    *,
    use_shipped: bool,
    **others: Any,
) -> GateOptions:
    """The options of a run over the store ``cases``, by default the corpus, and fresh cases.

    Args:
        spec: the implementation's SPEC.
        cases: the folder of the store.
        only: the pattern that selects cases; "" for all.
        examples: number of fresh cases.
        known_failures: lists of known failures.
        use_shipped: whether the list that gatewise brings is used too.
        others: further fields of ``GateOptions``.
    """
    again = ["gatewise", "gate", "-i", spec, *(["--cases", str(cases)] if cases else [])]
    again += [word for path in known_failures for word in ("--known-failures", str(path))]
    told = {"cases": str(cases) if cases else "corpus", "examples": str(examples), "only": only}
    return GateOptions(
        spec=spec,
        known_failures=known_failures,
        use_shipped=use_shipped,
        stale="none" if only else "given" if cases else "all",
        again=shlex.join(again if use_shipped else [*again, "--no-shipped-list"]),
        told={name: value for name, value in told.items() if value},
        **others,
    )


def path_for(path: Path | None, spec: str, specs: Sequence[str]) -> Path | None:
    """Where to write about one of several implementations: the SPEC stands before the suffix."""
    if path is None or len(specs) == 1:
        return path
    word = re.sub(r"\W+", "-", spec).strip("-")
    return path.with_name(f"{path.stem}.{word}{path.suffix}")
