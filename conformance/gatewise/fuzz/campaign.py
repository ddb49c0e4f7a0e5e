"""A run of the fuzzer: rounds are dealt out, finds come back, are kept at once and then shrunk."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from gatewise.fuzz.dealer import Deals, Players
from gatewise.fuzz.fault import Fault, fault_of
from gatewise.fuzz.finds import Finds
from gatewise.fuzz.round import SHRINK_SECONDS, Find, Played, Round
from gatewise_corpus.operators import OPERATORS
from gatewise_corpus.reach import Reach
from gatewise_implementations.adapter import SetupError
from gatewise_reports.record import Result

Work = partial[Any]
_WAIT_SECONDS = 0.5
_GRACE_SECONDS = 60.0
"""Time after the end in which lost work may still come back."""
_DEATHS = 3
"""So often may processes die in a row, without finishing anything, until the run gives up."""


@dataclass(frozen=True)
class Plan:
    """How long to run, and from which seed.

    Attributes:
        seed: of all cases.
        examples: how many cases, or None.
        seconds: how long to deal, or None.
        operators: which operators to draw.
        cases: cases of one round.
    """

    seed: int
    examples: int | None = None
    seconds: float | None = None
    operators: Sequence[str] = tuple(OPERATORS)
    cases: int = 100

    def rounds(self) -> Iterator[Round]:
        """The rounds in their order; without a number of cases they do not end."""
        number, left = 0, self.examples
        while left is None or left > 0:
            yield Round(self.seed, number, min(self.cases, left or self.cases), operators=self.operators)
            number, left = number + 1, None if left is None else left - self.cases


@dataclass
class Totals:
    """What has come of a run so far.

    Attributes:
        seed: of the run.
        verdicts: how often each verdict came up; "known" counts known failures.
        operators: how many cases each operator had.
        faults: how many cases showed each fault.
        finds: a case of each fault; shrunk when that is done.
        remembered: faults that earlier runs found and that show still.
        gone: the names of finds of earlier runs that do not show any more.
        pairs, triples: the option values that valid cases reached together.
        largest: the largest error over bound of a case that passed.
        seconds: time since the start.
        redealt: rounds and shrinks that were dealt again, since a process died.
        shrinking: finds that are being shrunk.
    """

    seed: int
    verdicts: Counter[str] = field(default_factory=Counter)
    operators: Counter[str] = field(default_factory=Counter)
    faults: Counter[Fault] = field(default_factory=Counter)
    finds: dict[Fault, Find] = field(default_factory=dict)
    remembered: set[Fault] = field(default_factory=set)
    gone: list[str] = field(default_factory=list)
    pairs: Reach = field(default_factory=lambda: Reach(2))
    triples: Reach = field(default_factory=lambda: Reach(3))
    largest: float = 0.0
    seconds: float = 0.0
    redealt: int = 0
    shrinking: int = 0

    @property
    def cases(self) -> int:
        """How many cases were judged."""
        return self.verdicts.total()

    @property
    def rate(self) -> float:
        """Judged cases per second."""
        return self.cases / self.seconds if self.seconds else 0.0

    def add(self, played: Played) -> list[Find]:
        """Takes in a round; the finds of faults that are new. Several in one case are not: each shows by itself."""
        self.verdicts += played.verdicts
        self.operators += played.operators
        self.largest = max(self.largest, played.largest)
        for row in played.rows:
            self.pairs.add(row)
            self.triples.add(row)
        known = self.finds.keys() | self.remembered
        new = []
        for fault, count in played.faults.items():
            is_several = len(fault.parts) > 1 and (known | played.faults.keys()).issuperset(fault.parts)
            told = fault.parts[0] if is_several and fault not in known else fault
            self.faults[told] += count
            if told == fault and fault not in known:
                new.append(played.finds[fault])
        self.finds |= {find.fault: find for find in new}
        return new


class Campaign:
    """One run. ``events`` drives it: whoever iterates sees the totals grow, and may stop at any time."""

    def __init__(self, deals: Deals, plan: Plan, players: Players, finds: Finds | None = None) -> None:
        self.totals = Totals(plan.seed)
        self._deals, self._plan, self._players, self._finds = deals, plan, players, finds
        self._rounds = plan.rounds()
        self._pending: dict[Future[Any], Work] = {}
        self._deaths = 0
        self._is_stopped = False

    def events(self) -> Iterator[Totals]:
        """Runs; yields the totals whenever something has come in, and twice a second.

        Raises:
            SetupError: if the implementation cannot be started, or processes die without finishing anything.
            FormatError: if a case of an earlier run cannot be read.
        """
        self.circumstances = self._players.submit(self._deals.describe).result()
        started = time.perf_counter()
        for name, case in self._finds.remembered() if self._finds else ():
            self._remember(name, self._players.submit(self._deals.judge, case).result())
        while True:
            self._deal(time.perf_counter() - started)
            if not self._pending:
                break
            done, _ = wait(self._pending, _WAIT_SECONDS, FIRST_COMPLETED)
            self._take([(future, self._pending.pop(future)) for future in done])
            self.totals.seconds = time.perf_counter() - started
            yield self.totals
            if self._plan.seconds and self.totals.seconds > self._plan.seconds + SHRINK_SECONDS + _GRACE_SECONDS:
                break

    def stop(self) -> None:
        """Takes in the rounds that are being played, and no others; what they find is not shrunk."""
        self._is_stopped = True
        running = [future for future in self._pending if not future.cancel()]
        for future in running:
            work = self._pending.pop(future)
            self._take([(future, work)])
        self._pending.clear()

    def _remember(self, name: str, result: Result) -> None:
        if result.finding:
            self.totals.remembered.add(fault_of(result))
        else:
            self.totals.gone.append(name)

    def _deal(self, seconds: float) -> None:
        """Deals rounds until every lane has enough to do or the run is over."""
        left = (self._plan.seconds or float("inf")) - seconds
        while left > 0 and len(self._pending) < self._players.lanes:
            round_ = next(self._rounds, None)
            if round_ is None:
                return
            self._submit(partial(self._deals.play, replace(round_, seconds=left)))

    def _submit(self, work: Work) -> None:
        try:
            self._pending[self._players.submit(work.func, *work.args)] = work
        except BrokenExecutor:
            self._deal_again([work])

    def _take(self, done: list[tuple[Future[Any], Work]]) -> None:
        lost = []
        for future, work in done:
            try:
                self._take_one(future.result())
                self._deaths = 0
            except BrokenExecutor:
                lost.append(work)
        if lost and not self._is_stopped:
            self._deal_again(lost)

    def _deal_again(self, lost: list[Work]) -> None:
        """A process died, and with it the whole pool: what was not finished is dealt again."""
        self._deaths += 1
        if self._deaths > _DEATHS:
            raise SetupError(f"processes died {self._deaths} times in a row")
        lost += self._pending.values()
        self._pending.clear()
        self._players.renew()
        for work in lost:
            self._submit(work)
        self.totals.redealt += len(lost)

    def _take_one(self, outcome: object) -> None:
        if isinstance(outcome, Played):
            new = self.totals.add(outcome)
            if self._finds:  # the player kept the first case of each at once
                for fault in outcome.finds.keys() - self.totals.finds.keys() - self.totals.remembered:
                    self._finds.drop(fault)
            for find in new:
                self._keep(find)
                if not self._is_stopped:
                    self.totals.shrinking += 1
                    self._submit(partial(self._deals.shrink, find))
        elif isinstance(outcome, tuple):
            self._replace(*outcome)

    def _replace(self, find: Find, shrunk: Find) -> None:
        """A smaller case of a fault; where it shows the fault to be one that is known, that is all."""
        totals = self.totals
        totals.shrinking -= 1
        if shrunk.fault != find.fault:
            del totals.finds[find.fault]
            totals.faults[shrunk.fault] += totals.faults.pop(find.fault)
        if shrunk.fault not in totals.remembered and not self._has_smaller(shrunk):
            totals.finds[shrunk.fault] = shrunk
            self._keep(shrunk)
        if shrunk.fault != find.fault and self._finds:
            self._finds.drop(find.fault)

    def _has_smaller(self, find: Find) -> bool:
        other = self.totals.finds.get(find.fault)
        return other is not None and other.is_shrunk

    def _keep(self, find: Find) -> None:
        if self._finds:
            self._finds.keep(find, self.circumstances)
