"""The serve protocol: one JSON line for each request, one for its answer. docs/serve-protocol.md is its text.

The same lines pass between gatewise and its own workers and between gatewise and a foreign program. A case and its
outcome come out as they went in: floats that JSON lacks are strings, tensors are base64 of little-endian bytes.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Annotated

import ml_dtypes
import msgspec
import numpy as np

from gatewise_corpus.case import Array, AttributeValue, Case
from gatewise_corpus.description import Description
from gatewise_corpus.machine import Machine
from gatewise_corpus.operators import OPERATORS, AttributeType
from gatewise_corpus.outcome import Crashed, Raised, Ran, Refused

NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_SCALAR_TYPES: dict[type, AttributeType] = {int: "int", float: "float", str: "string"}
_LIST_TYPES: dict[type, AttributeType] = {int: "ints", float: "floats", str: "strings"}


class ProtocolError(Exception):
    """A line that is no answer to the request; the message is one sentence."""


class Tensor(msgspec.Struct, frozen=True):
    """An array: ``dtype`` as numpy names it, ``data`` its elements in C order, little-endian (base64 in JSON)."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    data: bytes


class Attribute(msgspec.Struct, frozen=True):
    """An attribute; a float that is not finite is the string "NaN", "Infinity" or "-Infinity"."""

    name: str
    type: AttributeType
    value: int | float | str | list[int | float | str]


class CaseMessage(msgspec.Struct, frozen=True):
    """A case; ``outputs`` are those requested, ``constants`` the inputs that are initializers of the model."""

    operator: str
    opset: int
    attributes: list[Attribute]
    inputs: list[Tensor]
    outputs: tuple[str, ...]
    constants: list[str]


class DescribeRequest(msgspec.Struct, frozen=True, tag="describe"):
    """Asks what runs there; always the first request."""

    id: int


class RunRequest(msgspec.Struct, frozen=True, tag="run", omit_defaults=True):
    """Asks for the outputs of a case; ``model`` is the same case as the bytes of an ONNX model (base64 in JSON).

    The model's inputs are the tensors of ``case.inputs`` that are not constants, under their names. gatewise's own
    workers get no ``model``: they make what they need from ``case``.
    """

    id: int
    case: CaseMessage
    model: bytes | None = None


class DescriptionAnswer(msgspec.Struct, frozen=True, tag="description", omit_defaults=True):
    """What runs there: its name, the versions of its parts, the settings it runs with.

    ``activation_errors`` are the absolute errors that it states for its activation functions, in units of 2^-24,
    keyed "Sigmoid" or "LSTM.Sigmoid"; ``decisions`` the ids (D01 ...) on which it declares to differ; ``machine`` is
    the one that it runs on, where that is not the one that asks: an emulated or a remote one.
    """

    id: int
    name: str
    versions: dict[str, str] = {}
    settings: dict[str, str] = {}
    activation_errors: dict[str, float] = {}
    decisions: tuple[str, ...] = ()
    machine: Machine | None = None


class RanAnswer(msgspec.Struct, frozen=True, tag="ran", omit_defaults=True):
    """The outputs of the case; ``digests`` names one digest for each configuration where several ran."""

    id: int
    outputs: list[Tensor]
    digests: dict[str, str] = {}


class RefusedAnswer(msgspec.Struct, frozen=True, tag="refused", omit_defaults=True):
    """A clean error: ``kind`` is why, where that is known, ``reason`` the id of the rule that the case breaks."""

    id: int
    message: str
    kind: Annotated[str, msgspec.Meta(pattern="^(invalid|unsupported)?$")] = ""
    reason: str = ""


class RaisedAnswer(msgspec.Struct, frozen=True, tag="raised"):
    """An error that was not meant as a refusal. As the answer to ``describe``: the program cannot start."""

    id: int
    exception: str
    message: str


class CrashedAnswer(msgspec.Struct, frozen=True, tag="crashed", omit_defaults=True):
    """A process that the program started for this case died; the program itself lives on."""

    id: int
    how: str
    stderr: str = ""


Request = DescribeRequest | RunRequest
Answer = DescriptionAnswer | RanAnswer | RefusedAnswer | RaisedAnswer | CrashedAnswer

_encoder = msgspec.json.Encoder()
_request_decoder = msgspec.json.Decoder(Request)
_answer_decoder = msgspec.json.Decoder(Answer)


def encode(message: Request | Answer) -> bytes:
    """The message as one line, its end included."""
    return _encoder.encode(message) + b"\n"


def decode_request(line: bytes) -> Request:
    """The request in ``line``.

    Raises:
        ProtocolError: if it holds none.
    """
    try:
        return _request_decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProtocolError(f"the line is not a request of the serve protocol ({error})") from error


def decode_answer(line: bytes, id_: int) -> Answer:
    """The answer in ``line`` to request ``id_``.

    Raises:
        ProtocolError: if it holds none, or the answer to another request.
    """
    try:
        answer = _answer_decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        start = line[:80].decode(errors="replace").rstrip()
        raise ProtocolError(f"the line {start!r} is not an answer of the serve protocol ({error})") from error
    if answer.id != id_:
        raise ProtocolError(f"the answer has id {answer.id}, but the request has id {id_}")
    return answer


def to_message(case: Case) -> CaseMessage:
    """The case as the protocol has it."""
    return CaseMessage(
        operator=case.operator,
        opset=case.opset,
        attributes=[_to_attribute(case.operator, name, value) for name, value in case.attributes.items()],
        inputs=_to_tensors(case.inputs),
        outputs=case.outputs,
        constants=sorted(case.constants),
    )


def from_message(message: CaseMessage) -> Case:
    """The case that ``message`` holds.

    Raises:
        ProtocolError: if a tensor's data do not fit its type and shape.
    """
    return Case(
        operator=message.operator,
        opset=message.opset,
        attributes={attribute.name: _from_attribute(attribute) for attribute in message.attributes},
        inputs=_from_tensors(message.inputs),
        outputs=message.outputs,
        constants=frozenset(message.constants),
    )


def to_answer(id_: int, outcome: Ran | Refused | Raised | Crashed) -> Answer:
    """The outcome as the answer to request ``id_``."""
    match outcome:
        case Ran(outputs, digests):
            return RanAnswer(id_, _to_tensors(outputs), dict(digests))
        case Refused(message, kind, reason):
            return RefusedAnswer(id_, message, kind, reason)
        case Raised(exception, message):
            return RaisedAnswer(id_, exception, message)
        case Crashed(how, stderr):
            return CrashedAnswer(id_, how, stderr)


def from_answer(answer: Answer) -> Ran | Refused | Raised | Crashed:
    """The outcome that ``answer`` tells.

    Raises:
        ProtocolError: if it tells none, or a tensor's data do not fit its type and shape.
    """
    match answer:
        case RanAnswer():
            return Ran(_from_tensors(answer.outputs), answer.digests)
        case RefusedAnswer():
            return Refused(answer.message, answer.kind, answer.reason)
        case RaisedAnswer():
            return Raised(answer.exception, answer.message)
        case CrashedAnswer():
            return Crashed(answer.how, answer.stderr)
        case DescriptionAnswer():
            raise ProtocolError("the answer to a case is a description")


def to_description_answer(id_: int, description: Description) -> DescriptionAnswer:
    """The description as the answer to request ``id_``."""
    return DescriptionAnswer(
        id_,
        description.name,
        dict(description.versions),
        dict(description.settings),
        dict(description.activation_errors),
        description.decisions,
        description.machine,
    )


def from_description_answer(answer: DescriptionAnswer) -> Description:
    """The description that ``answer`` holds."""
    return Description(
        answer.name, answer.versions, answer.settings, answer.activation_errors, answer.decisions, answer.machine
    )


def _to_tensors(arrays: Mapping[str, Array]) -> list[Tensor]:
    return [_to_tensor(name, np.asarray(array)) for name, array in arrays.items()]


def _to_tensor(name: str, array: Array) -> Tensor:
    if not _is_carried(array.dtype):
        raise ProtocolError(f"tensor {name} has dtype {array.dtype}, which the serve protocol does not carry")
    little_endian = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return Tensor(name, array.dtype.name, array.shape, little_endian.tobytes())


def _from_tensors(tensors: Iterable[Tensor]) -> dict[str, Array]:
    return {tensor.name: _from_tensor(tensor) for tensor in tensors}


def _from_tensor(tensor: Tensor) -> Array:
    dtype = _dtype(tensor)
    if any(size < 0 for size in tensor.shape):
        raise ProtocolError(f"tensor {tensor.name} has shape {list(tensor.shape)}, but no size may be negative")
    wanted = math.prod(tensor.shape) * dtype.itemsize
    if len(tensor.data) != wanted:
        raise ProtocolError(
            f"tensor {tensor.name} has {len(tensor.data)} bytes of data, "
            f"but {tensor.dtype} of shape {list(tensor.shape)} has {wanted}"
        )
    try:
        # A bytearray makes the array writable, as the arrays of a case made elsewhere are.
        return np.frombuffer(bytearray(tensor.data), dtype).reshape(tensor.shape)
    except (ValueError, OverflowError) as error:
        raise ProtocolError(f"tensor {tensor.name} has a shape that no array can have: {error}") from error


def _dtype(tensor: Tensor) -> np.dtype:
    try:
        dtype = np.dtype(tensor.dtype)
    except TypeError:
        dtype = np.dtype(object)
    if dtype.name != tensor.dtype or not _is_carried(dtype):
        raise ProtocolError(
            f"tensor {tensor.name} has dtype {tensor.dtype!r}, which is no name of a numpy or ml_dtypes number type"
        )
    return dtype.newbyteorder("<")


def _is_carried(dtype: np.dtype) -> bool:
    """Whether this is a boolean or number type, those of ml_dtypes (bfloat16 ...) included."""
    return dtype.kind in "biufc" or hasattr(ml_dtypes, dtype.name)


def _to_attribute(operator: str, name: str, value: AttributeValue) -> Attribute:
    if isinstance(value, tuple):
        return Attribute(name, _list_type(operator, name, value), [_to_json(item) for item in value])
    return Attribute(name, _SCALAR_TYPES[type(value)], _to_json(value))


def _list_type(operator: str, name: str, items: tuple[int | float | str, ...]) -> AttributeType:
    """The type of a list; an empty one has the type that the operator's schema says."""
    if items:
        return _LIST_TYPES[type(items[0])]
    table = OPERATORS.get(operator)
    return (table.attributes.get(name) if table else None) or "floats"


def _to_json(value: float | str) -> int | float | str:
    if isinstance(value, float) and not math.isfinite(value):
        return next(text for text, number in NON_FINITE.items() if repr(number) == repr(value))
    return value


def _from_attribute(attribute: Attribute) -> AttributeValue:
    """The attribute's value; a value that is not of the stated type breaks the protocol."""
    of_floats = attribute.type in {"float", "floats"}
    if isinstance(attribute.value, list):
        return tuple(_from_json(item, of_floats) for item in attribute.value)  # type: ignore[return-value]
    return _from_json(attribute.value, of_floats)


def _from_json(value: float | str, of_floats: bool) -> int | float | str:
    if not of_floats:
        return value
    return NON_FINITE[value] if isinstance(value, str) else float(value)
