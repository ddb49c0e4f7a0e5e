"""``gatewise hash``: the bits of this machine, as a report."""

import sys
from pathlib import Path

import click
from rich.console import Console

from gatewise.cli import options as opt
from gatewise.cli.compare import show_comparison
from gatewise.cli.errors import UsageOrSetupError, told_in_a_sentence
from gatewise.cli.progress import CaseProgress
from gatewise.hashing import make_hash_report, spec_count
from gatewise.jobs import corpus_jobs, select
from gatewise_corpus.case import Case
from gatewise_corpus.layer import broken_rule
from gatewise_reports.hash_report import HashReport, encode_hash_report, write_hash_report
from gatewise_reports.report import check_writable


@click.command()
@click.option(
    "-i",
    "--implementation",
    "spec",
    default="reference",
    show_default=True,
    metavar="SPEC",
    help="The implementation to hash.",
)
@click.option("-o", "--output", type=opt.NewFile, metavar="FILE", help="Write the report.")
@opt.cases
@opt.only
@opt.time_limit
@opt.form
def hash(  # noqa: A001 - the command's name
    *,  # click passes options by name
    spec: str,
    output: Path | None,
    cases: Path | None,
    only: str,
    time_limit: float,
    form: str,
) -> None:
    """Hash the outputs of every valid case in every configuration; exit code 1 if its bits depend on that.

    The configurations are the kernel paths and, where the SPEC names none, 1, 2, 3 and 8 threads. For each number of
    threads every row is also computed without its batch mates, and every case with its other inputs constant. The
    JSON format is the report itself.

    \b
    Examples:
      gatewise hash -o reports/machines/$(uname -m).json
      gatewise hash -i onnxruntime --only 'lstm/*' --format markdown
    """
    with told_in_a_sentence():
        if output:
            check_writable(output)
        found = _valid_cases(cases, only)
        with CaseProgress(Console(stderr=True, soft_wrap=True), spec, len(found) * spec_count(spec)) as progress:
            report = make_hash_report(found, spec, time_limit, progress.advance)
        if output:
            write_hash_report(report, output)
        _show(report, output, form)
    sys.exit(1 if report.differences else 0)


def _valid_cases(root: Path | None, only: str) -> dict[str, Case]:
    """The valid cases of a store by name."""
    cases = {job.name: job.load().case for job in select([*corpus_jobs(root)], only)}
    valid = {name: case for name, case in cases.items() if not broken_rule(case)}
    if not valid:
        raise UsageOrSetupError(f"there is no valid case{f' that matches {only!r}' if only else ''}")
    return valid


def _show(report: HashReport, output: Path | None, form: str) -> None:
    if form == "json":
        click.echo(encode_hash_report(report), nl=False)
    else:
        show_comparison({output.stem if output else report.machine.name: report}, form)
