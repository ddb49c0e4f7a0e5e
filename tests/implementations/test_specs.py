"""SPECs and the table of the adapters."""

import sys
from importlib import metadata
from pathlib import Path

import pytest

import gatewise_corpus
from gatewise_implementations import node, other_python, specs
from gatewise_implementations.adapter import SetupError
from gatewise_implementations.options import Options
from gatewise_implementations.process import Worker
from gatewise_implementations.specs import (
    ADAPTERS,
    Entry,
    Spec,
    availabilities,
    make_adapter,
    parse_spec,
    with_threads,
)

WORKER = (sys.executable, "-X", "faulthandler", "-m", "gatewise_implementations.worker")
ELSEWHERE = (
    "/old/python",
    "-X",
    "faulthandler",
    other_python.__file__,
    str(Path(gatewise_corpus.__file__).parent),
)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("onnxruntime", (*WORKER, "onnxruntime")),
        ("reference:avx2,threads=3", (*WORKER, "reference:avx2,threads=3")),
        ("backend:a.b:C", (*WORKER, "backend:a.b:C")),
        ("command:run --fast {model} {inputs} {outputs}", (*WORKER, "command:run --fast {model} {inputs} {outputs}")),
        ("onnxruntime:python=/old/python,threads=2", (*ELSEWHERE, "onnxruntime:threads=2")),
        ("onnx-reference:python=/old/python", (*ELSEWHERE, "onnx-reference")),
    ],
)
def test_an_adapter_runs_in_a_worker(text: str, command: tuple[str, ...]) -> None:
    assert parse_spec(text) == Spec(text, command, is_foreign=False)


def test_a_program_of_the_serve_protocol_is_started_itself() -> None:
    spec = parse_spec("serve:/usr/bin/my-runtime --name 'two words' a:b")
    assert spec.command == ("/usr/bin/my-runtime", "--name", "two words", "a:b")
    assert spec.is_foreign


@pytest.mark.parametrize(
    ("text", "specs"),
    [
        ("reference", ["reference:threads=1", "reference:threads=4"]),
        ("onnxruntime:optimization=all", [f"onnxruntime:optimization=all,threads={count}" for count in (1, 4)]),
        ("reference:scalar,threads=2", ["reference:scalar,threads=2"]),
        ("onnx-reference", ["onnx-reference"]),
        ("serve:runner --threads=2", ["serve:runner --threads=2"]),
        ("backend:mine", ["backend:mine"]),
    ],
)
def test_numbers_of_threads_are_given_to_what_takes_them(text: str, specs: list[str]) -> None:
    assert with_threads(text, (1, 4)) == specs


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "onnxrt:threads=1",
            r"'onnxrt' is not one of reference, .*, backend:MODULE\[:OBJECT\], command:PROGRAM .*, serve:PROGRAM",
        ),
        ("", "implementation '' is not one of"),
        ("serve", "'serve' names nothing to start; the form is serve:PROGRAM"),
        ("serve: ", "'serve: ' names nothing to start"),
        ("backend:", "'backend:' names nothing to start; the form is backend:MODULE"),
        ("serve:run 'half", 'command "run \'half" cannot be split into words: No closing quotation'),
    ],
)
def test_what_names_nothing_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(SetupError, match=sentence):
        parse_spec(text)


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> Entry:
    entry = Entry("missing", "missing", "no_such_module", "no-such", "pip install no-such")
    monkeypatch.setattr(specs, "ADAPTERS", {**ADAPTERS, "missing": entry})
    return entry


def test_what_can_run_is_known_without_importing_it(missing: Entry) -> None:
    known = {availability.name: availability for availability in availabilities()}
    assert set(known) == {*ADAPTERS, *node.PROVIDERS, missing.name}
    assert known["onnx-reference"].version == metadata.version("onnx")
    assert known["onnxruntime"].reason == ""
    assert known["missing"].version == ""
    assert known["missing"].reason == "no_such_module is not installed; pip install no-such"


def test_an_adapter_that_is_not_installed_says_how_to_install_it(missing: Entry) -> None:
    with pytest.raises(SetupError, match="no_such_module is not installed; pip install no-such"):
        make_adapter(missing.name)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("onnxruntime:threads=x", "^onnxruntime:threads=x: onnxruntime: threads=x, but must be an integer"),
        ("onnxruntime:python=/no/python", "'/no/python' cannot be started: No such file or directory"),
        ("backend:no_such_backend", "module 'no_such_backend' cannot be imported: No module named"),
        ("backend:json:loads", "json:loads has no prepare, so it is no ONNX backend"),
        ("backend:json:nothing", "module 'json' has no 'nothing'"),
        ("backend:json", "module 'json' has no prepare and defines 0 backend classes, so name one"),
        ("command:cat {model} {inputs}", r"the command 'cat {model} {inputs}' lacks {outputs}"),
        ("command:no-such {model} {inputs} {outputs}", "there is no program 'no-such'"),
    ],
)
def test_what_cannot_start_says_why_in_one_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(SetupError, match=sentence) as error, Worker(spec):
        pass
    assert "\n" not in str(error.value)


def test_options_are_words_and_pairs() -> None:
    options = Options("x", "avx2,threads=3,mode=fast")
    assert options.word(["scalar", "avx2"]) == "avx2"
    assert options.word(["scalar", "avx2"]) is None
    assert options.integer("threads", default=1, least=1) == 3
    assert options.integer("absent", default=7, least=1) == 7
    assert options.choice("mode", ["exact", "fast"], "exact") == "fast"
    assert options.choice("absent", ["exact", "fast"], "exact") == "exact"
    options.finish()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,,b", "x: option '' is empty"),
        ("=3", "x: option '=3' is empty"),
        ("a,a=2", "x: option 'a=2' is given twice"),
        ("scalar,avx2", "x: of the options scalar, avx2 only one may be given"),
        ("scalar=2", "x: option scalar takes no value"),
        ("threads=2147483648", "x: threads=2147483648, but must be an integer from 1 to 2147483647"),
        (f"threads={'9' * 5000}", r"x: threads=9{20}\.\.\., but must be an integer"),
        ("threads=-1", "x: threads=-1, but must be an integer from 1 to 2147483647"),
        ("threads=\u0663", "but must be an integer from 1 to 2147483647"),
        ("b,c=1", "x: there is no option 'b', 'c'"),
    ],
)
def test_options_that_are_none_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(SetupError, match=sentence):
        options_of_reference(text)


def options_of_reference(text: str) -> None:
    options = Options("x", text)
    options.word(["scalar", "avx2"])
    options.integer("threads", default=1, least=1)
    options.finish()
