"""``gatewise check``: cases from folders and models, judged."""

import shlex
import sys
from pathlib import Path

import click

from gatewise.cli import options as opt
from gatewise.cli.errors import UsageOrSetupError, told_in_a_sentence
from gatewise.cli.running import run_and_report
from gatewise.gate import GateOptions
from gatewise.path_jobs import path_jobs


@click.command()
@click.argument("paths", nargs=-1, required=True, type=opt.ExistingPath)
@opt.implementation
@opt.seed
@opt.known_failures
@opt.report
@opt.junit
@opt.workers
@opt.time_limit
def check(
    *,  # click passes options by name
    paths: tuple[Path, ...],
    spec: str,
    seed: int,
    known_failures: tuple[Path, ...],
    report: Path | None,
    junit: Path | None,
    workers: int,
    time_limit: float,
) -> None:
    """Judge cases in the ONNX backend test format and one-node models; exit code 1 if anything is not as expected.

    Each of PATHS is a folder with model.onnx and test_data_set_0, an .onnx model whose inputs are then drawn, or a
    tree in which such are looked for. Outputs that stand with a case are judged as well.

    \b
    Examples:
      gatewise check ./my-case -i onnxruntime
      gatewise check model.onnx -i backend:my_runtime.backend --seed 3
    """
    with told_in_a_sentence():
        found = path_jobs(paths, seed)
        if found.left_out:
            click.echo(f"{len(found.left_out)} models are no single RNN, GRU or LSTM node and are left out", err=True)
        for sentence in found.broken:
            click.echo(sentence, err=True)
        if not found.jobs:
            raise UsageOrSetupError(f"{', '.join(map(str, paths))}: there is no case of RNN, GRU or LSTM")
        options = GateOptions(
            spec=spec,
            workers=workers,
            time_limit=time_limit,
            known_failures=known_failures,
            use_shipped=False,
            seed=seed,
            again=shlex.join(["gatewise", "check", "-i", spec]),
            told={"paths": " ".join(map(str, paths))},
        )
        run = run_and_report(found.jobs, options, report, junit)
    for result in run.results:
        if result.verdict == "refused":
            click.echo(f"{result.case}: refused, as it may be: {result.message}")
    sys.exit(1 if run.findings or run.stale or found.broken else 0)
