"""``gatewise fuzz``: differential fuzzing."""

import resource
import secrets
import shlex
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape

from gatewise.cli import options as opt
from gatewise.cli.errors import told_in_a_sentence
from gatewise.cli.fuzz_progress import FuzzProgress
from gatewise.fuzz.bench import Subject
from gatewise.fuzz.campaign import Campaign, Plan, Totals
from gatewise.fuzz.dealer import Deals, Players, cluster_players, local_players
from gatewise.fuzz.fault import told
from gatewise.fuzz.finds import Finds
from gatewise_corpus.operators import OPERATORS
from gatewise_reports.failure import failure_lines
from gatewise_reports.words import counted

_SECONDS = 60.0


@click.command()
@opt.implementation
@click.option("--against", default="", metavar="SPEC", help="Compare with this implementation instead of the model.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    callback=opt.finite,
    metavar="S",
    help=f"Stop after so many seconds; {_SECONDS:g} where neither this nor --examples is given.",
)
@click.option("--examples", type=click.IntRange(min=1), metavar="N", help="Stop after so many cases.")
@click.option(
    "--seed", type=click.IntRange(0, opt.SEEDS - 1), metavar="S", help="Seed of the cases; by default a fresh one."
)
@click.option(
    "--operator", "operators", type=click.Choice(tuple(OPERATORS)), multiple=True, help="Only this; may be repeated."
)
@click.option("--scheduler", metavar="ADDRESS", help="Spread the run over the Dask cluster of a scheduler.")
@click.option(
    "--save", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Keep and remember what is found."
)
@opt.known_failures
@click.option("--no-shipped-list", is_flag=True, help="Do without the list of known failures that gatewise brings.")
@opt.workers
@opt.time_limit
def fuzz(
    *,  # click passes options by name
    spec: str,
    against: str,
    seconds: float | None,
    examples: int | None,
    seed: int | None,
    operators: tuple[str, ...],
    scheduler: str | None,
    save: Path | None,
    known_failures: tuple[Path, ...],
    no_shipped_list: bool,
    workers: int,
    time_limit: float,
) -> None:
    """Fuzz an implementation with generated cases; exit code 1 if it has faults that are not known.

    Each fault is told once, by the smallest case that shows it. With --save DIR the cases are kept, each with a
    script and the text of an issue, and the next run with the same folder begins with them.

    \b
    Examples:
      gatewise fuzz -i onnxruntime --seconds 600 --workers 2 --save ./found
      gatewise fuzz -i reference:scalar --against reference:avx2,threads=3 --examples 5000 --seed 7
    """
    plan = Plan(
        secrets.randbelow(opt.SEEDS) if seed is None else seed,
        examples,
        _SECONDS if seconds is None and examples is None else seconds,
        operators or tuple(OPERATORS),
    )
    subject = Subject(spec, against, time_limit, known_failures, not no_shipped_list)
    finds = Finds(save) if save else None
    console = Console(soft_wrap=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with told_in_a_sentence(), _players(scheduler, workers) as players:
        if finds:
            finds.open()
        console.print(f"seed {plan.seed}", highlight=False)
        campaign = Campaign(Deals(subject, None if scheduler else finds), plan, players, finds)
        interrupted = _run(campaign, console, plan)
    totals = campaign.totals
    _print_faults(totals, console, finds)
    for line in _summary(totals, None if scheduler else _cpu_seconds()):
        console.print(line, highlight=False, markup=False)
    if interrupted:
        raise click.Abort
    sys.exit(1 if totals.finds or totals.remembered else 0)


@contextmanager
def _players(scheduler: str | None, workers: int) -> Iterator[Players]:
    with local_players(workers) if scheduler is None else cluster_players(scheduler) as players:
        yield players


def _run(campaign: Campaign, console: Console, plan: Plan) -> bool:
    """Whether the run was interrupted; what it found by then is kept."""
    with FuzzProgress(console, plan) as progress:
        try:
            for totals in campaign.events():
                progress.show(totals)
        except KeyboardInterrupt:
            campaign.stop()
            return True
    return False


def _print_faults(totals: Totals, console: Console, finds: Finds | None) -> None:
    for fault in sorted(totals.finds):
        find = totals.finds[fault]
        count = totals.faults[fault]
        state = "" if find.is_shrunk else ", not shrunk"
        heading = f"{told(fault, find.result)} ({count} case{'s' if count > 1 else ''}{state})"
        lines = [f"[bold red]{escape(heading)}[/]", *map(escape, failure_lines(find.result))]
        if finds:
            lines.append(escape(f"  kept in {shlex.quote(str(finds.root / fault.name))}"))
        console.print("\n".join(lines) + "\n", highlight=False)
    for fault in sorted(totals.remembered):
        console.print(f"{fault}: found earlier, and shows still", highlight=False, markup=False)
    for name in totals.gone:
        console.print(f"{name}: found earlier, and does not show any more", highlight=False, markup=False)


def _summary(totals: Totals, cpu_seconds: float | None) -> Iterator[str]:
    yield f"{counted(totals.cases, 'case')}: {_counted(totals.verdicts)}; {_counted(totals.operators)}"
    yield (
        f"reached {totals.pairs.reached} of {totals.pairs.feasible} pairs and {totals.triples.reached} of "
        f"{totals.triples.feasible} triples of option values; largest error {totals.largest:.2f} of the bound"
    )
    per_core = f", {totals.cases / cpu_seconds:.0f} per second of processor time" if cpu_seconds else ""
    again = f"; {totals.redealt} pieces of work were dealt again" if totals.redealt else ""
    yield f"{totals.rate:.0f} cases per second in {totals.seconds:.1f} s{per_core}{again}"
    count = len(totals.finds) + len(totals.remembered)
    yield f"{counted(count, 'fault')}, seed {totals.seed}"


def _counted(counter: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counter.most_common()) or "none"


def _cpu_seconds() -> float:
    """Processor time of this process and of all that it waited for: the players and what they started."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
