"""``gatewise gate``: the corpus and fresh cases, judged."""

import sys
from pathlib import Path

import click

from gatewise.cli import options as opt
from gatewise.cli.errors import UsageOrSetupError, told_in_a_sentence
from gatewise.cli.running import gate_options, path_for, run_and_report
from gatewise.jobs import corpus_jobs, fresh_jobs, select


@click.command()
@click.option(
    "-i",
    "--implementation",
    "specs",
    multiple=True,
    default=("reference",),
    show_default=True,
    metavar="SPEC",
    help="An implementation; may be repeated.",
)
@opt.cases
@opt.only
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    default=100,
    show_default=True,
    metavar="N",
    help="Freshly generated cases beside those of the corpus.",
)
@opt.seed
@click.option("--fail-fast", is_flag=True, help="Stop at the first finding.")
@opt.known_failures
@opt.no_shipped_list
@opt.report
@opt.junit
@opt.workers
@opt.time_limit
def gate(
    *,  # click passes options by name
    specs: tuple[str, ...],
    cases: Path | None,
    only: str,
    examples: int,
    seed: int,
    fail_fast: bool,
    known_failures: tuple[Path, ...],
    no_shipped_list: bool,
    report: Path | None,
    junit: Path | None,
    workers: int,
    time_limit: float,
) -> None:
    """Judge the corpus and freshly generated cases; exit code 1 if anything is not as expected.

    The recorded outputs of ONNX Runtime that stand with the cases are judged as well. With several implementations
    each gets report files of its own, with its SPEC before the suffix.

    \b
    Examples:
      gatewise gate -i onnxruntime --report report.jsonl
      gatewise gate -i reference --only 'lstm/*' --examples 1000 --seed 7 --workers 2
    """
    with told_in_a_sentence():
        jobs = select([*corpus_jobs(cases), *fresh_jobs(examples, seed)], only)
        if not jobs:
            raise UsageOrSetupError(f"there is no case{f' that matches {only!r}' if only else ''}")
        findings = 0
        for spec in specs:
            options = gate_options(
                spec,
                cases,
                only,
                examples,
                known_failures,
                workers=workers,
                time_limit=time_limit,
                use_shipped=not no_shipped_list,
                fail_fast=fail_fast,
                seed=seed,
            )
            run = run_and_report(jobs, options, path_for(report, spec, specs), path_for(junit, spec, specs))
            findings += len(run.findings) + len(run.stale)
    sys.exit(1 if findings else 0)
