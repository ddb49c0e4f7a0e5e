"""What an implementation says of itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gatewise_corpus.machine import Machine


@dataclass(frozen=True)
class Description:
    """What ran: its name, the versions of its parts, the settings it ran with.

    ``activation_errors`` are the absolute errors that the implementation states for its activation functions, in
    units of 2^-24, keyed "Sigmoid" or, where they differ by operator, "LSTM.Sigmoid". ``decisions`` are the ids
    (D01 ...) on which it declares to differ. ``machine`` is the one that it runs on, if that is not this one.
    """

    name: str
    versions: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    activation_errors: Mapping[str, float] = field(default_factory=dict)
    decisions: tuple[str, ...] = ()
    machine: Machine | None = None
