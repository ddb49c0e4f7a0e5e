"""How a long run shows that it lives: a bar on a terminal, plain lines elsewhere."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn

from gatewise_reports.record import Result
from gatewise_reports.words import counted

PLAIN_STEP = 200
"""Without a terminal, one line for so many cases."""


def make_bar(console: Console, *columns: ProgressColumn) -> Progress:
    """A bar with ``columns`` beside it, which is seen on a terminal only."""
    shown = (TextColumn("{task.description}"), BarColumn(), *columns, TimeElapsedColumn())
    return Progress(*shown, console=console, transient=True, disable=not console.is_terminal)


class BarProgress:
    """A context manager that shows a bar."""

    def __init__(self, console: Console, *columns: ProgressColumn) -> None:
        self._console = console
        self._bar = make_bar(console, *columns)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def _say(self, line: str) -> None:
        self._console.print(line, highlight=False, markup=False)


class CaseProgress(BarProgress):
    """Counts cases."""

    def __init__(self, console: Console, title: str, total: int) -> None:
        super().__init__(console, MofNCompleteColumn())
        self._title = title
        self._total = total
        self._done = 0
        self._task = self._bar.add_task(title, total=total)

    def advance(self) -> None:
        """Counts one more case."""
        self._done += 1
        self._bar.update(self._task, advance=1, description=self._told())
        if not self._console.is_terminal and self._done % PLAIN_STEP == 0:
            self._say(f"{self._told()}: {self._done} of {self._total}")

    def _told(self) -> str:
        return self._title


class RunProgress(CaseProgress):
    """Counts cases and findings."""

    def __init__(self, console: Console, title: str, total: int) -> None:
        super().__init__(console, title, total)
        self._findings = 0

    def add(self, result: Result) -> None:
        """Takes in a result; one with a subject belongs to the case before it."""
        self._findings += result.finding
        if not result.subject:
            self.advance()

    def _told(self) -> str:
        return f"{self._title}, {counted(self._findings, 'finding')}" if self._findings else self._title
