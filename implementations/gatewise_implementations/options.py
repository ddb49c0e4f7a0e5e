"""The options of an adapter, as they stand after the colon of a SPEC: ``scalar,threads=3``."""

from collections.abc import Iterable

from gatewise_implementations.adapter import SetupError

LARGEST = 2**31 - 1
"""What every runtime can take for a number of something."""
_SHOWN = 20


class Options:
    """Options of the implementation ``owner``; each is taken once, and ``finish`` refuses what nobody took."""

    def __init__(self, owner: str, text: str) -> None:
        """Reads ``text``: words and ``key=value`` pairs between commas.

        Raises:
            SetupError: if an option is empty or given twice.
        """
        self._owner = owner
        self._left: dict[str, str] = {}
        self._allowed: list[str] = []
        for item in text.split(",") if text else ():
            key, _, value = item.partition("=")
            if not key or key in self._left:
                raise SetupError(f"{owner}: option {item!r} is {'given twice' if key else 'empty'}")
            self._left[key] = value

    def word(self, allowed: Iterable[str]) -> str | None:
        """The one of the ``allowed`` words that was given, or None.

        Raises:
            SetupError: if more than one was given, or one with a value.
        """
        allowed = list(allowed)
        self._allowed += allowed
        given = [word for word in allowed if word in self._left]
        if len(given) > 1:
            raise SetupError(f"{self._owner}: of the options {', '.join(given)} only one may be given")
        if given and self._left.pop(given[0]):
            raise SetupError(f"{self._owner}: option {given[0]} takes no value")
        return given[0] if given else None

    def choice(self, key: str, allowed: Iterable[str], default: str) -> str:
        """The value of ``key``.

        Raises:
            SetupError: if it is not one of ``allowed``.
        """
        allowed = list(allowed)
        self._allowed.append(f"{key}={'|'.join(allowed)}")
        value = self._left.pop(key, default)
        if value not in allowed:
            raise SetupError(f"{self._owner}: {key}={value}, but must be one of {', '.join(allowed)}")
        return value

    def text(self, key: str, default: str) -> str:
        """The value of ``key``, whatever it is but empty.

        Raises:
            SetupError: if it is empty.
        """
        self._allowed.append(f"{key}=...")
        value = self._left.pop(key, default)
        if not value:
            raise SetupError(f"{self._owner}: {key}= is empty")
        return value

    def integer(self, key: str, default: int, least: int) -> int:
        """The value of ``key``.

        Raises:
            SetupError: if it is not a decimal integer from ``least`` to ``LARGEST``.
        """
        self._allowed.append(f"{key}=N")
        text = self._left.pop(key, str(default))
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST))
        if not is_number or not least <= int(text) <= LARGEST:
            shown = text if len(text) < _SHOWN else f"{text[:_SHOWN]}..."
            raise SetupError(f"{self._owner}: {key}={shown}, but must be an integer from {least} to {LARGEST}")
        return int(text)

    def finish(self) -> None:
        """Refuses the options that are left.

        Raises:
            SetupError: if there is one.
        """
        if self._left:
            unknown, allowed = ", ".join(map(repr, self._left)), ", ".join(self._allowed) or "none"
            raise SetupError(f"{self._owner}: there is no option {unknown}; allowed: {allowed}")


def only_threads(owner: str, text: str) -> int:
    """The value of ``threads``, by default 1, where that is the only option of the implementation ``owner``.

    Raises:
        SetupError: if another option is given, or it has no such value.
    """
    options = Options(owner, text)
    threads = options.integer("threads", default=1, least=1)
    options.finish()
    return threads
