"""Whether an adapter that needs a device finds one: asked in a worker, for only the runtime can tell."""

from collections.abc import Iterable, Iterator

from gatewise_implementations.adapter import SetupError
from gatewise_implementations.process import Worker
from gatewise_implementations.specs import ADAPTERS, Availability


def with_devices(found: Iterable[Availability]) -> Iterator[Availability]:
    """``found``, where an adapter that finds no device is not available, with the reason."""
    needing = {entry.name for entry in ADAPTERS.values() if entry.needs_device}
    for item in found:
        reason = _what_is_missing(item.name) if item.name in needing and not item.reason else ""
        yield Availability(item.name, reason=reason) if reason else item


def _what_is_missing(name: str) -> str:
    try:
        with Worker(name):
            return ""
    except SetupError as error:
        return str(error).removeprefix(f"{name}: ")
