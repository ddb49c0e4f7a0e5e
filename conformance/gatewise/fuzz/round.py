"""A round of the fuzzer: a number of cases from one seed, drawn, run and judged in one process.

The cases depend on the seed and, where Hypothesis steers to large errors, on how the implementation answers; on
nothing else. So a round can be dealt to any process, again when that is lost, and replayed to shrink what it found.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from tempfile import TemporaryDirectory

import hypothesis
import msgspec
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.errors import HypothesisException

from gatewise.fuzz.bench import FuzzBench
from gatewise.fuzz.fault import Fault, fault_of
from gatewise.generate import cases
from gatewise_corpus.case import Case
from gatewise_corpus.operators import OPERATORS
from gatewise_corpus.reach import Row, row_of
from gatewise_reports.record import Result

_SEED_BITS = 32
_STEERED = 4
"""One round in so many is steered: half of its cases climb to larger errors, and are less different for it."""
SHRINK_SECONDS = 30.0
"""Time to shrink one case; what is smallest by then is kept."""
Observation = float | None


@dataclass(frozen=True)
class Round:
    """What is dealt.

    Attributes:
        seed: of the run.
        number: of the round, from 0 on.
        cases: how many to draw.
        seconds: time after which no further case is run.
        operators: which operators to draw.
    """

    seed: int
    number: int
    cases: int = 100
    seconds: float = math.inf
    operators: Sequence[str] = tuple(OPERATORS)

    def decorated(self, examine: Callable[[Case], None], *phases: hypothesis.Phase) -> Callable[[], None]:
        """``examine`` as a test of Hypothesis on the cases of the round, with further phases."""
        is_steered = self.number % _STEERED == _STEERED - 1
        steering = (hypothesis.Phase.target,) if is_steered else ()
        settings = hypothesis.settings(
            max_examples=self.cases,
            database=None,
            deadline=None,
            derandomize=False,
            phases=(hypothesis.Phase.generate, *steering, *phases),
            report_multiple_bugs=False,
            verbosity=hypothesis.Verbosity.quiet,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        test: Callable[[], None] = hypothesis.seed((self.number << _SEED_BITS) + self.seed)(
            settings(hypothesis.given(cases(self.operators))(examine))
        )
        return test


@dataclass(frozen=True, eq=False)
class Find:
    """A case that shows a fault.

    Attributes:
        fault: the fault.
        case: the case.
        result: what came of it.
        round: the round that drew it, or the case that it was shrunk from.
        observations: the error over bound of each case that the round drew before it, which steered Hypothesis.
        is_shrunk: whether it is as small as it gets.
    """

    fault: Fault
    case: Case
    result: Result
    round: Round
    observations: tuple[Observation, ...] = ()
    is_shrunk: bool = False


@dataclass
class Played:
    """What came of a round.

    Attributes:
        round: the round.
        verdicts: how often each verdict came up; "known" counts known failures.
        operators: how many cases each operator had.
        faults: how many cases showed each fault.
        finds: the first case of each fault.
        rows: the option values of the valid cases.
        largest: the largest error over bound of a case that passed.
        seconds: time taken.
    """

    round: Round
    verdicts: Counter[str] = field(default_factory=Counter)
    operators: Counter[str] = field(default_factory=Counter)
    faults: Counter[Fault] = field(default_factory=Counter)
    finds: dict[Fault, Find] = field(default_factory=dict)
    rows: set[Row] = field(default_factory=set)
    largest: float = 0.0
    seconds: float = 0.0

    @property
    def cases(self) -> int:
        """How many cases were judged."""
        return self.verdicts.total()


def play(bench: FuzzBench, round_: Round, keep: Callable[[Find], object] | None = None) -> Played:
    """Draws, runs and judges the cases of a round; each find is handed to ``keep`` at once."""
    played = Played(round_)
    observations: list[Observation] = []
    started = time.perf_counter()

    def examine(case: Case) -> None:
        if time.perf_counter() - started > round_.seconds:
            return
        result = bench.run(case)
        verdict = "known" if result.known else result.verdict
        played.verdicts[verdict] += 1
        played.operators[case.operator] += 1
        hypothesis.event("verdict", verdict)
        row = row_of(case) if result.verdict != "refused" else None
        if row:
            played.rows.add(row)
        if result.verdict == "pass":
            played.largest = max(played.largest, float(result.ratio))
        if result.finding:
            fault = fault_of(result)
            played.faults[fault] += 1
            if fault not in played.finds:
                played.finds[fault] = Find(fault, case, _named(result, fault), round_, tuple(observations))
                if keep:
                    keep(played.finds[fault])
        observations.append(_observed(result))
        _steer(observations[-1])

    _set_home()
    round_.decorated(examine)()
    played.seconds = time.perf_counter() - started
    return played


def shrink(bench: FuzzBench, find: Find, seconds: float = SHRINK_SECONDS) -> Find:
    """The find with the smallest case of the same fault that Hypothesis reaches in ``seconds``.

    The round is played again up to the case, without running anything, from the observations that steered it.
    """
    best = find.case
    drawn = 0
    ends = time.perf_counter() + seconds

    def examine(case: Case) -> None:
        nonlocal best, drawn
        drawn += 1
        if drawn <= len(find.observations):
            _steer(find.observations[drawn - 1])
        elif time.perf_counter() < ends and bench.shows(case, find.fault):
            best = case
            raise _ShownError

    # Past the time, and for a fault that comes and goes, Hypothesis finds the test to be flaky.
    _set_home()
    with suppress(_ShownError, HypothesisException):
        find.round.decorated(examine, hypothesis.Phase.shrink)()
    result = bench.run(best)
    if not result.finding:
        return replace(find, is_shrunk=True)
    fault = fault_of(result)
    return Find(fault, best, _named(result, fault), find.round, is_shrunk=True)


def _named(result: Result, fault: Fault) -> Result:
    return msgspec.structs.replace(result, case=fault.name)


class _ShownError(Exception):
    """The case shows the fault."""


def _observed(result: Result) -> Observation:
    """What Hypothesis is to make large: the error over the bound, of a case that passed."""
    ratio = result.ratio
    return ratio if result.verdict == "pass" and isinstance(ratio, float) and ratio > 0 else None


def _steer(observation: Observation) -> None:
    if observation is not None:
        hypothesis.target(observation, label="error over bound")


@cache
def _set_home() -> TemporaryDirectory[str]:
    """Hypothesis keeps what it learns of the caller's modules in a folder, by default in the current one."""
    home = TemporaryDirectory(prefix="gatewise-")
    set_hypothesis_home_dir(home.name)
    return home
