"""``gatewise implementations``: what can run here."""

import json
from dataclasses import asdict

import click
from rich.console import Console
from rich.table import Table

from gatewise.cli import options as opt
from gatewise_implementations.devices import with_devices
from gatewise_implementations.specs import FORMS, Availability, availabilities


@click.command()
@opt.form
def implementations(*, form: str) -> None:
    """List what can run here, with versions, and why the rest cannot.

    \b
    Examples:
      gatewise implementations
      gatewise implementations --format json
    """
    found = list(with_devices(availabilities()))
    if form == "json":
        click.echo(json.dumps({"adapters": [asdict(item) for item in found], "forms": FORMS}, indent=2))
    elif form == "markdown":
        click.echo("| SPEC | version |\n| --- | --- |")
        for item in found:
            click.echo(f"| {item.name} | {_told(item)} |")
        for text in FORMS.values():
            click.echo(f"| {text} | whatever you have |")
    else:
        table = Table("SPEC", "version", box=None, pad_edge=False)
        for item in found:
            table.add_row(item.name, _told(item), style=None if item.version else "dim")
        for text in FORMS.values():
            table.add_row(text, "whatever you have")
        Console().print(table, highlight=False)


def _told(item: Availability) -> str:
    return item.version or f"not here: {item.reason}"
