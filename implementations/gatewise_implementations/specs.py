"""SPECs, which name an implementation on the command line, and the table of the adapters.

A named adapter may run in another environment, for instance one with an older release of its runtime:
``onnxruntime:python=/path/to/python`` starts it there (see ``other_python``). Packages of Node.js have names as well
(see ``node``).
"""

import shlex
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path

import gatewise_corpus
from gatewise_implementations import node, other_python
from gatewise_implementations.adapter import Adapter, SetupError

FORMS = {
    "backend": "backend:MODULE[:OBJECT]",
    "command": "command:PROGRAM {model} {inputs} {outputs}",
    "serve": "serve:PROGRAM",
}
"""The SPECs that name something to start rather than an adapter of the table."""


@dataclass(frozen=True)
class Entry:
    """An adapter of the table.

    Attributes:
        name: as a SPEC names it.
        module: module of this package that has ``make_adapter(argument)``; imported in the worker only.
        needs: module that must be installed.
        distribution: whose version is the implementation's.
        install: what to type to install it.
        takes_threads: whether it has the option ``threads=N``.
        needs_device: whether more than a module must be there, which only the adapter can tell (see ``devices``).
    """

    name: str
    module: str
    needs: str
    distribution: str
    install: str
    takes_threads: bool = False
    needs_device: bool = False


ADAPTERS = {
    entry.name: entry
    for entry in (
        Entry(
            "reference",
            "reference",
            "gatewise_implementations._reference",
            "gatewise",
            "pip install gatewise",
            takes_threads=True,
        ),
        Entry(
            "onnxruntime", "onnxruntime", "onnxruntime", "onnxruntime", "pip install onnxruntime", takes_threads=True
        ),
        Entry("onnx-reference", "onnx_reference", "onnx", "onnx", "pip install onnx"),
        Entry("openvino", "openvino", "openvino", "openvino", "pip install openvino", takes_threads=True),
        Entry("openvino-cell", "openvino_cell", "openvino", "openvino", "pip install openvino", takes_threads=True),
        Entry(
            "openvino-sequence",
            "openvino_sequence",
            "openvino",
            "openvino",
            "pip install openvino",
            takes_threads=True,
        ),
        Entry("bnns-model", "bnns.adapter", "numpy", "gatewise", "pip install gatewise"),
        Entry("tract", "tract", "tract", "tract", "pip install tract"),
        Entry(
            "opencv",
            "opencv",
            "cv2",
            "opencv-python-headless",
            "pip install opencv-python-headless",
            takes_threads=True,
        ),
        Entry(
            "onnxruntime-ggml",
            "onnxruntime_ggml",
            "onnxruntime_ggml",
            "onnxruntime-ggml",
            "pip install onnxruntime-ggml",
            takes_threads=True,
        ),
        Entry(
            "litert", "litert", "ai_edge_litert", "ai-edge-litert", "pip install ai-edge-litert", takes_threads=True
        ),
        Entry("torch", "torch", "torch", "torch", "pip install torch", takes_threads=True),
        Entry("keras", "keras", "keras", "keras", "pip install keras torch", takes_threads=True),
        Entry("webgpu", "webgpu.adapter", "wgpu", "wgpu", "pip install wgpu", needs_device=True),
        Entry("ncnn", "ncnn", "ncnn", "ncnn", "pip install ncnn", takes_threads=True),
        Entry(
            "iree",
            "iree",
            "iree",
            "iree-base-compiler",
            "pip install iree-base-compiler iree-base-runtime",
        ),
        Entry("mnn", "mnn", "MNN", "mnn", "pip install mnn", takes_threads=True),
    )
}


@dataclass(frozen=True)
class Spec:
    """A SPEC: its text, the command that starts it, and whether that is a foreign program of the serve protocol."""

    text: str
    command: tuple[str, ...]
    is_foreign: bool = False


@dataclass(frozen=True)
class Availability:
    """Whether an adapter of the table can run here: its version, or why it cannot."""

    name: str
    version: str = ""
    reason: str = ""


def parse_spec(text: str) -> Spec:
    """The SPEC that ``text`` names.

    Raises:
        SetupError: if it names no form, adapter or installed package of Node.js that there is, or its command cannot
            be split into words.
    """
    name, _, argument = text.partition(":")
    if name in FORMS and not argument.strip():
        raise SetupError(f"{text!r} names nothing to start; the form is {FORMS[name]}")
    if name == "serve":
        return Spec(text, tuple(split_command(argument)), is_foreign=True)
    if name in FORMS:
        return Spec(text, _worker_command(text))
    if name in node.PROVIDERS:
        return Spec(text, node.program_command(name, argument), is_foreign=True)
    if name in ADAPTERS:
        items = argument.split(",")
        pythons = [item for item in items if item.startswith("python=")]
        own = ",".join(item for item in items if item not in pythons)
        own_text = f"{name}:{own}" if own else name
        if pythons:
            return Spec(text, _command_elsewhere(pythons[-1].removeprefix("python="), own_text))
        return Spec(text, _worker_command(own_text))
    allowed = ", ".join([*ADAPTERS, *node.PROVIDERS, *FORMS.values()])
    raise SetupError(f"implementation {name!r} is not one of {allowed}")


def with_threads(text: str, numbers: Iterable[int]) -> list[str]:
    """The SPEC ``text`` with each of these numbers of threads; itself alone, where it names one or takes none."""
    name, _, argument = text.partition(":")
    options = argument.split(",") if argument else []
    if (
        name not in ADAPTERS
        or not ADAPTERS[name].takes_threads
        or any(each.startswith("threads=") for each in options)
    ):
        return [text]
    return [f"{name}:{','.join([*options, f'threads={number}'])}" for number in numbers]


def make_adapter(text: str) -> Adapter:
    """The adapter that the SPEC ``text`` names, in this process.

    Raises:
        SetupError: if there is none, or it cannot run here.
    """
    name, _, argument = text.partition(":")
    entry = ADAPTERS.get(name)
    if entry is not None and find_spec(entry.needs) is None:
        raise SetupError(f"{entry.needs} is not installed; {entry.install}")
    module = import_module(f"gatewise_implementations.{entry.module if entry else name}")
    adapter: Adapter = module.make_adapter(argument)
    return adapter


def availabilities() -> Iterator[Availability]:
    """Whether what each adapter of the table needs is installed; no runtime is imported."""
    for entry in ADAPTERS.values():
        if find_spec(entry.needs) is None:
            yield Availability(entry.name, reason=f"{entry.needs} is not installed; {entry.install}")
        else:
            yield Availability(entry.name, version=distribution_version(entry.distribution))
    for package in node.PROVIDERS:
        try:
            yield Availability(package, version=node.installed_version(package))
        except SetupError as error:
            yield Availability(package, reason=str(error))


def distribution_version(distribution: str) -> str:
    """The version of an installed distribution; "unknown" where a module is there without one."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "unknown"


def split_command(text: str) -> list[str]:
    """A command in words, as a shell splits it.

    Raises:
        SetupError: if a quotation is not closed.
    """
    try:
        return shlex.split(text)
    except ValueError as error:
        raise SetupError(f"command {text!r} cannot be split into words: {error}") from error


def _worker_command(text: str) -> tuple[str, ...]:
    return (sys.executable, "-X", "faulthandler", "-m", "gatewise_implementations.worker", text)


def _command_elsewhere(python: str, text: str) -> tuple[str, ...]:
    corpus = str(Path(gatewise_corpus.__file__).parent)
    return (python, "-X", "faulthandler", other_python.__file__, corpus, text)
