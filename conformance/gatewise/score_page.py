"""The page docs/score.md: ``python -m gatewise.score_page FILE`` measures the mutation score and writes it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.progress import track

from gatewise.diagnose import READINGS
from gatewise.onnx_tests import node_tests, noticing_tests
from gatewise.score import Row, corpus_subjects, failing, in_worker, score, smallest_corpus
from gatewise_corpus.operators import OPERATORS
from gatewise_oracle.decisions import DECISIONS
from gatewise_oracle.misreadings import SUBJECTS
from gatewise_oracle.readings import Reading

_INTRODUCTION = """# The mutation score

Made by `make score`; do not edit. Every misreading of [misreadings.md](misreadings.md) is run as an implementation,
through the same protocol as any other, on every case of the corpus that it can touch, and judged. A cell `12/30` says
that 12 of 30 such cases notice it. The column *ONNX* says how many of the node tests that come with ONNX do, with the
tolerances of ONNX's own runner.
"""
_DECISIONS = """## Other readings of open points

The specification is silent here; an implementation with such a reading *deviates* on the decision. What changes no
value beyond the error that is allowed for an activation function (docs/model.md) cannot be noticed.
"""


def render(rows: Sequence[Row], cases: int, smallest: Sequence[str]) -> str:
    """The page.

    Args:
        rows: what was measured, of misreadings and of readings of open points.
        cases: number of cases of the corpus.
        smallest: cases which together notice all that is noticed.
    """
    parts = [_INTRODUCTION, *_summary(rows, cases, smallest)]
    for subject, readings in SUBJECTS.items():
        parts += [f"## {subject[0].upper()}{subject[1:]}\n", _table(readings, rows)]
    equivalent = [
        f"* `{reading.name}` on {operator}: {why}."
        for readings in SUBJECTS.values()
        for reading in readings
        for operator, why in reading.equivalent.items()
    ]
    parts += ["## Equivalent by proof\n", "\n".join(equivalent) + "\n"]
    parts += [_DECISIONS, _table(DECISIONS, rows)]
    return "\n".join(parts)


def _summary(rows: Sequence[Row], cases: int, smallest: Sequence[str]) -> Iterator[str]:
    own = [row for row in rows if not row.reading.decision]
    noticed = sum(bool(row.noticed) for row in own)
    by_onnx = sum(bool(noticing_tests(row.reading, row.operator)) for row in own)
    names = {row.reading.name for row in own}
    tests = len(node_tests())
    yield (
        f"| misreadings on the operators that they can touch | {len(own)} |\n|---|---|\n"
        f"| noticed by the corpus, {cases} cases | {noticed} |\n"
        f"| noticed by ONNX's own {tests} node tests | {by_onnx} |\n"
    )
    yield (
        f"There are {len(names)} misreadings. {len(smallest)} cases notice as much as all {cases} do. The others\n"
        "exist for what no misreading here shows, such as equal bits on every kernel path, pairs of options, and\n"
        "recorded runtimes; each says why in its `case.toml`.\n"
    )


def _table(readings: Sequence[Reading], rows: Sequence[Row]) -> str:
    by_key = {(row.reading.name, row.operator): row for row in rows}
    lines = [f"| misreading | {' | '.join(OPERATORS)} | ONNX |", "|---|---|---|---|---|"]
    for reading in readings:
        cells = [_cell(by_key.get((reading.name, operator))) for operator in OPERATORS]
        tests = [name for operator in reading.operators for name in noticing_tests(reading, operator)]
        lines.append(f"| {reading.name} | {' | '.join(cells)} | {len(tests) or ''} |")
    return "\n".join(lines) + "\n"


def _cell(row: Row | None) -> str:
    return "" if row is None or not row.touched else f"{len(row.noticed)}/{len(row.touched)}"


@click.command()
@click.argument("page", type=click.Path(path_type=Path, dir_okay=False))
def main(page: Path) -> None:
    """Measure the mutation score and write PAGE; exit code 1 if a misreading is not noticed."""
    cases = corpus_subjects()
    wrong = failing(cases)
    if wrong:
        raise click.ClickException(f"the model itself does not pass {', '.join(wrong)}")
    measured = track(score(READINGS, cases, in_worker), "misreadings", total=len(READINGS), transient=True)
    rows = [row for rows in measured for row in rows]
    page.write_text(render(rows, len(cases), smallest_corpus(rows)), encoding="utf-8")
    own = [row for row in rows if not row.reading.decision]
    missed = [f"{row.reading.name} ({row.operator})" for row in own if not row.noticed]
    click.echo(f"{len(own)} pairs of a misreading and an operator; {len(missed)} not noticed")
    if missed:
        click.echo("\n".join(missed))
        raise SystemExit(1)


if __name__ == "__main__":
    main()
