"""What tells one fault from another: how it shows, what explains it, and where."""

import hashlib
import re
from dataclasses import dataclass, replace

from gatewise_reports.record import Place, Result, Verdict

_VARIES = re.compile(r"0x[0-9a-fA-F]+|\d+(\.\d+)?")
"""Numbers and addresses in a message, which differ from case to case."""
_AND = " and "
_MESSAGE = 100
_WORDS = 48


@dataclass(frozen=True, order=True)
class Fault:
    """One fault of an implementation, however many cases show it.

    Attributes:
        operator: on which it shows.
        verdict: as what it shows.
        what: the ids of the readings that explain it; else the decision or promise with the kind of place; else the
            message without its numbers.
    """

    operator: str
    verdict: Verdict
    what: str

    def __str__(self) -> str:
        """For people."""
        return f"{self.operator} {self.verdict}: {self.what}"

    @property
    def parts(self) -> tuple["Fault", ...]:
        """The faults of the readings that explain it together; itself alone where one does, or none."""
        return tuple(Fault(self.operator, self.verdict, part) for part in self.what.split(_AND))

    @property
    def name(self) -> str:
        """The name of its case in a store: the operator and a few words, unique."""
        words = re.sub(r"[^a-z0-9]+", "-", f"{self.verdict} {self.what}".lower())[:_WORDS].strip("-")
        unique = hashlib.sha256(repr(self).encode()).hexdigest()[:6]
        return f"{self.operator.lower()}/{words}-{unique}"


def fault_of(result: Result) -> Fault:
    """The fault that a finding shows."""
    operator = result.line.partition("-")[0]
    if result.explanation:
        return Fault(operator, result.verdict, _AND.join(each.id for each in result.explanation))
    if result.place is not None:
        return Fault(operator, result.verdict, f"{result.clause} {_kind_of_place(result.place)}".strip())
    return Fault(operator, result.verdict, _masked(_message(result)))


def told(fault: Fault, result: Result) -> str:
    """The fault for people, with the numbers of the message of ``result``, which shows it."""
    message = _message(result)
    return str(replace(fault, what=message[:_MESSAGE]) if fault.what == _masked(message) else fault)


def _message(result: Result) -> str:
    return f"{result.clause} {result.message}".strip()


def _masked(message: str) -> str:
    return _VARIES.sub("#", message)[:_MESSAGE]


def _kind_of_place(place: Place) -> str:
    """The output, whether it lies past the row's length, and what stands there: NaN, an infinity or a number."""
    value = place.value.removeprefix("-") if isinstance(place.value, str) else "number"
    beyond = " past the length" if place.past_length else ""
    return f"{value} in {place.output}{beyond}"
