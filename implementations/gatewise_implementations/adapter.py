"""What every implementation under test offers, and how it says no."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from gatewise_corpus.case import Case
from gatewise_corpus.outcome import Ran


@dataclass(frozen=True)
class Description:
    """What ran: its name, the versions of its parts, the settings it ran with.

    ``activation_errors`` are the absolute errors that the implementation states for its activation functions, in
    units of 2^-24, keyed "Sigmoid" or, where they differ by operator, "LSTM.Sigmoid". ``decisions`` are the ids
    (D01 ...) on which it declares to differ.
    """

    name: str
    versions: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    activation_errors: Mapping[str, float] = field(default_factory=dict)
    decisions: tuple[str, ...] = ()


class RefusalError(Exception):
    """A clean refusal of one case: ``kind`` is "invalid", "unsupported" or "", ``reason`` an id or ""."""

    def __init__(self, message: str, kind: str = "", reason: str = "") -> None:
        self.kind = kind
        self.reason = reason
        super().__init__(message)


class Adapter(Protocol):
    """One implementation, made once in its worker process and asked for many cases."""

    def describe(self) -> Description:
        """What runs here."""

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if the implementation says that it cannot run the case.
        """
