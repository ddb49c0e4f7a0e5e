"""The eleven activation functions of the recurrent operators, as a table.

Source: ONNX RNN, GRU and LSTM, "Activation functions"; the note, section "Activations".
"""

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class ActivationKind:
    """One activation function: its name, formula and parameters.

    ``alpha`` and ``beta`` are the values taken where the case gives none, and ``None`` where the function has no
    such parameter (D07).
    """

    name: str
    formula: str
    alpha: float | None = None
    beta: float | None = None


@dataclass(frozen=True)
class Activation:
    """An activation as one gate uses it: the function with the parameters that the cursors gave it."""

    kind: ActivationKind
    alpha: float = 0.0
    beta: float = 0.0

    @property
    def name(self) -> str:
        """The function's name, spelled as ONNX spells it."""
        return self.kind.name


_KINDS = (
    ActivationKind("Relu", "max(0, x)"),
    ActivationKind("Tanh", "tanh(x)"),
    ActivationKind("Sigmoid", "1 / (1 + e^-x)"),
    ActivationKind("Affine", "alpha * x + beta", alpha=1.0, beta=0.0),
    ActivationKind("LeakyRelu", "x < 0 ? alpha * x : x", alpha=0.01),
    ActivationKind("ThresholdedRelu", "x > alpha ? x : 0", alpha=1.0),
    ActivationKind("ScaledTanh", "alpha * tanh(beta * x)", alpha=1.0, beta=0.0),
    ActivationKind("HardSigmoid", "min(1, max(0, alpha * x + beta))", alpha=0.2, beta=0.5),
    ActivationKind("Elu", "x >= 0 ? x : alpha * (e^x - 1)", alpha=1.0),
    ActivationKind("Softsign", "x / (1 + |x|)"),
    ActivationKind("Softplus", "x > 20 ? x : log(1 + e^x)"),
)

ACTIVATIONS = MappingProxyType({kind.name: kind for kind in _KINDS})
_BY_FOLDED_NAME = {kind.name.lower(): kind for kind in _KINDS}


def find_activation(name: str) -> ActivationKind | None:
    """The activation called ``name`` in any letter case (D08), or None."""
    return _BY_FOLDED_NAME.get(name.lower())
