"""``gatewise corpus``: the store of cases."""

import fnmatch
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path

import click
import numpy as np
from rich.console import Console
from rich.table import Column, Table

from gatewise.cli import options as opt
from gatewise.cli.errors import told_in_a_sentence
from gatewise.packed_corpus import compare_answers, write_packed
from gatewise_corpus.case import Case
from gatewise_corpus.coverage import FACTORS, Pair, measure
from gatewise_corpus.features import features
from gatewise_corpus.layer import broken_rule
from gatewise_corpus.lint import format_entry, lint, name_and_about_problems
from gatewise_corpus.onnx_folder import read_folder
from gatewise_corpus.onnx_model import FormatError
from gatewise_corpus.recipes import all_recipes
from gatewise_corpus.recipes.recipe import is_stored
from gatewise_corpus.refusal import REASONS
from gatewise_corpus.store import (
    About,
    Entry,
    case_folders,
    cases_root,
    is_case_folder,
    load_entries,
    load_entry,
    save_entry,
)
from gatewise_reports.words import counted

_ROOT = click.option(
    "--cases",
    "root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=cases_root,
    help="Folder of the cases; the corpus by default.",
)
_FORMAT = click.option("--format", "form", type=click.Choice(["pretty", "json", "markdown"]), default="pretty")


@click.group()
def corpus() -> None:
    """Keep the store of cases.

    \b
    Examples:
      gatewise corpus list 'lstm/lengths-*'
      gatewise corpus add ./my-case --why "Row 1 ends before row 0." --origin report
    """


@corpus.command("list")
@click.argument("patterns", nargs=-1)
@_ROOT
@_FORMAT
def list_cases(patterns: tuple[str, ...], root: Path, form: str) -> None:
    """List the cases whose names match PATTERNS, or all.

    \b
    Examples:
      gatewise corpus list
      gatewise corpus list 'gru/nan-*' --format json
    """
    rows = [_row(entry) for entry in _select(root, patterns)]
    _print_rows(rows, ("name", "why", "refuse", "recorded"), form)


@corpus.command()
@click.argument("name")
@_ROOT
@click.option("--format", "form", type=click.Choice(["pretty", "json", "markdown"]), default="pretty")
def show(name: str, root: Path, form: str) -> None:
    """Show one case: why it exists, its features, its tensors.

    \b
    Examples:
      gatewise corpus show lstm/coupled-gate-poisoned
      gatewise corpus show rnn/smallest --format json
    """
    entries = _select(root, (name,))
    for entry in entries:
        about = {"case": entry.case.summary(), **_row(entry)}
        about |= {"flags": ", ".join(entry.about.flags), "tests": ", ".join(entry.about.tests)}
        about |= {"origin": entry.about.origin, "folder": str(entry.folder)}
        exercised = features(entry.case)
        arrays = {**entry.case.inputs} | {f"recorded {output}": array for output, array in entry.outputs.items()}
        if form == "json":
            values = {
                key: {"shape": list(array.shape), "values": array.ravel().tolist()} for key, array in arrays.items()
            }
            click.echo(json.dumps({**about, "features": exercised, "tensors": values}, indent=2))
            continue
        _print_rows([{"what": key, "is": value} for key, value in (about | exercised).items()], ("what", "is"), form)
        with np.printoptions(precision=6, threshold=60, linewidth=118):
            for key, array in arrays.items():
                click.echo(f"\n{key} {array.dtype}{list(array.shape)}\n{array}")


@corpus.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--recipes", is_flag=True, help="Add every case of the recipes that is new or has changed.")
@click.option("--name", help="Name of the case, <operator>/<words>; by default from the folder.")
@click.option("--why", help="One sentence: what the case would notice.")
@click.option("--origin", default="hand", show_default=True, help="Where the case comes from.")
@click.option("--flag", "flags", multiple=True, help="What kind of trouble it looks for; may be repeated.")
@click.option("--tests", multiple=True, help="A decision that it tests, D01 to D36; may be repeated.")
@click.option("--replace", is_flag=True, help="Replace a case of the same name.")
@opt.writable_store
def add(
    *,  # click passes options by name
    paths: tuple[Path, ...],
    recipes: bool,
    name: str | None,
    why: str | None,
    origin: str,
    flags: tuple[str, ...],
    tests: tuple[str, ...],
    replace: bool,
    root: Path,
) -> None:
    """Add folders in the ONNX backend test format, trees of such as gatewise fuzz saves, or the cases of the recipes.

    Recorded outputs are not taken over: run gatewise record afterwards.

    \b
    Examples:
      gatewise corpus add ./found --name gru/short-row --why "Y_h of a short row." --flag lengths
      gatewise corpus add ./found-by-fuzzing
    """
    if not paths and not recipes:
        raise click.UsageError("give at least one PATH, or --recipes")
    if recipes:
        click.echo(f"{counted(_add_recipes(root), 'case')} written")
    folders = [folder for path in paths for folder in _folders(path)]
    if name and len(folders) > 1:
        raise click.UsageError(f"--name {name} names one case, but {len(folders)} are to be added")
    for path in folders:
        case = _read(path)
        about = load_entry(path).about if (path / "case.toml").is_file() else None
        if about is None:
            if why is None:
                raise click.UsageError(f"{path} has no case.toml, so --why must say why the case exists")
            reason = broken_rule(case)
            marks = tuple(flags) + (("invalid",) if reason else ())
            about = About(why=why, origin=origin, flags=marks, tests=tests, refuse=reason)
        word = re.sub(r"[^a-z0-9]+", "-", path.resolve().name.lower()).strip("-")
        target = name or f"{case.operator.lower()}/{word}"
        for problem in name_and_about_problems(target, case, about):
            raise click.UsageError(f"{target}: {problem}")
        if (root / target).exists() and not replace:
            raise click.UsageError(f"{target} is there already; --replace replaces it")
        click.echo(save_entry(root, target, case, about))


@corpus.command()
@opt.writable_store
def fmt(root: Path) -> None:
    """Write every case the one way in which cases are written.

    \b
    Examples:
      gatewise corpus fmt
      gatewise corpus fmt --cases ./my-cases
    """
    changed = [entry.name for entry in _load(root) if format_entry(entry)]
    click.echo("\n".join([*changed, f"{counted(len(changed), 'case')} changed"]))


@corpus.command("lint")
@_ROOT
def lint_cases(root: Path) -> None:
    """Check every case; exit code 1 if one is not as it should be.

    \b
    Examples:
      gatewise corpus lint
      gatewise corpus lint --cases ./my-cases
    """
    findings = lint(root)
    for finding in findings:
        click.echo(f"{finding.name}: {finding.message}")
    click.echo(counted(len(findings), "finding"))
    sys.exit(1 if findings else 0)


@corpus.command()
@_ROOT
@_FORMAT
def coverage(root: Path, form: str) -> None:
    """Show which pairs of option values occur; exit code 1 if a feasible one is missing.

    \b
    Examples:
      gatewise corpus coverage
      gatewise corpus coverage --format json
    """
    measured = measure(entry.case for entry in _load(root) if not entry.about.refuse)
    total = len(measured.covered) + len(measured.missing)
    if form == "json":
        record = {
            "covered": len(measured.covered),
            "feasible": total,
            "missing": [_words(pair) for pair in measured.missing],
            "infeasible": {_words(pair): why for pair, why in measured.infeasible.items()},
        }
        click.echo(json.dumps(record, indent=2))
    else:
        click.echo(f"{len(FACTORS)} options, {total} feasible pairs of values, {measured.share:.1%} covered")
        rows = [{"pair": _words(pair), "why": "missing"} for pair in measured.missing]
        rows += [{"pair": _words(pair), "why": f"infeasible: {why}"} for pair, why in measured.infeasible.items()]
        _print_rows(rows, ("pair", "why"), form)
    sys.exit(1 if measured.missing else 0)


@corpus.command()
@click.argument("file", type=opt.NewFile)
@_ROOT
def pack(file: Path, root: Path) -> None:
    """Write the cases into one packed FILE, for the reference's runner on a machine without Python.

    \b
    Examples:
      gatewise corpus pack corpus.cases
      gatewise corpus pack mine.cases --cases ./my-cases
    """
    with told_in_a_sentence():
        click.echo(f"{counted(write_packed(root, file), 'case')} written")


@corpus.command("check-answers")
@click.argument("file", type=opt.ExistingFile)
@_ROOT
def check_answers(file: Path, root: Path) -> None:
    """Compare the answers that a runner wrote into FILE with the reference here; exit code 1 if any differs.

    \b
    Examples:
      gatewise corpus check-answers corpus.answers
      gatewise corpus check-answers mine.answers --cases ./my-cases
    """
    with told_in_a_sentence():
        compared = list(compare_answers(root, file))
    differing = [(name, difference) for name, difference in compared if difference]
    for name, difference in differing:
        click.echo(f"{name}: {difference}")
    click.echo(f"{len(compared)} answers, {len(differing) or 'none'} different")
    sys.exit(1 if differing else 0)


def _add_recipes(root: Path) -> int:
    """Writes the recipes' cases that are new or differ from what is stored; a changed case loses its recording."""
    try:
        recipes = list(all_recipes())
    except ModuleNotFoundError as error:
        raise click.UsageError(f"{error.name} is not installed; pip install 'gatewise[recipes]'") from error
    written = 0
    for recipe in recipes:
        if not is_stored(root, recipe):
            save_entry(root, recipe.name, recipe.case, recipe.about)
            written += 1
    return written


def _folders(path: Path) -> list[Path]:
    """The folder itself, or those with a case.toml below it."""
    if is_case_folder(path):
        return [path]
    found = [each for each in case_folders(path) if not any(part.startswith(".") for part in each.parts)]
    if not found:
        raise click.UsageError(f"{path} holds no model.onnx, nor a tree of folders with a case.toml")
    return found


def _read(path: Path) -> Case:
    if not is_case_folder(path):
        raise click.UsageError(f"{path} holds no model.onnx")
    try:
        return read_folder(path).case
    except FormatError as error:
        raise click.UsageError(str(error)) from error


def _load(root: Path) -> list[Entry]:
    try:
        return load_entries(root)
    except FormatError as error:
        raise click.UsageError(str(error)) from error


def _select(root: Path, patterns: tuple[str, ...]) -> list[Entry]:
    entries = _load(root)
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(entry.name, pattern) for entry in entries):
            raise click.UsageError(f"no case matches {pattern!r}")
    return [e for e in entries if not patterns or any(fnmatch.fnmatchcase(e.name, pattern) for pattern in patterns)]


def _row(entry: Entry) -> dict[str, str]:
    recording = entry.about.recording
    recorded = f"{recording.runtime} {recording.version}: {recording.outcome}" if recording else "not recorded"
    recorded += " (as layout 0, turned)" if recording and recording.transposed else ""
    refuse = REASONS.get(entry.about.refuse, entry.about.refuse)
    return {"name": entry.name, "why": entry.about.why, "refuse": refuse, "recorded": recorded}


def _words(pair: Pair) -> str:
    return " with ".join(f"{factor} {value}" for factor, value in pair)


def _print_rows(rows: Iterable[dict[str, str]], columns: tuple[str, ...], form: str) -> None:
    rows = list(rows)
    if form == "json":
        click.echo(json.dumps(rows, indent=2))
    elif form == "markdown":
        click.echo("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
        for row in rows:
            click.echo("| " + " | ".join(row[column].replace("|", "\\|") for column in columns) + " |")
    else:
        table = Table(Column(columns[0], no_wrap=True, overflow="ignore"), *columns[1:])
        for row in rows:
            table.add_row(*(row[column] for column in columns))
        Console().print(table)
