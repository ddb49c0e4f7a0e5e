"""``gatewise run``: one case, run and not judged."""

import sys
from pathlib import Path

import click

from gatewise.cli import options as opt
from gatewise.cli.errors import UsageOrSetupError, told_in_a_sentence
from gatewise.judge import Judge
from gatewise.path_jobs import load_path, output_order
from gatewise_corpus.onnx_folder import write_tensors
from gatewise_corpus.outcome import Ran
from gatewise_implementations.process import Worker


@click.command()
@click.argument("path", type=opt.ExistingPath)
@opt.implementation
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder for output_N.pb."
)
@opt.seed
@opt.time_limit
def run(*, path: Path, spec: str, output: Path, seed: int, time_limit: float) -> None:
    """Run one case and write its outputs as output_N.pb; exit code 1 if it did not run.

    Any output_N.pb that stands in the folder already is removed first.

    PATH is a folder in the ONNX backend test format or an .onnx model of one node, whose inputs are then drawn.

    \b
    Examples:
      gatewise run ./my-case -i reference -o ./outputs
      gatewise run model.onnx -i onnxruntime -o ./outputs --seed 3
    """
    for stale in output.glob("output_*.pb"):
        stale.unlink()
    with told_in_a_sentence():
        case, order = load_path(path, seed), output_order(path)
        with Worker(spec, time_limit) as worker:
            outcome = worker.run(case)
            description = worker.describe()
    if not isinstance(outcome, Ran):
        judgement = Judge(description)(case, outcome)
        click.echo(f"{path}: {judgement.verdict}: {judgement.message}", err=True)
        sys.exit(1)
    outputs = {name: outcome.outputs[name] for name in order}
    try:
        output.mkdir(parents=True, exist_ok=True)
        write_tensors(output, "output", outputs)
    except OSError as error:
        raise UsageOrSetupError(f"{output}: cannot be written ({error.strerror})") from error
    for index, (name, array) in enumerate(outputs.items()):
        click.echo(f"output_{index}.pb: {name} {array.dtype}{list(array.shape)}")
