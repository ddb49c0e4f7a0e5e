"""``gatewise matrix``: many implementations, feature by feature."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from gatewise.cli import options as opt
from gatewise.cli.errors import UsageOrSetupError, told_in_a_sentence
from gatewise.cli.files import made_folder
from gatewise.cli.running import gate_options, run_with_progress
from gatewise.gate import GateOptions, make_header
from gatewise.jobs import Job, corpus_jobs, select
from gatewise_corpus.store import cases_root, load_entry
from gatewise_implementations.process import Worker
from gatewise_reports.matrix import json_view, markdown
from gatewise_reports.matrix.matrix import Matrix, Sourced, column_names, file_names, make_matrix
from gatewise_reports.matrix.terminal import print_matrix
from gatewise_reports.matrix.write import BADGES, JSON, MARKDOWN, PAGE, REPORTS, write_matrix
from gatewise_reports.record import Header
from gatewise_reports.report import Report, read_report
from gatewise_reports.summary import closing_line, heading


@click.command()
@click.argument("paths", metavar="[REPORT]...", nargs=-1, type=opt.ExistingFile)
@click.option(
    "-i",
    "--implementation",
    "specs",
    multiple=True,
    metavar="SPEC",
    help="An implementation to run on the cases; may be repeated.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help=f"Write {PAGE}, {MARKDOWN}, {JSON}, {BADGES}/ and, of the implementations that are run, {REPORTS}/.",
)
@opt.cases
@opt.only
@opt.known_failures
@opt.no_shipped_list
@opt.workers
@opt.time_limit
@opt.form
def matrix(
    *,  # click passes options by name
    paths: tuple[Path, ...],
    specs: tuple[str, ...],
    output: Path | None,
    cases: Path | None,
    only: str,
    known_failures: tuple[Path, ...],
    no_shipped_list: bool,
    workers: int,
    time_limit: float,
    form: str,
) -> None:
    """Show what each of many implementations makes of every feature; exit code 1 if not all is as expected.

    A column for each report of gatewise gate that is given, and for each implementation that is run here; a row for
    each option's value, size, special value, reason to refuse and open point. docs/matrix.md says how to read it.

    \b
    Examples:
      gatewise matrix -i reference -i onnxruntime -i onnxruntime:python=old/bin/python -o ./matrix
      gatewise matrix reports/*.jsonl -o ./matrix --format markdown
    """
    with told_in_a_sentence():
        jobs = select([*corpus_jobs(cases)], only)
        if not jobs:
            raise UsageOrSetupError(f"there is no case{f' that matches {only!r}' if only else ''}")
        given = [(str(path), read_report(path)) for path in paths]
        runs = [
            gate_options(
                spec,
                cases,
                only,
                0,
                known_failures,
                workers=workers,
                time_limit=time_limit,
                use_shipped=not no_shipped_list,
            )
            for spec in dict.fromkeys(specs)
        ]
        root = cases or cases_root()
        entries = [load_entry(root / job.name, root) for job in jobs]
        found = make_matrix([*_run(jobs, runs, given, output), *given], entries)
        if output:
            write_matrix(found, output)
        _show(found, form)
    sys.exit(0 if all(column.as_expected for column in found.columns) else 1)


def _run(
    jobs: Sequence[Job], runs: Sequence[GateOptions], given: Sequence[Sourced], output: Path | None
) -> list[Sourced]:
    """The reports of what is run here; before anything runs, all is known to start and to be told apart.

    Raises:
        SetupError: if an implementation cannot be started.
        ReportError: if two reports would be of the same, or one cannot be written.
        click.Abort: after an interrupt or a request to end (SIGTERM).
    """
    planned = [(run.spec, Report(_header(jobs, run))) for run in runs]
    names = file_names(column_names([*planned, *given]))[: len(runs)]
    folder = made_folder(output / REPORTS) if output and runs else None
    console = Console(stderr=True, soft_wrap=True)
    reports: list[Sourced] = []
    for run, name in zip(runs, names, strict=True):
        path = folder / f"{name}.jsonl" if folder else None
        report, interrupted = run_with_progress(jobs, run, path, console)
        for line in (heading(report.header), closing_line(report)):
            console.print(line, highlight=False, markup=False)
        if interrupted:
            raise click.Abort
        reports.append((run.spec, report))
    return reports


def _header(jobs: Sequence[Job], run: GateOptions) -> Header:
    with Worker(run.spec, run.time_limit) as worker:
        return make_header(jobs, run, worker.describe())


def _show(found: Matrix, form: str) -> None:
    if form == "pretty":
        print_matrix(found, Console())
    else:
        click.echo((json_view if form == "json" else markdown).render(found), nl=False)
