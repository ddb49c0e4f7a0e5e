"""The three operators as data: gates, inputs, outputs, attributes and default activations.

Source: the ONNX operator schemas of RNN, GRU and LSTM, opsets 7, 14 and 22.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

AttributeType = Literal["int", "float", "string", "ints", "floats", "strings"]
DIRECTIONS = MappingProxyType(
    {
        "forward": ("forward",),
        "reverse": ("reverse",),
        "bidirectional": ("forward", "reverse"),
    }
)
OLDEST_OPSET = 7
LAYOUT_OPSET = 14
BFLOAT16_OPSET = 22


@dataclass(frozen=True)
class Slot:
    """One input or output: its name and its shape under layout 0, as names of dimensions.

    A dimension is ``dirs``, ``seq``, ``batch``, ``input``, ``hidden``, or a multiple such as ``4*hidden``.
    ``layout1`` is the shape under layout 1.
    """

    name: str
    layout0: tuple[str, ...]
    layout1: tuple[str, ...]
    required: bool = False

    def shape(self, layout: int) -> tuple[str, ...]:
        """The names of the dimensions under ``layout`` 0 or 1."""
        return self.layout1 if layout else self.layout0


def size_of(dimension: str, sizes: Mapping[str, int]) -> int:
    """The size of a dimension such as ``hidden`` or ``4*hidden``, given the sizes of the plain ones."""
    factor, _, name = dimension.rpartition("*")
    return int(factor or 1) * sizes[name]


@dataclass(frozen=True)
class Operator:
    """One recurrent operator.

    ``gates`` stand in the order of the blocks of W, R and B. ``default_activations`` are those of one direction:
    f, g and h of the formulas.
    """

    name: str
    gates: tuple[str, ...]
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    attributes: MappingProxyType[str, AttributeType]
    default_activations: tuple[str, ...]

    def input(self, name: str) -> Slot | None:
        """The input slot called ``name``, or None."""
        return next((slot for slot in self.inputs if slot.name == name), None)

    def output(self, name: str) -> Slot | None:
        """The output slot called ``name``, or None."""
        return next((slot for slot in self.outputs if slot.name == name), None)

    @property
    def output_names(self) -> tuple[str, ...]:
        """The names of all outputs in their positions."""
        return tuple(slot.name for slot in self.outputs)


_COMMON_ATTRIBUTES: dict[str, AttributeType] = {
    "activation_alpha": "floats",
    "activation_beta": "floats",
    "activations": "strings",
    "clip": "float",
    "direction": "string",
    "hidden_size": "int",
    "layout": "int",
}


def _state(name: str) -> Slot:
    return Slot(name, ("dirs", "batch", "hidden"), ("batch", "dirs", "hidden"))


def _weights(name: str, shape: tuple[str, ...], *, required: bool = False) -> Slot:
    return Slot(name, shape, shape, required=required)


def _operator(
    name: str,
    gates: tuple[str, ...],
    activations: tuple[str, ...],
    own_attributes: dict[str, AttributeType],
    *,
    has_cell: bool = False,
) -> Operator:
    rows = f"{len(gates)}*hidden"
    inputs = [
        Slot("X", ("seq", "batch", "input"), ("batch", "seq", "input"), required=True),
        _weights("W", ("dirs", rows, "input"), required=True),
        _weights("R", ("dirs", rows, "hidden"), required=True),
        _weights("B", ("dirs", f"{2 * len(gates)}*hidden")),
        _weights("sequence_lens", ("batch",)),
        _state("initial_h"),
    ]
    outputs = [
        Slot("Y", ("seq", "dirs", "batch", "hidden"), ("batch", "seq", "dirs", "hidden")),
        _state("Y_h"),
    ]
    if has_cell:
        inputs += [_state("initial_c"), _weights("P", ("dirs", "3*hidden"))]
        outputs.append(_state("Y_c"))
    return Operator(
        name,
        gates,
        tuple(inputs),
        tuple(outputs),
        MappingProxyType(_COMMON_ATTRIBUTES | own_attributes),
        activations,
    )


_ALL = (
    _operator("RNN", ("i",), ("Tanh",), {}),
    _operator("GRU", ("z", "r", "h"), ("Sigmoid", "Tanh"), {"linear_before_reset": "int"}),
    _operator("LSTM", ("i", "o", "f", "c"), ("Sigmoid", "Tanh", "Tanh"), {"input_forget": "int"}, has_cell=True),
)

OPERATORS = MappingProxyType({operator.name: operator for operator in _ALL})
PEEPHOLES = ("i", "o", "f")
"""The gates of P's blocks, in order."""
