"""The options that several commands share."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from gatewise_corpus.store import own_root
from gatewise_implementations.process import TIME_LIMIT

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

FORMATS = ("pretty", "json", "markdown")
SEEDS = 2**32
ExistingPath = click.Path(path_type=Path, exists=True)
ExistingFile = click.Path(path_type=Path, exists=True, dir_okay=False)
ExistingFolder = click.Path(path_type=Path, exists=True, file_okay=False)
NewFile = click.Path(path_type=Path, dir_okay=False)

implementation: Decorator = click.option(
    "-i", "--implementation", "spec", required=True, metavar="SPEC", help="The implementation to run."
)


def finite(_: click.Context, __: click.Parameter, seconds: float | None) -> float | None:
    """NaN is in every range that click knows."""
    if seconds is not None and not math.isfinite(seconds):
        raise click.BadParameter(f"{seconds} is not a number of seconds")
    return seconds


time_limit: Decorator = click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    callback=finite,
    default=TIME_LIMIT,
    show_default=True,
    metavar="SECONDS",
    help="Time for one case.",
)


def _writable(_: click.Context, __: click.Parameter, root: Path | None) -> Path:
    if root is None:
        raise click.UsageError("the installed corpus is not written to; name a folder of your own with --cases")
    return root


writable_store: Decorator = click.option(
    "--cases",
    "root",
    type=click.Path(path_type=Path, file_okay=False),
    default=own_root,
    callback=_writable,
    help="Folder of the cases to write to; in a checkout the corpus by default.",
)
cases: Decorator = click.option(
    "--cases", type=ExistingFolder, metavar="PATH", help="Folder of cases instead of the corpus."
)
only: Decorator = click.option(
    "--only", metavar="PATTERN", default="", help="Only the cases whose names match, as in 'lstm/nan-*'."
)
workers: Decorator = click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    metavar="N",
    help="Processes of the implementation that run at the same time.",
)
seed: Decorator = click.option(
    "--seed",
    type=click.IntRange(0, SEEDS - 1),
    default=0,
    show_default=True,
    metavar="S",
    help="Seed of everything that is generated.",
)
known_failures: Decorator = click.option(
    "--known-failures",
    type=ExistingFile,
    multiple=True,
    metavar="FILE",
    help="A list of known failures; may be repeated.",
)
no_shipped_list: Decorator = click.option(
    "--no-shipped-list", is_flag=True, help="Do without the list of known failures that gatewise brings."
)
report: Decorator = click.option("--report", type=NewFile, metavar="FILE", help="Write a report of JSON lines.")
junit: Decorator = click.option("--junit", type=NewFile, metavar="FILE", help="Write a report in JUnit XML.")
form: Decorator = click.option(
    "--format", "form", type=click.Choice(FORMATS), default="pretty", show_default=True, help="How to show it."
)
