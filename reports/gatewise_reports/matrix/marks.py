"""The verdicts in few kinds, each with a sign: what a cell of the matrix counts."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType

from gatewise_reports.record import Result, Verdict

UNEXPECTED = "*"
"""Stands behind the number of failures of which no list of known failures tells."""


@dataclass(frozen=True)
class Mark:
    """A kind of verdicts.

    Attributes:
        name: one word or two.
        sign: one character, so that no colour is needed to tell it.
        says: what it means for a case.
        verdicts: the verdicts of this kind.
    """

    name: str
    sign: str
    says: str
    verdicts: tuple[Verdict, ...]

    @property
    def slug(self) -> str:
        """The name as one word."""
        return self.name.replace(" ", "-")


RIGHT = Mark("right", "✓", "right values, or an invalid case refused", ("pass", "refused"))
UNSUPPORTED = Mark("unsupported", "\N{EN DASH}", "a valid case was refused", ("unsupported",))
NOT_JUDGED = Mark("not judged", "?", "nothing could be compared", ("not judged",))
MARKS = (
    RIGHT,
    Mark("deviates", "≈", "differs where the specification is silent", ("deviates",)),
    Mark("wrong", "✗", "breaks the specification", ("wrong", "other bits", "differs")),
    Mark("accepted", "∈", "an invalid case ran", ("accepted",)),
    UNSUPPORTED,
    Mark("raised", "^", "an error that is no clean refusal", ("raised",)),
    Mark("crashed", "!", "the process ended, or gave no answer in time", ("crashed", "timed out")),
    NOT_JUDGED,
)
"""In the order in which a cell tells them."""
FAILING = tuple(mark for mark in MARKS if mark not in (RIGHT, NOT_JUDGED))
_OF = MappingProxyType({verdict: mark for mark in MARKS for verdict in mark.verdicts})


def mark_of(verdict: Verdict) -> Mark:
    """The kind of a verdict."""
    return _OF[verdict]


STATES = MappingProxyType(
    {
        "all": "all right",
        "part": "right but for what is unsupported",
        "most": "at least half right",
        "few": "less than half right",
        "none": "none right",
        "refused": "all unsupported",
    }
)
"""How much of a cell is right; what is unsupported is counted in neither half."""


@dataclass(frozen=True)
class Count:
    """How many results of one kind, and how many of them nobody expected."""

    mark: Mark
    number: int
    unexpected: int

    @property
    def told(self) -> str:
        """As in "✗ 12", "✗ 12 (3*)" or, where none was expected, "✗ 12*"."""
        if not self.unexpected:
            return f"{self.mark.sign} {self.number}"
        star = UNEXPECTED if self.unexpected == self.number else f" ({self.unexpected}{UNEXPECTED})"
        return f"{self.mark.sign} {self.number}{star}"


@dataclass(frozen=True)
class Tally:
    """The results of a cell: the kinds that occur, in the order of ``MARKS``."""

    counts: tuple[Count, ...]

    @property
    def total(self) -> int:
        """Number of results."""
        return sum(count.number for count in self.counts)

    def number(self, mark: Mark) -> int:
        """How many are of one kind."""
        return sum(count.number for count in self.counts if count.mark is mark)

    @property
    def judged(self) -> int:
        """How many results say something."""
        return self.total - self.number(NOT_JUDGED)

    @property
    def state(self) -> str:
        """How much of what was judged is right, in one word of ``STATES``; "nothing" where nothing was judged."""
        right, ran = self.number(RIGHT), self.judged - self.number(UNSUPPORTED)
        if not self.judged:
            return "nothing"
        if not ran:
            return "refused"
        if right == ran:
            return "all" if ran == self.judged else "part"
        return "most" if 2 * right >= ran else "few" if right else "none"

    @property
    def told(self) -> str:
        """The counts, side by side."""
        return "  ".join(count.told for count in self.counts)


def tally(results: Iterable[Result]) -> Tally:
    """Counts results by kind."""
    numbers = Counter[str]()
    unexpected = Counter[str]()
    for result in results:
        name = mark_of(result.verdict).name
        numbers[name] += 1
        unexpected[name] += result.finding
    return Tally(
        tuple(Count(mark, numbers[mark.name], unexpected[mark.name]) for mark in MARKS if numbers[mark.name])
    )
