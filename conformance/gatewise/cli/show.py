"""``gatewise show``: a report, viewed."""

from fnmatch import fnmatchcase
from pathlib import Path

import click
from rich.console import Console

from gatewise.cli import options as opt
from gatewise.cli.errors import UsageOrSetupError, told_in_a_sentence
from gatewise_reports import json_view, markdown
from gatewise_reports.bench import json_view as bench_json
from gatewise_reports.bench import markdown as bench_markdown
from gatewise_reports.bench.report import BenchReport, is_bench_report, read_bench_report
from gatewise_reports.bench.terminal import print_bench
from gatewise_reports.record import VERDICTS, Result
from gatewise_reports.report import Report, read_report
from gatewise_reports.terminal import print_report, print_result


@click.command()
@click.argument("path", metavar="REPORT", type=opt.ExistingFile)
@click.option("--case", "pattern", metavar="PATTERN", default="", help="Cases whose results to show in full.")
@click.option("--verdict", type=click.Choice(VERDICTS), help="Results with this verdict, to show in full.")
@opt.form
def show(*, path: Path, pattern: str, verdict: str | None, form: str) -> None:
    """Show a report: its findings and a summary, or the results of one case in full; or the times of a bench.

    A run that was killed leaves a report without an end; it is shown as unfinished.

    \b
    Examples:
      gatewise show report.jsonl
      gatewise show report.jsonl --case gru/covering-03 --format markdown
    """
    with told_in_a_sentence():
        if is_bench_report(path):
            if pattern or verdict:
                raise UsageOrSetupError(f"{path}: is the report of a bench, which has no results of cases")
            show_bench(read_bench_report(path), form)
            return
        report = read_report(path)
    if pattern or verdict:
        results = [
            result
            for result in report.results
            if fnmatchcase(result.case, pattern or "*") and verdict in (None, result.verdict)
        ]
        if not results:
            told = f" with the verdict {verdict!r}" if verdict else ""
            raise UsageOrSetupError(f"{path}: there is no result of a case {pattern or '*'!r}{told}")
        _show_results(results, form)
    else:
        _show_report(report, path, form)


def _show_report(report: Report, path: Path, form: str) -> None:
    if form == "pretty":
        print_report(report, Console(), path)
    else:
        click.echo(json_view.render(report) if form == "json" else markdown.render(report), nl=False)


def show_bench(report: BenchReport, form: str) -> None:
    """Shows the report of a bench."""
    if form == "pretty":
        print_bench(report, Console())
    else:
        click.echo((bench_json if form == "json" else bench_markdown).render(report), nl=False)


def _show_results(results: list[Result], form: str) -> None:
    for result in results:
        if form == "pretty":
            print_result(result, Console())
        else:
            click.echo(json_view.render_result(result) if form == "json" else markdown.render_result(result))
