"""``gatewise bench``: speed, as ratios in one run."""

import signal
import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TypeVar

import click
from rich.console import Console
from rich.progress import MofNCompleteColumn

from gatewise.bench.grid import BATCH, HIDDEN, THREADS, grid
from gatewise.bench.run import BenchOptions, run_bench
from gatewise.cli import options as opt
from gatewise.cli.errors import UsageOrSetupError, told_in_a_sentence
from gatewise.cli.files import made_folder
from gatewise.cli.progress import make_bar
from gatewise.cli.show import show_bench
from gatewise_implementations.contenders.table import CONTENDERS, ON_REQUEST, default_specs
from gatewise_implementations.reference_library import MAX_THREADS
from gatewise_reports.bench import svg
from gatewise_reports.bench.record import LAYERS, BenchHeader, Cell, Layer
from gatewise_reports.bench.report import BenchReport
from gatewise_reports.bench.tables import cell_line
from gatewise_reports.report import ReportWriter

REPORT, PLOT = "bench.jsonl", "bench.svg"
T = TypeVar("T")


def _once(_: click.Context, __: click.Parameter, values: tuple[T, ...]) -> tuple[T, ...]:
    """What is given twice is timed once."""
    return tuple(dict.fromkeys(values))


_several = partial(click.option, multiple=True, callback=_once, show_default=True)


@click.command()
@click.option(
    "--contender",
    "specs",
    multiple=True,
    callback=_once,
    metavar="SPEC",
    help=f"What to time: {', '.join(CONTENDERS)}, with options as in reference:avx2; may be repeated. "
    f"By default the reference, and the others as far as they are installed, without {', '.join(ON_REQUEST)}. "
    "The plot is in relation to the first.",
)
@_several(
    "--layer",
    "layers",
    type=click.Choice(tuple(LAYERS)),
    default=tuple(LAYERS),
    help="GRU0 and GRU1 are GRU with that linear_before_reset; may be repeated.",
)
@_several(
    "--hidden",
    type=click.IntRange(1, 2048),
    default=HIDDEN,
    metavar="H",
    help="Hidden size, which is the input size too; may be repeated.",
)
@_several(
    "--batch",
    type=click.IntRange(1, 256),
    default=BATCH,
    metavar="N",
    help="Batch size; may be repeated.",
)
@_several(
    "--threads",
    type=click.IntRange(1, MAX_THREADS),
    default=THREADS,
    metavar="N",
    help="Number of threads; may be repeated.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    metavar="N",
    help="In each round every contender is timed once, in turns.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, 3600),
    callback=opt.finite,
    default=0.25,
    show_default=True,
    help="Time for a contender with a number of threads in a cell, all rounds together.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help=f"Write {REPORT}, which gatewise show views, and {PLOT}.",
)
@opt.form
def bench(
    *,  # click passes options by name
    specs: tuple[str, ...],
    layers: tuple[Layer, ...],
    hidden: tuple[int, ...],
    batch: tuple[int, ...],
    threads: tuple[int, ...],
    rounds: int,
    seconds: float,
    output: Path | None,
    form: str,
) -> None:
    """Time the reference and other runtimes on a grid of layers, in one run; exit code 1 if a contender fails.

    A layer has 64 steps, constant weights and all outputs. Each contender's outputs are compared before it is timed;
    the shortest run counts. docs/speed.md says what is timed and how to read it.

    \b
    Examples:
      gatewise bench -o ./bench
      gatewise bench --layer LSTM --hidden 256 --batch 1 --contender reference --contender onnxruntime
    """
    with told_in_a_sentence():
        options = BenchOptions(
            specs=specs or default_specs(),
            cells=grid(layers, hidden, batch),
            threads=threads,
            rounds=rounds,
            seconds=seconds,
        )
        report = _run(options, output)
        if output:
            _write_plot(report, output / PLOT)
    show_bench(report, form)
    if report.state != "complete":
        raise click.Abort
    sys.exit(1 if report.failures else 0)


def _run(options: BenchOptions, output: Path | None) -> BenchReport:
    """Runs the bench, shows its progress on standard error, writes the report as it grows.

    Raises:
        click.Abort: after an interrupt or a request to end (SIGTERM) before anything was timed.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    console = Console(stderr=True)
    report: BenchReport | None = None
    with (
        ReportWriter(made_folder(output) / REPORT) if output else nullcontext() as writer,
        make_bar(console, MofNCompleteColumn()) as progress,
    ):
        task = progress.add_task("contenders", total=None)
        for record in run_bench(options):
            if writer:
                writer.write(record)
            if isinstance(record, BenchHeader):
                report = BenchReport(record)
                progress.update(task, total=record.cells, description="cells")
            elif report is not None:
                report.add(record)
            if isinstance(record, Cell):
                progress.advance(task)
                if not console.is_terminal:
                    console.print(cell_line(record), highlight=False, markup=False, soft_wrap=True)
    if report is None:
        raise click.Abort
    return report


def _write_plot(report: BenchReport, path: Path) -> None:
    try:
        path.write_text(svg.render(report), encoding="utf-8")
    except OSError as error:
        raise UsageOrSetupError(f"{path}: cannot be written ({error.strerror})") from error
