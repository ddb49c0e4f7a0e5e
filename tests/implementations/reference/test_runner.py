"""The runner without Python: it answers as the library does, in both syntaxes, and says what it cannot read."""

import base64
import json
import struct
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from gatewise.packed_corpus import compare_answers
from gatewise_corpus.case import Array, Case
from gatewise_corpus.outcome import Raised, Ran, Refused, digest
from gatewise_corpus.store import cases_root
from gatewise_implementations.packed import pack_cases, unpack_answers
from gatewise_implementations.process import Worker
from gatewise_implementations.protocol import RunRequest, decode_answer, encode, from_answer, to_message
from gatewise_implementations.reference_library import kernel_paths, run

MakeCase = Callable[..., Case]
SameBits = Callable[[Mapping[str, Array], Mapping[str, Array]], None]
TINY = {"name": "X", "dtype": "float32", "shape": [1], "data": "AAAAAA=="}
PATHS = [path.name for path in kernel_paths() if path.available]


def served(runner: Path, *lines: bytes, options: tuple[str, ...] = ("-p", "scalar")) -> list[bytes]:
    """The lines that answer ``lines``."""
    done = subprocess.run([runner, *options], input=b"".join(lines), capture_output=True, check=True)
    assert done.stderr == b""
    return done.stdout.splitlines()


def outcome(runner: Path, case: Mapping[str, Any]) -> Any:
    """The outcome of a case as JSON has it."""
    line = json.dumps({"type": "run", "id": 7, "case": case}).encode() + b"\n"
    return from_answer(decode_answer(served(runner, line)[0], 7))


@pytest.fixture
def message(make_case: MakeCase) -> dict[str, Any]:
    """An LSTM as JSON: T=6, N=5, I=4, H=3."""
    case = make_case("LSTM", lengths=(6, 0, 3, 1, 5), clip=0.75, constants=("W",))
    decoded: dict[str, Any] = json.loads(encode(RunRequest(1, to_message(case))))["case"]
    return decoded


def test_the_whole_corpus_in_a_packed_file(runner: Path, corpus_cases: Path, tmp_path: Path) -> None:
    answers = tmp_path / "corpus.answers"
    subprocess.run([runner, corpus_cases, answers], check=True)
    compared = dict(compare_answers(cases_root(), answers))
    assert {name: difference for name, difference in compared.items() if difference} == {}
    description, _ = unpack_answers(answers.read_bytes(), len(compared))
    wanted = [f"{path},threads={threads}" for path in PATHS for threads in (1, 3)]
    assert description.settings["configurations"].split() == wanted


@pytest.mark.parametrize("operator", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("layout", [0, 1])
def test_it_serves(runner: Path, make_case: MakeCase, same_bits: SameBits, operator: str, layout: int) -> None:
    case = make_case(operator, direction="bidirectional", layout=layout, lengths=(6, 0, 3, 1, 5), constants=("R",))
    case = case.replace(outputs=case.outputs[::-1])
    with Worker(f"serve:{runner} --threads 1,2,5") as worker:
        ran = worker.run(case)
    assert isinstance(ran, Ran)
    assert list(ran.outputs) == list(case.outputs)
    same_bits(dict(ran.outputs), run(case, "scalar"))
    wanted = [f"{path},threads={threads}" for path in PATHS for threads in (1, 2, 5)]
    assert dict(ran.digests) == dict.fromkeys(wanted, digest(ran.outputs))


def test_half_precision(runner: Path, make_case: MakeCase, same_bits: SameBits) -> None:
    case = make_case("GRU", dtype=np.float16, linear_before_reset=1)
    with Worker(f"serve:{runner}") as worker:
        ran = worker.run(case)
    assert isinstance(ran, Ran)
    same_bits(dict(ran.outputs), run(case, "scalar"))
    assert set(ran.digests.values()) == {digest(ran.outputs)}


def test_it_says_what_and_where_it_is(runner: Path) -> None:
    options = ("-p", "scalar", "-t", "2", "-m", "abacus", "-e", "qemu-abacus 1.0")
    told = json.loads(served(runner, b'{"type": "describe", "id": 3}\n', options=options)[0])
    assert (told["id"], told["type"], told["name"]) == (3, "description", "reference")
    assert told["settings"]["mode"] == "exact"
    assert told["settings"]["configurations"] == "scalar,threads=2"
    assert told["machine"].items() >= {"name": "abacus", "emulator": "qemu-abacus 1.0", "system": "Linux"}.items()
    assert told["machine"]["features"] == sorted(told["machine"]["features"])
    assert told["activation_errors"] == {"Sigmoid": 0.51, "Tanh": 0.51}


def test_json_in_any_spelling(runner: Path, message: dict[str, Any], same_bits: SameBits) -> None:
    expected = outcome(runner, message)
    message |= {
        "more": [None, True, False, -1.5e3, {"é": "\u20ac\U0001f600"}],
        "attributes": message["attributes"][::-1],
    }
    spelled = {"model": "AAAA", "case": dict(reversed(message.items())), "id": -4, "type": "run"}
    text = json.dumps(spelled, separators=(" ,\t", " : ")).replace('"W"', r'"\u0057"').replace("/", r"\/")
    answer = decode_answer(served(runner, text.encode() + b"\r\n")[0], -4)
    same_bits(dict(from_answer(answer).outputs), dict(expected.outputs))  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "nul",
        '{"type": "describe", "id": 1} 2',
        '{"type": "describe", "id": 01}',
        '{"type": "describe", "id": 1.}',
        '{"type": "describe", "id": 1e}',
        '{"type": "describe", "id": +1}',
        '{"type": "describe", "id": 1,}',
        '{"type": "describe" "id": 1}',
        '{"type": "describe", id: 1}',
        '{"type": "describe", "id": [1 2]}',
        '{"type": "describe", "id": 1, "more": "\\x"}',
        '{"type": "describe", "id": 1, "more": "\\ud800"}',
        '{"type": "describe", "id": 1, "more": "\\ud800\\u0041"}',
        '{"type": "describe", "id": 1, "more": "\\udc00"}',
        '{"type": "describe", "id": 1, "more": "\\u12"}',
        '{"type": "describe", "id": 1, "more": "a\tb"}',
        '{"type": "describe", "id": 1, "more": "a\0b"}',
        '{"type": "describe", "id": 1, "more": "',
        "[" * 100 + "]" * 100,
        '{"type": "describe"}',
        '{"type": "describe", "id": "1"}',
        '{"type": "dance", "id": 1}',
    ],
)
def test_a_line_that_is_no_request_ends_it_with_a_sentence(runner: Path, line: str) -> None:
    done = subprocess.run([runner], input=line.encode() + b"\n", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"runner: the line is not a request of the serve protocol: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("attribute", "reason"),
    [
        ({"name": "clip", "type": "int", "value": 1}, "attribute-type"),
        ({"name": "clip", "type": "float", "value": "much"}, "attribute-type"),
        ({"name": "clip", "type": "floats", "value": [1.5]}, "attribute-type"),
        ({"name": "layout", "type": "int", "value": 0.5}, "attribute-type"),
        ({"name": "layout", "type": "int", "value": 2**63}, "attribute-type"),
        ({"name": "layout", "type": "int", "value": 2}, "layout"),
        ({"name": "hidden_size", "type": "int", "value": -(2**63)}, "hidden-size"),
        ({"name": "direction", "type": "string", "value": 3}, "attribute-type"),
        ({"name": "direction", "type": "string", "value": "forward\0"}, "direction"),
        ({"name": "activations", "type": "strings", "value": ["Tanh", 1, "Tanh"]}, "attribute-type"),
        ({"name": "activations", "type": "strings", "value": ["Tanh", "Tan\0", "Tanh"]}, "activation-name"),
        ({"name": "activation_alpha", "type": "floats", "value": ["NaN", "x"]}, "attribute-type"),
        ({"name": "linear_before_reset", "type": "int", "value": 1}, "attribute"),
        ({"name": "clip\0", "type": "float", "value": 1.0}, "attribute"),
    ],
)
def test_attributes_that_are_refused(
    runner: Path, message: dict[str, Any], attribute: dict[str, Any], reason: str
) -> None:
    told = outcome(runner, message | {"attributes": [attribute]})
    assert isinstance(told, Refused), told
    assert (told.kind, told.reason) == ("invalid", reason)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"operator": "SRU"}, "operator"),
        ({"opset": 2**70}, "opset"),
        ({"opset": 6}, "opset"),
        ({"outputs": ["Y", "Y"]}, "output"),
        ({"outputs": ["Z"]}, "output"),
        ({"outputs": []}, "no-outputs"),
        ({"constants": ["Q"]}, "constant"),
        ({"inputs": [{"name": "Q", "dtype": "float32", "shape": [], "data": ""}]}, "unknown-input"),
        ({"inputs": []}, "constant"),
        ({"inputs": [], "constants": []}, "missing-input"),
        (
            {"inputs": [{"name": "X", "dtype": "int8", "shape": [1], "data": "AA=="}], "constants": []},
            "missing-input",
        ),
    ],
)
def test_cases_that_are_refused(runner: Path, message: dict[str, Any], change: dict[str, Any], reason: str) -> None:
    told = outcome(runner, message | change)
    assert isinstance(told, Refused), told
    assert (told.kind, told.reason) == ("invalid", reason)


@pytest.mark.parametrize(
    "tensor",
    [
        {"shape": [0, -1], "data": ""},
        {"shape": [2, 0.5], "data": ""},
        {"shape": "2", "data": ""},
        {"shape": [2**63 - 1, 2**63 - 1], "data": "AAAAAA=="},  # 1 element, modulo 2^64
        {"shape": [2], "data": "AAAAAA=="},
        {"shape": [1], "data": "AAAAA"},
        {"shape": [1], "data": "AAA*AA=="},
        {"shape": [1], "data": "=AAAAA=="},
        {"shape": [1], "data": 3},
    ],
)
def test_tensors_that_break_the_protocol(runner: Path, message: dict[str, Any], tensor: dict[str, Any]) -> None:
    told = outcome(runner, message | {"inputs": [TINY | tensor]})
    assert isinstance(told, Raised), told
    assert told.exception == "ProtocolError"


@pytest.mark.parametrize(
    "name", ["é" * 60, "\ud7ff\ue000" * 30, "\U0001f600\U0010ffff" * 4, '"\\\n\x01\x7f', "\0quiet"]
)
def test_any_text_comes_back_as_json(runner: Path, message: dict[str, Any], name: str) -> None:
    told = outcome(runner, message | {"attributes": [{"name": "direction", "type": "string", "value": name}]})
    assert isinstance(told, Refused)
    spelled = name.replace("\0", "\\0")
    assert told.message.startswith(f'direction is "{spelled[:13]}')
    assert told.reason == "direction"


@pytest.mark.parametrize("count", range(8))
def test_every_length_of_data_comes_back(runner: Path, make_case: MakeCase, count: int) -> None:
    case = make_case("RNN", t=1, n=count, i=1, h=3, outputs=("Y",))
    told = outcome(runner, json.loads(encode(RunRequest(1, to_message(case))))["case"])
    assert told.outputs["Y"].tobytes() == run(case, "scalar")["Y"].tobytes()
    assert len(base64.b64encode(told.outputs["Y"].tobytes())) == (count * 12 + 2) // 3 * 4


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("-t", ""), "the numbers of threads are ''; they must be 1 to 256, between commas"),
        (("-t", "1,"), "the numbers of threads are '1,'; they must be 1 to 256, between commas"),
        (("-t", "257"), "the numbers of threads are '257'; they must be 1 to 256, between commas"),
        (("-t", "1;2"), "the numbers of threads are '1;2'; they must be 1 to 256, between commas"),
        (("-t", ",".join(["1"] * 65)), "the numbers of threads are '1,1,"),
        (("-p", "avx9"), "this build has no kernel path 'avx9'"),
        (("one",), "there must be two files or none; --help says more"),
    ],
)
def test_wrong_options(runner: Path, options: tuple[str, ...], sentence: str) -> None:
    done = subprocess.run([runner, *options], input="", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"runner: usage: {sentence}")


def packed(runner: Path, data: bytes, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "cases").write_bytes(data)
    command = [runner, "-p", "scalar", folder / "cases", folder / "answers"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "described",
    [
        b"\x82\xa4type\xa8describe\xa2id\x05",
        b"\xde\x00\x02\xd9\x04type\xda\x00\x08describe\xdb\x00\x00\x00\x02id\xcc\x05",
        b"\xdf\x00\x00\x00\x02\xa2id\xcd\x00\x05\xa4type\xa8describe",
        b"\x83\xa2id\xce\x00\x00\x00\x05\xa4type\xa8describe\xa1x\xdc\x00\x03\xc0\xc2\xc3",
        b"\x83\xa2id\xcf\x00\x00\x00\x00\x00\x00\x00\x05\xa4type\xa8describe\xa1x\xdd\x00\x00\x00\x01\xc4\x01a",
        b"\x83\xa2id\xd0\x05\xa4type\xa8describe\xa1x\x92\xc5\x00\x01a\xc6\x00\x00\x00\x01a",
        b"\x83\xa2id\xd1\x00\x05\xa4type\xa8describe\xa1x\x92\xca\x3f\x80\x00\x00\xcb" + bytes(8),
        b"\x82\xa2id\xd2\x00\x00\x00\x05\xa4type\xa8describe",
        b"\x82\xa2id\xd3\x00\x00\x00\x00\x00\x00\x00\x05\xa4type\xa8describe",
    ],
)
def test_messagepack_of_every_width(runner: Path, tmp_path: Path, described: bytes) -> None:
    assert msgspec.msgpack.decode(described)["id"] == 5
    assert packed(runner, b"\x91" + described, tmp_path).returncode == 0
    (told,) = msgspec.msgpack.decode((tmp_path / "answers").read_bytes())
    assert (told["type"], told["id"]) == ("description", 5)


@pytest.mark.parametrize(
    ("number", "code"), [(-1, b"\xff"), (-32, b"\xe0"), (-128, b"\xd0\x80"), (-(2**63), b"\xd3\x80" + bytes(7))]
)
def test_negative_integers(runner: Path, tmp_path: Path, number: int, code: bytes) -> None:
    assert packed(runner, b"\x91\x82\xa4type\xa8describe\xa2id" + code, tmp_path).returncode == 0
    assert msgspec.msgpack.decode((tmp_path / "answers").read_bytes())[0]["id"] == number


def test_a_float_of_either_width(runner: Path, make_case: MakeCase, tmp_path: Path) -> None:
    case = make_case("RNN", clip=0.3125)
    data = pack_cases([case])
    narrow = data.replace(b"\xcb" + struct.pack(">d", 0.3125), b"\xca" + struct.pack(">f", 0.3125))
    assert len(narrow) == len(data) - 4
    expected = digest(run(case, "scalar"))
    for each in (data, narrow):
        assert packed(runner, each, tmp_path).returncode == 0
        _, (told,) = unpack_answers((tmp_path / "answers").read_bytes(), 1)
        assert isinstance(told, Ran)
        assert digest(told.outputs) == expected


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "it ends within a value"),
        (b"\x80", "it is no list of requests"),
        (b"\x90\x90", "something follows the value"),
        (b"\x91\xc1", "it holds a type that is neither"),
        (b"\x91\xd4\x01\x02", "it holds a type that is neither"),
        (b"\xdd\xff\xff\xff\xff", "it ends within a value"),
        (b"\x91\xc6\xff\xff\xff\xff", "it ends within a value"),
        (b"\x91" * 100, "lists and maps are nested too deeply"),
        (b"\x91\x80", "it has no integer id"),
    ],
)
def test_files_that_are_no_requests(runner: Path, tmp_path: Path, data: bytes, sentence: str) -> None:
    done = packed(runner, data, tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"runner: {tmp_path / 'cases'}: {sentence}")


def test_files_that_cannot_be_read_or_written(runner: Path, corpus_cases: Path, tmp_path: Path) -> None:
    for words, subject in (
        ((tmp_path / "none", tmp_path / "answers"), tmp_path / "none"),
        ((corpus_cases, tmp_path / "no" / "answers"), tmp_path / "no" / "answers"),
        ((corpus_cases, "/dev/full"), "/dev/full"),
    ):
        done = subprocess.run([runner, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr.startswith(f"runner: {subject}: ")


@pytest.fixture(scope="module")
def sanitized(build: Callable[..., None], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sanitized")
    build(folder, "GATEWISE_TOOLS=ON", "GATEWISE_SANITIZE=address,undefined", targets=["runner"])
    return folder / "tools" / "runner"


@pytest.mark.builds
def test_the_corpus_under_sanitizers(sanitized: Path, corpus_cases: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sanitized, corpus_cases, tmp_path / "answers"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert not any(difference for _, difference in compare_answers(cases_root(), tmp_path / "answers"))


@pytest.mark.builds
@pytest.mark.parametrize("seed", range(30))
def test_broken_requests_under_sanitizers(sanitized: Path, make_case: MakeCase, tmp_path: Path, seed: int) -> None:
    draw = np.random.default_rng(seed)
    case = make_case("LSTM", t=2, n=1, i=3, h=2, direction="bidirectional", lengths=(1,), constants=("W", "P"))
    data = bytearray(pack_cases([case]))
    line = bytearray(encode(RunRequest(1, to_message(case))))
    for broken in (data, line):
        for place in draw.integers(len(broken), size=draw.integers(1, 7)):
            broken[place] = draw.choice([draw.integers(256), *b'"\\{}[],:0e'])
        if draw.random() < 0.3:
            del broken[draw.integers(len(broken)) :]
    told = packed(sanitized, bytes(data), tmp_path)
    assert told.returncode in {0, 2}, told.stderr
    assert "Sanitizer" not in told.stderr
    served_line = subprocess.run([sanitized, "-p", "scalar"], input=bytes(line), capture_output=True, check=False)
    assert served_line.returncode in {0, 2}, served_line.stderr
    assert b"Sanitizer" not in served_line.stderr
