"""How a fuzz run shows that it lives: a bar on a terminal, a line now and then elsewhere."""

from rich.console import Console

from gatewise.cli.progress import BarProgress
from gatewise.fuzz.campaign import Plan, Totals
from gatewise.fuzz.fault import Fault, told
from gatewise_reports.words import counted

_PLAIN_SECONDS = 10.0
"""Without a terminal, one line in so many seconds."""


class FuzzProgress(BarProgress):
    """Shows rate, faults and coverage as a run goes on, and each fault when it is found."""

    def __init__(self, console: Console, plan: Plan) -> None:
        super().__init__(console)
        self._plan = plan
        self._told: set[Fault] = set()
        self._next = _PLAIN_SECONDS
        self._task = self._bar.add_task("starting", total=1.0)

    def show(self, totals: Totals) -> None:
        """Shows the totals."""
        for fault in totals.finds.keys() - self._told:
            self._told.add(fault)
            self._say(f"found: {told(fault, totals.finds[fault].result)}")
        line = _line(totals)
        self._bar.update(self._task, completed=self._share(totals), description=line)
        if not self._console.is_terminal and totals.seconds >= self._next:
            self._next = totals.seconds + _PLAIN_SECONDS
            self._say(line)

    def _share(self, totals: Totals) -> float:
        shares = [
            totals.seconds / self._plan.seconds if self._plan.seconds else 0.0,
            totals.cases / self._plan.examples if self._plan.examples else 0.0,
        ]
        return min(1.0, max(shares))


def _line(totals: Totals) -> str:
    shrinking = f", shrinking {totals.shrinking}" if totals.shrinking else ""
    return (
        f"{counted(totals.cases, 'case')}, {totals.rate:.0f} per second, "
        f"{counted(len(totals.finds), 'fault')}{shrinking}, "
        f"{totals.pairs.reached / totals.pairs.feasible:.0%} of pairs, "
        f"{totals.triples.reached / totals.triples.feasible:.0%} of triples"
    )
