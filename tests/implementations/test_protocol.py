"""The serve protocol: what goes in comes out, and what is no answer is said to be none."""

import base64
import json
import math

import ml_dtypes
import numpy as np
import pytest

from gatewise_corpus.case import AttributeValue, Case, same_bits, same_case
from gatewise_corpus.description import Description
from gatewise_corpus.machine import Machine
from gatewise_corpus.outcome import Crashed, Raised, Ran, Refused
from gatewise_implementations.protocol import (
    DescribeRequest,
    DescriptionAnswer,
    ProtocolError,
    RanAnswer,
    RunRequest,
    Tensor,
    decode_answer,
    decode_request,
    encode,
    from_answer,
    from_description_answer,
    from_message,
    to_answer,
    to_description_answer,
    to_message,
)


def sent(case: Case) -> Case:
    request = decode_request(encode(RunRequest(3, to_message(case))))
    assert isinstance(request, RunRequest)
    return from_message(request.case)


def case_with(X: np.ndarray) -> Case:
    return Case("LSTM", 22, {}, {"X": X}, ("Y_c", "Y"))


PAYLOADS = np.array([0x7FC00000, 0x7F800001, 0xFFC12345, 0x80000000, 0x00000001, 0x7F800000], np.uint32)


@pytest.mark.parametrize(
    "X",
    [
        PAYLOADS.view(np.float32).reshape(3, 1, 2),
        np.array([0x7E01, 0xFC01, 0x8000, 0x0001], np.uint16).view(np.float16),
        np.array([0x7FF0000000000001, 0x8000000000000000], np.uint64).view(np.float64),
        np.array([0x7F81, 0x8000, 0x3F80], np.uint16).view(ml_dtypes.bfloat16),
        np.array([3, 200], np.uint8).view(ml_dtypes.float8_e4m3fn),
        np.array([[-(2**63), 2**63 - 1]], np.int64),
        np.array([True, False]),
        np.array([1 + 2j], np.complex64),
        np.zeros((4, 0, 2), np.float32),
        np.array(5.0, np.float32),
    ],
    ids=lambda X: X.dtype.name,
)
def test_an_array_keeps_dtype_shape_and_bits(X: np.ndarray) -> None:
    assert same_bits(sent(case_with(X)).inputs["X"], X)


def test_arrays_are_sent_in_c_order_and_little_endian() -> None:
    columns = np.arange(6, dtype=np.float32).reshape(2, 3).T
    assert sent(case_with(columns)).inputs["X"].tolist() == [[0, 3], [1, 4], [2, 5]]
    big = np.array([1, 258], ">i2")
    message = to_message(case_with(big))
    assert message.inputs[0] == Tensor("X", "int16", (2,), b"\x01\x00\x02\x01")
    assert sent(case_with(big)).inputs["X"].tolist() == [1, 258]


def test_received_arrays_can_be_written_to() -> None:
    X = sent(case_with(np.zeros(2, np.float32))).inputs["X"]
    X[1] = 4
    assert X.tolist() == [0, 4]


def test_every_kind_of_attribute_comes_back() -> None:
    attributes: dict[str, AttributeValue] = {
        "clip": -0.0,
        "hidden_size": -(2**63),
        "direction": 'quote " and \n ü',
        "activations": ("Tanh", ""),
        "activation_alpha": (math.nan, math.inf, -math.inf, 0.1, 2.0, -0.0, 1e22),
        "activation_beta": (),
        "layout": 1.0,
        "strange": (1, 2),
        "stranger": (),
        "infinite": math.inf,
    }
    case = Case("GRU", 7, attributes, {}, ())
    assert same_case(sent(case), case)
    assert repr(sent(case).attributes["clip"]) == "-0.0"
    assert type(sent(case).attributes["layout"]) is float


def test_an_empty_list_has_the_type_of_the_schema() -> None:
    attributes: dict[str, AttributeValue] = {"activations": (), "activation_beta": (), "unknown": ()}
    types = {entry.name: entry.type for entry in to_message(Case("GRU", 7, attributes, {}, ())).attributes}
    assert types == {"activations": "strings", "activation_beta": "floats", "unknown": "floats"}


def test_constants_outputs_and_order_come_back() -> None:
    case = Case("XYZ", -1, {}, {"R": np.ones(1), "Q": np.ones(2)}, ("Y", "Y"), frozenset({"R", "no input"}))
    assert same_case(sent(case), case)
    assert list(sent(case).inputs) == ["R", "Q"]


def test_a_request_is_the_documented_line() -> None:
    case = Case(
        "RNN",
        14,
        {"clip": math.inf, "activations": ("Relu",)},
        {"X": np.array([1.5], np.float32), "R": np.array([2], np.float16)},
        ("Y_h",),
        frozenset({"R"}),
    )
    line = encode(RunRequest(8, to_message(case), b"model"))
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == {
        "type": "run",
        "id": 8,
        "case": {
            "operator": "RNN",
            "opset": 14,
            "attributes": [
                {"name": "clip", "type": "float", "value": "Infinity"},
                {"name": "activations", "type": "strings", "value": ["Relu"]},
            ],
            "inputs": [
                {"name": "X", "dtype": "float32", "shape": [1], "data": "AADAPw=="},
                {"name": "R", "dtype": "float16", "shape": [1], "data": "AEA="},
            ],
            "outputs": ["Y_h"],
            "constants": ["R"],
        },
        "model": base64.b64encode(b"model").decode(),
    }
    assert json.loads(encode(DescribeRequest(1))) == {"type": "describe", "id": 1}
    assert "model" not in json.loads(encode(RunRequest(9, to_message(case))))


@pytest.mark.parametrize(
    "outcome",
    [Refused("why\nnot", "unsupported", "float64"), Refused("no"), Raised("E", "m"), Crashed("SIGSEGV", "end")],
)
def test_an_outcome_without_outputs_comes_back(outcome: Refused | Raised | Crashed) -> None:
    assert from_answer(decode_answer(encode(to_answer(4, outcome)), 4)) == outcome


def test_outputs_and_digests_come_back() -> None:
    Y = PAYLOADS.view(np.float32)
    outcome = from_answer(decode_answer(encode(to_answer(4, Ran({"Y": Y}, {"avx2": "abc"}))), 4))
    assert isinstance(outcome, Ran)
    assert list(outcome.outputs) == ["Y"]
    assert same_bits(outcome.outputs["Y"], Y)
    assert outcome.digests == {"avx2": "abc"}


def test_a_description_comes_back() -> None:
    machine = Machine("z15", "s390x", ("vx", "zl"), "Linux", "Debian 12", "glibc 2.36", "big", "qemu-s390x 7.2")
    description = Description("n", {"a": "1"}, {"threads": "3"}, {"LSTM.Tanh": 6.5}, ("D02", "D14"), machine)
    answer = decode_answer(encode(to_description_answer(2, description)), 2)
    assert isinstance(answer, DescriptionAnswer)
    assert from_description_answer(answer) == description


def test_only_the_name_of_a_description_is_required() -> None:
    answer = decode_answer(b'{"type": "description", "id": 2, "name": "mine", "colour": "ignored"}', 2)
    assert isinstance(answer, DescriptionAnswer)
    assert from_description_answer(answer) == Description("mine")


def test_a_machine_needs_its_name_and_architecture() -> None:
    line = b'{"type": "description", "id": 2, "name": "mine", "machine": {"name": "z15", "architecture": "s390x"}}'
    answer = decode_answer(line, 2)
    assert isinstance(answer, DescriptionAnswer)
    assert from_description_answer(answer).machine == Machine("z15", "s390x")
    with pytest.raises(ProtocolError, match="missing required field `architecture`"):
        decode_answer(line.replace(b"architecture", b"arch"), 2)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b"hello\n", "the line 'hello' is not an answer of the serve protocol"),
        (b"\xff\xfe\n", "is not an answer of the serve protocol"),
        (b"[" * 100_000 + b"\n", "is not an answer of the serve protocol"),
        (b'{"type": "ran", "id": 5, "outputs": []}', "the answer has id 5, but the request has id 4"),
        (b'{"type": "sang", "id": 4}', "Invalid value 'sang'"),
        (b'{"type": "refused", "id": 4, "message": "m", "kind": "odd"}', r"at `\$.kind`"),
        (b'{"type": "ran", "id": 4, "outputs": [{"name": "Y"}]}', "missing required field `dtype`"),
        (b'{"type": "describe", "id": 4}', "Invalid value 'describe'"),
    ],
)
def test_what_is_no_answer_is_said_to_be_none(line: bytes, sentence: str) -> None:
    with pytest.raises(ProtocolError, match=sentence):
        decode_answer(line, 4)


@pytest.mark.parametrize(
    ("tensor", "sentence"),
    [
        (Tensor("Y", "float32", (2, 3), b"1234"), r"Y has 4 bytes of data, but float32 of shape \[2, 3\] has 24"),
        (Tensor("Y", "float32", (-1, -1), b"1234"), r"shape \[-1, -1\], but no size may be negative"),
        (Tensor("Y", "float32", (1,) * 65, b"1234"), "Y has a shape that no array can have: .* 65"),
        (Tensor("Y", "float32", (0, 2**62, 2**62), b""), "Y has a shape that no array can have"),
        (Tensor("Y", "float32", (0, 2**90), b""), "Y has a shape that no array can have"),
        (Tensor("Y", "object", (1,), b"12345678"), "dtype 'object', which is no name"),
        (Tensor("Y", "<f4", (1,), b"1234"), "dtype '<f4', which is no name"),
        (Tensor("Y", "FLOAT", (1,), b"1234"), "dtype 'FLOAT', which is no name"),
        (Tensor("Y", "datetime64", (1,), b"12345678"), "dtype 'datetime64', which is no name"),
    ],
)
def test_data_that_do_not_fit_are_refused(tensor: Tensor, sentence: str) -> None:
    with pytest.raises(ProtocolError, match=sentence):
        from_answer(RanAnswer(1, [tensor]))


def test_a_description_is_no_answer_to_a_case() -> None:
    with pytest.raises(ProtocolError, match="the answer to a case is a description"):
        from_answer(DescriptionAnswer(1, "n"))


def test_strings_are_not_carried() -> None:
    with pytest.raises(ProtocolError, match="tensor X has dtype object, which the serve protocol does not carry"):
        to_message(case_with(np.array(["a"], object)))


def test_a_line_that_is_no_request_is_said_to_be_none() -> None:
    with pytest.raises(ProtocolError, match="the line is not a request of the serve protocol"):
        decode_request(b'{"type": "ran", "id": 4, "outputs": []}')
