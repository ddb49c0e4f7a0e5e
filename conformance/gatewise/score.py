"""The mutation score: every misreading, run as an implementation, must be noticed by a case of the corpus."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

from gatewise.judge import Judge
from gatewise.mutant import Mutant
from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.layer import Layer, read_layer
from gatewise_corpus.operators import OPERATORS
from gatewise_corpus.outcome import Outcome, Ran, Refused, digest
from gatewise_corpus.refusal import RefusedError
from gatewise_corpus.store import load_entries
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.process import Worker
from gatewise_implementations.specs import Spec
from gatewise_oracle.readings import Reading

Run = Callable[[Case], Outcome]
Open = Callable[[Reading], AbstractContextManager[Run]]
_WORKERS = 2
_NOTHING_DECLARED = Description("mutant")


@dataclass(frozen=True, eq=False)
class Subject:
    """A case that mutants are run on.

    Attributes:
        name: of the case.
        case: the case.
        layer: its normal form, or None where it must be refused.
        reason: the id of the reason to refuse it, or "".
        right: what the model itself makes of it.
    """

    name: str
    case: Case
    layer: Layer | None
    reason: str
    right: Outcome

    def is_touched(self, reading: Reading) -> bool:
        """Whether the reading can change what becomes of the case."""
        if self.layer is None:
            return self.reason in reading.accepts and self.case.operator in reading.operators
        return reading.touches(self.case, self.layer)


@dataclass(frozen=True)
class Row:
    """What the corpus makes of one reading on one operator: the cases that it can touch, and those that notice it."""

    reading: Reading
    operator: str
    touched: tuple[str, ...]
    noticed: tuple[str, ...]


def in_process(reading: Reading) -> AbstractContextManager[Run]:
    """The mutant in this process."""
    return nullcontext(_running(Mutant((reading,))))


@contextmanager
def in_worker(reading: Reading) -> Iterator[Run]:
    """The mutant as any implementation under test is run: in a worker process, over the protocol."""
    command = (sys.executable, "-m", "gatewise.mutant", reading.name)
    with Worker(Spec(f"mutant:{reading.name}", command)) as worker:
        yield worker.run


def failing(cases: Iterable[Subject]) -> list[str]:
    """The cases that the model itself does not pass: none, or no mutant on it tells anything."""
    judge = Judge(_NOTHING_DECLARED, _running(Mutant()), diagnoses=False)
    return [each.name for each in cases if judge(each.case, each.right).failed]


def _running(mutant: Mutant) -> Run:
    def run(case: Case) -> Outcome:
        try:
            return mutant.run(case)
        except RefusalError as error:
            return Refused(str(error), error.kind, error.reason)

    return run


def subjects(named: Iterable[tuple[str, Case]]) -> list[Subject]:
    """The cases as subjects of mutants, by the model's own results."""
    run = _running(Mutant())
    return [Subject(name, case, *_read(case), run(case)) for name, case in named]


def corpus_subjects() -> list[Subject]:
    """The cases of the corpus."""
    return subjects((entry.name, entry.case) for entry in load_entries())


def _read(case: Case) -> tuple[Layer | None, str]:
    try:
        return read_layer(case), ""
    except RefusedError as error:
        return None, error.reason


def score(
    readings: Sequence[Reading], cases: Sequence[Subject], open_mutant: Open = in_process, *, first_only: bool = False
) -> Iterator[list[Row]]:
    """For each reading, a row for each operator that it can touch; ``first_only`` stops at the first that notices."""
    with ThreadPoolExecutor(_WORKERS) as pool:
        yield from pool.map(lambda reading: _rows(reading, cases, open_mutant, first_only), readings)


def _rows(reading: Reading, cases: Sequence[Subject], open_mutant: Open, first_only: bool) -> list[Row]:
    rows = []
    with open_mutant(reading) as run:
        judge = Judge(_NOTHING_DECLARED, run, diagnoses=False)
        for operator in (name for name in OPERATORS if name in reading.operators):
            touched = [each for each in cases if each.case.operator == operator and each.is_touched(reading)]
            noticing = (each.name for each in touched if _notices(each, run, judge))
            names = [next(noticing, "")] if first_only else list(noticing)
            rows.append(Row(reading, operator, tuple(each.name for each in touched), tuple(filter(None, names))))
    return rows


def _notices(subject: Subject, run: Run, judge: Judge) -> bool:
    """Whether the judge finds fault with the mutant; equal bits need no judge."""
    outcome, right = run(subject.case), subject.right
    if isinstance(outcome, Ran) and isinstance(right, Ran) and digest(outcome.outputs) == digest(right.outputs):
        return False
    judgement = judge(subject.case, outcome)
    # That it refuses an invalid case for another reason than the model is no proof: few systems tell their reasons.
    return judgement.verdict == "accepted" if subject.layer is None else judgement.failed


def smallest_corpus(rows: Iterable[Row]) -> list[str]:
    """Cases of which together each row is noticed by one: the greedy choice, which need not be the very smallest."""
    missing = {(row.reading.name, row.operator): set(row.noticed) for row in rows if row.noticed}
    chosen: list[str] = []
    while missing:
        counts: dict[str, int] = {}
        for names in missing.values():
            for name in names:
                counts[name] = counts.get(name, 0) + 1
        best = max(sorted(counts), key=lambda name: counts[name])
        chosen.append(best)
        missing = {key: names for key, names in missing.items() if best not in names}
    return chosen
