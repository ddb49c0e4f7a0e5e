"""Inputs for a model that comes without any, drawn for the shapes that it declares."""

import math
from collections.abc import Mapping

import numpy as np
import onnx
from onnx import helper, numpy_helper

from gatewise_corpus.case import Array
from gatewise_corpus.onnx_model import FormatError, input_tensors, recurrent_node
from gatewise_corpus.operators import DIRECTIONS, OPERATORS, Slot, size_of

OPEN_SIZES = {"seq": 5, "batch": 3, "input": 4, "hidden": 6}
"""The sizes that a model leaves open: small and all different."""

Shape = tuple[int | None, ...]


def draw_inputs(model: onnx.ModelProto, seed: int) -> dict[str, Array]:
    """An array for each input of the graph that is no initializer, by its name.

    Declared sizes are kept, open ones are the same wherever they mean the same. Lengths reach from 1 to seq; floats
    are uniform, weights scaled by the inverse root of their fan-in.

    Raises:
        FormatError: if the graph is not one RNN, GRU or LSTM node, or an input is of a type that is not drawn.
    """
    node = recurrent_node(model)
    operator = OPERATORS.get(node.op_type)
    if operator is None:
        raise FormatError(f"the node is {node.op_type!r}, but must be one of {', '.join(OPERATORS)}")
    attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    layout = int(attributes.get("layout", 0) == 1)
    tensors = input_tensors(node)
    slots = {tensor: slot for slot, tensor in reversed(tensors.items())}
    shapes = _known_shapes(model)
    sizes = dict(OPEN_SIZES)
    if attributes.get("hidden_size", 0) > 0:
        sizes["hidden"] = attributes["hidden_size"]
    direction = attributes.get("direction", b"forward")
    sizes["dirs"] = len(DIRECTIONS.get(direction.decode() if isinstance(direction, bytes) else "", ("forward",)))
    for name, tensor in tensors.items():
        slot = operator.input(name)
        if slot is not None:
            sizes |= _sizes_told(slot, layout, shapes.get(tensor, ()))
    initializers = {tensor.name for tensor in model.graph.initializer}
    rng = np.random.default_rng(seed)
    drawn = {}
    for value in model.graph.input:
        slot = operator.input(slots.get(value.name, ""))
        if value.name in initializers or slot is None:
            continue
        shape = _filled(slot, layout, shapes.get(value.name, ()), sizes)
        drawn[value.name] = _draw(rng, slot.name, shape, _dtype(value), sizes)
    return drawn


def _known_shapes(model: onnx.ModelProto) -> dict[str, Shape]:
    """The declared shapes of the graph's inputs and the shapes of its initializers; None is an open size."""
    shapes: dict[str, Shape] = {}
    for value in model.graph.input:
        if value.type.tensor_type.HasField("shape"):
            dims = value.type.tensor_type.shape.dim
            shapes[value.name] = tuple(dim.dim_value if dim.HasField("dim_value") else None for dim in dims)
    for tensor in model.graph.initializer:
        shapes[tensor.name] = tuple(numpy_helper.to_array(tensor).shape)
    return shapes


def _sizes_told(slot: Slot, layout: int, shape: Shape) -> dict[str, int]:
    names = slot.shape(layout)
    if len(names) != len(shape):
        return {}
    return {name: size for name, size in zip(names, shape, strict=True) if name in OPEN_SIZES and size is not None}


def _filled(slot: Slot, layout: int, shape: Shape, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """The declared shape with its open sizes filled in; the whole shape where none is declared."""
    names = slot.shape(layout)
    if len(shape) != len(names):
        return tuple(size or 0 for size in shape) or tuple(size_of(name, sizes) for name in names)
    return tuple(size_of(name, sizes) if size is None else size for name, size in zip(names, shape, strict=True))


def _dtype(value: onnx.ValueInfoProto) -> np.dtype[np.generic]:
    try:
        dtype = np.dtype(helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type))
    except KeyError:
        dtype = np.dtype(object)
    if dtype.kind not in "fi":
        raise FormatError(f"input {value.name!r} has a type for which no numbers can be drawn")
    return dtype


def _draw(
    rng: np.random.Generator, slot: str, shape: tuple[int, ...], dtype: np.dtype[np.generic], sizes: Mapping[str, int]
) -> Array:
    if dtype.kind == "i":
        return np.asarray(rng.integers(min(1, sizes["seq"]), sizes["seq"] + 1, shape)).astype(dtype)
    fan_in = {"W": sizes["input"], "R": sizes["hidden"]}.get(slot, 1)
    return np.asarray(rng.uniform(-1, 1, shape) * 1.5 / math.sqrt(max(1, fan_in))).astype(dtype)
