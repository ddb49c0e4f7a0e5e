"""What every implementation offers that can be timed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description


def _nothing() -> None:
    pass


@dataclass(frozen=True)
class Prepared:
    """A case, loaded: everything is done that can be done before a run.

    Attributes:
        run: computes the outputs once, with as little around it as the implementation allows.
        outputs: the outputs of the last run by name; the next one may overwrite them.
        enter: sets what all cases of the implementation share, such as the number of threads; called before runs
            whenever another case may have run.
        plan_bytes: memory that the loaded case holds; 0 where the implementation does not tell.
        run_bytes: memory that runs need beside it; likewise.
    """

    run: Callable[[], object]
    outputs: Callable[[], Mapping[str, Array]]
    enter: Callable[[], object] = _nothing
    plan_bytes: int = 0
    run_bytes: int = 0


class Contender(Protocol):
    """An implementation that can be timed."""

    def describe(self) -> Description:
        """What is timed, and with which settings."""

    def prepare(self, case: Case, threads: int) -> Prepared:
        """Loads ``case`` for runs by ``threads`` threads, the calling one counted; constant inputs are constants.

        Raises:
            RefusalError: if the implementation cannot run the case, or means something else by it.
        """
