"""``gatewise record``: ONNX Runtime's outputs, kept with the cases."""

from collections import Counter
from pathlib import Path

import click
from rich.progress import track

from gatewise.cli import options as opt
from gatewise.recorder import entries_to_record, record_entries
from gatewise_corpus.onnx_model import FormatError
from gatewise_implementations.adapter import SetupError
from gatewise_reports.words import counted


@click.command()
@opt.writable_store
@click.option("--again", is_flag=True, help="Record every case, also those that have a recording.")
def record(root: Path, again: bool) -> None:
    """Record ONNX Runtime's outputs for the cases that have none yet.

    It runs in a child process with one thread, weights as inputs; version, machine and settings are kept.

    \b
    Examples:
      gatewise record
      gatewise record --again --cases ./my-cases
    """
    try:
        entries = entries_to_record(root, again=again)
        steps = track(record_entries(root, entries), "recording", total=len(entries), transient=True)
        outcomes = Counter(entry.about.recording.outcome for entry in steps if entry.about.recording)
    except (FormatError, SetupError) as error:
        raise click.UsageError(str(error)) from error
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    click.echo(f"{counted(len(entries), 'case')} recorded" + (f": {told}" if told else ""))
