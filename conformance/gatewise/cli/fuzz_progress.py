"""How a fuzz run shows that it lives: a bar on a terminal, a line now and then elsewhere."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from gatewise.fuzz.campaign import Plan, Totals
from gatewise.fuzz.fault import Fault

_PLAIN_SECONDS = 10.0
"""Without a terminal, one line in so many seconds."""


class FuzzProgress:
    """Shows rate, faults and coverage as a run goes on, and each fault when it is found."""

    def __init__(self, console: Console, plan: Plan) -> None:
        self._console = console
        self._plan = plan
        self._told: set[Fault] = set()
        self._next = _PLAIN_SECONDS
        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._task = self._bar.add_task("starting", total=1.0)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def show(self, totals: Totals) -> None:
        """Shows the totals."""
        for fault in totals.finds.keys() - self._told:
            self._told.add(fault)
            self._console.print(f"found: {fault}", highlight=False, markup=False)
        line = _line(totals)
        self._bar.update(self._task, completed=self._share(totals), description=line)
        if not self._console.is_terminal and totals.seconds >= self._next:
            self._next = totals.seconds + _PLAIN_SECONDS
            self._console.print(line, highlight=False, markup=False)

    def _share(self, totals: Totals) -> float:
        shares = [
            totals.seconds / self._plan.seconds if self._plan.seconds else 0.0,
            totals.cases / self._plan.examples if self._plan.examples else 0.0,
        ]
        return min(1.0, max(shares))


def _line(totals: Totals) -> str:
    shrinking = f", shrinking {totals.shrinking}" if totals.shrinking else ""
    return (
        f"{totals.cases} cases, {totals.rate:.0f} per second, {len(totals.finds)} faults{shrinking}, "
        f"{totals.pairs.reached / totals.pairs.feasible:.0%} of pairs, "
        f"{totals.triples.reached / totals.triples.feasible:.0%} of triples"
    )
