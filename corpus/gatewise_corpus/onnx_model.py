"""A case as an ONNX model of one node, and back, without loss.

The tensors of a model made here carry the names of their slots, and the constants are its initializers. IR version
and operator set are pinned: the oldest IR that the operator set allows, which most runtimes read.
"""

from collections.abc import Collection, Iterable, Mapping

import numpy as np
import onnx
from onnx import helper, numpy_helper

from gatewise_corpus.case import Array, AttributeValue, Case
from gatewise_corpus.layer import output_shapes
from gatewise_corpus.operators import OPERATORS
from gatewise_corpus.refusal import RefusedError

_DEFAULT_DOMAINS = {"", "ai.onnx"}
_LAST_IR_WITH_INITIALIZERS_AS_INPUTS = 3


class FormatError(ValueError):
    """A model or a folder that does not hold one case; the message is one sentence."""


def to_model(case: Case, symbolic: Collection[str] = ()) -> onnx.ModelProto:
    """The model of ``case``: one node, the constants as initializers.

    Shapes are static but for the dimensions named in ``symbolic`` ("seq", "batch"), which the inputs and outputs that
    have them leave open under these names.
    """
    opset = helper.make_opsetid("", case.opset)
    ir_version = helper.find_min_ir_version_for([opset], ignore_unknown=True)
    node = helper.make_node(case.operator, _input_names(case), _output_names(case))
    node.attribute.extend(_to_attribute(case, name, value) for name, value in sorted(case.attributes.items()))
    fed = feeds(case)
    constants = {name: case.inputs[name] for name in case.inputs if name in case.constants}
    declared = fed | (constants if ir_version <= _LAST_IR_WITH_INITIALIZERS_AS_INPUTS else {})
    graph = helper.make_graph(
        [node],
        "gatewise",
        [_declare(name, array.dtype, array.shape) for name, array in declared.items()],
        _declare_outputs(case),
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    for value in (*graph.input, *graph.output):
        _open_sizes(value, case, symbolic)
    return helper.make_model(graph, producer_name="gatewise", opset_imports=[opset], ir_version=ir_version)


def feeds(case: Case) -> dict[str, Array]:
    """The inputs that are fed at run time, in the order of the model's inputs."""
    return {name: array for name, array in case.inputs.items() if name not in case.constants}


def recurrent_node(model: onnx.ModelProto) -> onnx.NodeProto:
    """The one node of ``model``.

    Raises:
        FormatError: if the graph has another number of nodes, or the node is of another domain than ONNX's.
    """
    if len(model.graph.node) != 1:
        raise FormatError(f"the graph has {len(model.graph.node)} nodes, but must have one RNN, GRU or LSTM node")
    node = model.graph.node[0]
    if node.domain not in _DEFAULT_DOMAINS:
        raise FormatError(f"the node is {node.domain}.{node.op_type}, but must be of the ONNX domain")
    return node


def input_tensors(node: onnx.NodeProto) -> dict[str, str]:
    """The tensor that each slot of the node reads; an omitted slot has no entry, two slots may read the same."""
    return _tensors_by_slot(node.input, _slot_names(node.op_type))


def output_tensors(node: onnx.NodeProto) -> dict[str, str]:
    """The tensor that each slot of the node writes; an omitted slot has no entry."""
    return _tensors_by_slot(node.output, _output_slot_names(node.op_type))


def from_model(model: onnx.ModelProto, fed: Mapping[str, Array]) -> Case:
    """The case that ``model`` describes when ``fed`` (arrays by the names of the graph's inputs) is given to it.

    Raises:
        FormatError: if the model is not one node, lacks an operator set, or an input is neither fed nor a constant.
    """
    node = recurrent_node(model)
    opsets = [entry.version for entry in model.opset_import if entry.domain in _DEFAULT_DOMAINS]
    if not opsets:
        raise FormatError("the model imports no operator set of the ONNX domain")
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    inputs: dict[str, Array] = {}
    constant_slots = set()
    for slot, tensor in input_tensors(node).items():
        if tensor in constants:
            inputs[slot] = constants[tensor]
            constant_slots.add(slot)
        elif tensor in fed:
            inputs[slot] = fed[tensor]
        else:
            raise FormatError(f"input {tensor!r} ({slot}) is neither fed nor an initializer")
    graph_outputs = {value.name for value in model.graph.output}
    return Case(
        operator=node.op_type,
        opset=opsets[0],
        attributes={attribute.name: _from_attribute(attribute) for attribute in node.attribute},
        inputs=inputs,
        outputs=tuple(slot for slot, tensor in output_tensors(node).items() if tensor in graph_outputs),
        constants=frozenset(constant_slots),
    )


def _slot_names(operator: str) -> tuple[str, ...]:
    table = OPERATORS.get(operator)
    return tuple(slot.name for slot in table.inputs) if table else ()


def _output_slot_names(operator: str) -> tuple[str, ...]:
    table = OPERATORS.get(operator)
    return table.output_names if table else ()


def _positions(present: Iterable[str], slots: tuple[str, ...]) -> list[str]:
    """The node's list of names: "" where a slot is left out, none after the last; names without a slot follow."""
    present = list(present)
    names = [slot if slot in present else "" for slot in slots]
    unknown = [name for name in present if name not in slots]
    if unknown:
        return names + unknown
    while names and not names[-1]:
        names.pop()
    return names


def _input_names(case: Case) -> list[str]:
    return _positions(case.inputs, _slot_names(case.operator))


def _output_names(case: Case) -> list[str]:
    return _positions(case.outputs, _output_slot_names(case.operator))


def _tensors_by_slot(tensors: Iterable[str], slots: tuple[str, ...]) -> dict[str, str]:
    tensors = list(tensors)
    names = [*slots, *tensors[len(slots) :]]
    return {slot: tensor for tensor, slot in zip(tensors, names, strict=False) if tensor}


def _to_attribute(case: Case, name: str, value: AttributeValue) -> onnx.AttributeProto:
    if value == ():
        table = OPERATORS.get(case.operator)
        kind = (table.attributes.get(name) if table else None) or "floats"
        return helper.make_attribute(name, [], attr_type=onnx.AttributeProto.AttributeType.Value(kind.upper()))
    return helper.make_attribute(name, list(value) if isinstance(value, tuple) else value)


def _from_attribute(attribute: onnx.AttributeProto) -> AttributeValue:
    value = helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, int | float):
        return value
    try:
        return tuple(item.decode() if isinstance(item, bytes) else item for item in value)
    except TypeError:
        raise FormatError(f"attribute {attribute.name} is neither a number, a string nor a list of them") from None


def _declare(name: str, dtype: np.dtype, shape: tuple[int, ...] | None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), shape)


def _open_sizes(value: onnx.ValueInfoProto, case: Case, symbolic: Collection[str]) -> None:
    """Gives the dimensions of ``value`` that are ``symbolic`` their names in place of their sizes."""
    table = OPERATORS.get(case.operator)
    slot = (table.input(value.name) or table.output(value.name)) if table else None
    if slot is None:
        return
    dimensions = value.type.tensor_type.shape.dim
    for name, dimension in zip(slot.shape(case.attributes.get("layout") == 1), dimensions, strict=False):
        if name in symbolic:
            dimension.dim_param = name


def _declare_outputs(case: Case) -> list[onnx.ValueInfoProto]:
    """Outputs with static shapes where the case is valid, without a shape where it is not."""
    X = case.inputs.get("X")
    dtype = np.dtype(np.float32) if X is None else X.dtype
    try:
        shapes = output_shapes(case)
    except RefusedError:
        return [_declare(name, dtype, None) for name in case.outputs]
    return [_declare(name, dtype, shapes[name]) for name in case.outputs]
