"""What every implementation under test offers, and how it says no."""

from typing import Protocol

from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.outcome import Ran

__all__ = ["Adapter", "CrashError", "Description", "RefusalError", "SetupError"]


class RefusalError(Exception):
    """A clean refusal of one case: ``kind`` is "invalid", "unsupported" or "", ``reason`` an id or "".

    The message is kept in one line, whatever line breaks a runtime puts into it.
    """

    def __init__(self, message: str, kind: str = "", reason: str = "") -> None:
        self.kind = kind
        self.reason = reason
        super().__init__(" ".join(message.split()))


class CrashError(Exception):
    """A program that the adapter started for this case died: by which signal or exit code, and its last words."""

    def __init__(self, how: str, stderr: str = "") -> None:
        self.how = how
        self.stderr = stderr
        super().__init__(how)


class SetupError(Exception):
    """An implementation that cannot be named, found or started; the message is one sentence."""


class Adapter(Protocol):
    """One implementation, made once in its worker process and asked for many cases."""

    def describe(self) -> Description:
        """What runs here."""

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``, all that it requests and no others.

        Raises:
            RefusalError: if the implementation says that it cannot run the case.
            CrashError: if the case killed a program that the adapter started for it.
        """
