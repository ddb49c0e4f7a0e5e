"""``gatewise record``: ONNX Runtime's outputs, kept with the cases."""

from collections import Counter
from pathlib import Path

import click
from rich.progress import track

from gatewise.recorder import entries_to_record, record_entries
from gatewise_corpus.onnx_model import FormatError
from gatewise_corpus.store import own_root
from gatewise_implementations.adapter import SetupError


@click.command()
@click.option(
    "--cases",
    "root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=own_root,
    help="Folder of the cases; in a checkout the corpus by default.",
)
@click.option("--again", is_flag=True, help="Record every case, also those that have a recording.")
def record(root: Path | None, again: bool) -> None:
    """Record ONNX Runtime's outputs for the cases that have none yet.

    It runs in a child process with one thread, weights as inputs; version, machine and settings are kept.

    \b
    Examples:
      gatewise record
      gatewise record --again --cases ./my-cases
    """
    if root is None:
        raise click.UsageError("the installed corpus is not written to; name a folder of your own with --cases")
    try:
        entries = entries_to_record(root, again=again)
        steps = track(record_entries(root, entries), "recording", total=len(entries), transient=True)
        outcomes = Counter(entry.about.recording.outcome for entry in steps if entry.about.recording)
    except (FormatError, SetupError) as error:
        raise click.UsageError(str(error)) from error
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    click.echo(f"{len(entries)} cases recorded" + (f": {told}" if told else ""))
