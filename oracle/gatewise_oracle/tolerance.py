"""What an implementation's activation functions may be off by."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from gatewise_corpus.activations import ACTIVATIONS

DEFAULT_ERRORS = MappingProxyType({"Sigmoid": 12.0, "Tanh": 16.0, "Elu": 12.0, "Softplus": 12.0, "Softsign": 4.0})
"""Errors allowed where nothing is declared, in units of 2^-24; functions not named are arithmetic and need none.

The largest errors measured of approximations in use are Sigmoid 6 and Tanh 11 (ONNX Runtime's GRU); literal float32
formulas of Elu and Softplus stay below 4. The default leaves half as much again; it is 1e-6 at most, a thousandth of
what the mildest misreading changes in a case made to show it (docs/model.md).
"""


@dataclass(frozen=True)
class Tolerance:
    """The errors of the activation functions of one implementation.

    Attributes:
        errors: for an activation's name, the error in units of 2^-24, absolute or relative to the result, whichever
            is greater. ScaledTanh takes Tanh's where it has none, and multiplies it by |alpha|; Elu's is that of
            e^x - 1.
    """

    errors: Mapping[str, float] = field(default_factory=dict)

    def error(self, name: str) -> float:
        """The error of the activation called ``name``, in units of 2^-24."""
        kin = "Tanh" if name == "ScaledTanh" else name
        return self.errors.get(name, self.errors.get(kin, DEFAULT_ERRORS.get(kin, 0.0)))

    @classmethod
    def for_operator(cls, operator: str, declared: Mapping[str, float]) -> "Tolerance":
        """The tolerance from errors declared as "Sigmoid" or, for one operator only, as "LSTM.Sigmoid".

        Raises:
            ValueError: if a key names no activation, or an error is negative or not finite.
        """
        general: dict[str, float] = {}
        own: dict[str, float] = {}
        for key, error in declared.items():
            prefix, _, name = key.rpartition(".")
            if name not in ACTIVATIONS or prefix not in ("", "RNN", "GRU", "LSTM"):
                allowed = ", ".join(ACTIVATIONS)
                raise ValueError(f"activation error {key!r} names none of {allowed}, alone or after an operator")
            if not 0 <= error < float("inf"):
                raise ValueError(f"activation error {key!r} is {error}, but must be finite and not negative")
            if prefix == operator:
                own[name] = error
            elif not prefix:
                general[name] = error
        return cls({**general, **own})


DEFAULT = Tolerance()
