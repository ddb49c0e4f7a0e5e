"""``gatewise compare``: hash reports, held against each other."""

import sys
from collections.abc import Mapping
from pathlib import Path

import click
import msgspec

from gatewise.cli import options as opt
from gatewise.cli.errors import told_in_a_sentence
from gatewise_reports.hash_comparison import HashComparison, compare_reports, report_names
from gatewise_reports.hash_report import HashReport, read_hash_report
from gatewise_reports.hash_view import render_markdown, render_pretty


@click.command()
@click.argument("paths", metavar="REPORT...", nargs=-1, required=True, type=opt.ExistingFile)
@opt.form
def compare(*, paths: tuple[Path, ...], form: str) -> None:
    """Compare hash reports, or the configurations of one; exit code 1 if any bit differs.

    Says "identical", or which cases, operators and configurations differ, which features of the processors go with
    that, and which are the smallest cases. The reports are of one implementation on several machines, or of several.

    \b
    Examples:
      gatewise compare reports/machines/*.json
      gatewise compare mine.json reports/machines/icelake.json --format markdown
    """
    with told_in_a_sentence():
        reports = [read_hash_report(path) for path in paths]
        comparison = show_comparison(dict(zip(report_names(paths), reports, strict=True)), form)
    sys.exit(1 if comparison.differing else 0)


def show_comparison(reports: Mapping[str, HashReport], form: str) -> HashComparison:
    """Compares reports, by name, and prints what came of it.

    Raises:
        ReportError: if they have no case in common.
    """
    comparison = compare_reports(reports)
    if form == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(comparison), indent=2))
    else:
        click.echo(render_pretty(comparison) if form == "pretty" else render_markdown(comparison), nl=False)
    return comparison
