"""A case: one recurrent node with its inputs, as frozen data."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
V = TypeVar("V")
AttributeValue = int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[str, ...]
AttributeValues = dict[str, AttributeValue]


@dataclass(frozen=True, eq=False)
class Case:
    """One recurrent node with its inputs; valid or not, nothing is checked here (see ``gatewise_corpus.layer``).

    Attributes:
        operator: "RNN", "GRU" or "LSTM".
        opset: version of the ONNX operator set that the model imports.
        attributes: those that the node spells out; an omitted attribute is absent. Floats are rounded to float32,
            which is what a model stores.
        inputs: arrays by input name; an omitted input is absent. Shapes follow the layout attribute.
        outputs: names of the requested outputs, in the order of their positions.
        constants: names of the inputs that are initializers of the model rather than fed at run time.
    """

    operator: str
    opset: int
    attributes: Mapping[str, AttributeValue]
    inputs: Mapping[str, Array]
    outputs: tuple[str, ...]
    constants: frozenset[str] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        attributes = {name: _as_stored(value) for name, value in self.attributes.items()}
        object.__setattr__(self, "attributes", MappingProxyType(attributes))
        object.__setattr__(self, "inputs", MappingProxyType(dict(self.inputs)))

    def __reduce__(self) -> tuple[Any, ...]:
        fields = (dict(self.attributes), dict(self.inputs), self.outputs, self.constants)
        return Case, (self.operator, self.opset, *fields)

    def replace(self, **changes: Any) -> "Case":
        """A copy with other field values."""
        return replace(self, **changes)

    def with_attributes(self, **values: AttributeValue | None) -> "Case":
        """A copy in which the named attributes have these values; None removes one."""
        return self.replace(attributes=_merged(self.attributes, values))

    def with_inputs(self, **arrays: Array | None) -> "Case":
        """A copy in which the named inputs are these arrays; None omits one."""
        inputs = _merged(self.inputs, arrays)
        return self.replace(inputs=inputs, constants=self.constants & inputs.keys())

    def summary(self) -> str:
        """The case in one line: operator, opset, shapes, attributes and requested outputs."""
        shapes = " ".join(f"{name}{list(array.shape)}" for name, array in self.inputs.items())
        attributes = " ".join(f"{name}={_plain(value)}" for name, value in self.attributes.items())
        parts = [f"{self.operator}-{self.opset}", attributes, shapes, "-> " + ",".join(self.outputs)]
        return " ".join(part for part in parts if part)


def same_case(left: Case, right: Case) -> bool:
    """Whether two cases are equal in every field, arrays by dtype, shape and bits."""
    return (
        (left.operator, left.opset, left.outputs, left.constants)
        == (right.operator, right.opset, right.outputs, right.constants)
        and repr(dict(sorted(left.attributes.items()))) == repr(dict(sorted(right.attributes.items())))
        and left.inputs.keys() == right.inputs.keys()
        and all(same_bits(array, right.inputs[name]) for name, array in left.inputs.items())
    )


def same_bits(left: Array, right: Array) -> bool:
    """Whether two arrays have the same dtype, shape and bytes."""
    return left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes()


def _merged(old: Mapping[str, V], changes: Mapping[str, V | None]) -> dict[str, V]:
    return {name: value for name, value in {**old, **changes}.items() if value is not None}


def _as_stored(value: AttributeValue) -> AttributeValue:
    if isinstance(value, float):
        return float(np.float32(value))
    if isinstance(value, tuple) and all(isinstance(item, float) for item in value):
        return tuple(float(np.float32(item)) for item in value)
    return value


def _plain(value: AttributeValue) -> str:
    """The value as people write it: a float by the fewest digits that give its float32."""
    if isinstance(value, tuple):
        return ",".join(map(_plain, value))
    return str(np.float32(value)) if isinstance(value, float) else str(value)
