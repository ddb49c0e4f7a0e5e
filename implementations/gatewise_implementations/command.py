"""Any program that runs one case and ends: ``command:PROGRAM {model} {inputs} {outputs}``.

``{model}`` is the path of ``model.onnx``, ``{inputs}`` of a folder with ``input_N.pb``, ``{outputs}`` of the folder
for ``output_N.pb``. Exit code 0 says that it ran, 2 that it refuses, with the reason on standard error.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_corpus.onnx_folder import DATA_SET, MODEL, read_tensors, write_folder
from gatewise_corpus.onnx_model import FormatError
from gatewise_corpus.outcome import Ran
from gatewise_implementations.adapter import CrashError, RefusalError, SetupError
from gatewise_implementations.child import CHUNK, STDERR_KEPT, describe_exit
from gatewise_implementations.specs import split_command

PLACES = ("{model}", "{inputs}", "{outputs}")
RAN = 0
REFUSED = 2


class Command:
    """The adapter of a program; ``words`` are its command with the PLACES in it."""

    def __init__(self, text: str, words: Sequence[str]) -> None:
        self._text = text
        self._words = words

    def describe(self) -> Description:
        """What runs here; a program says nothing of itself."""
        return Description(f"command:{Path(self._words[0]).name}", settings={"command": self._text})

    def run(self, case: Case) -> Ran:
        """The outputs of ``case``.

        Raises:
            RefusalError: if the program ends with exit code 2.
            CrashError: if it ends with another code or by a signal.
            FormatError: if it ends with 0, but did not write every output as a tensor.
        """
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_folder(folder, case, {})
            outputs = folder / "outputs"
            outputs.mkdir()
            paths = (folder / MODEL, folder / DATA_SET, outputs)
            code, stderr = _run([_filled(word, paths) for word in self._words])
            if code == REFUSED:
                raise RefusalError(stderr or "the program gave no reason")
            if code != RAN:
                raise CrashError(describe_exit(code), stderr)
            return Ran(_read_outputs(outputs, case.outputs))


def make_adapter(argument: str) -> Command:
    """The adapter of the command ``argument``.

    Raises:
        SetupError: if it lacks one of the PLACES, or there is no such program.
    """
    words = split_command(argument)
    missing = [place for place in PLACES if place not in argument]
    if missing:
        raise SetupError(f"the command {argument!r} lacks {', '.join(missing)}")
    if shutil.which(words[0]) is None:
        raise SetupError(f"there is no program {words[0]!r}")
    return Command(argument, words)


def _filled(word: str, paths: Sequence[Path]) -> str:
    for place, path in zip(PLACES, paths, strict=True):
        word = word.replace(place, str(path))
    return word


def _run(words: Sequence[str]) -> tuple[int, str]:
    """The exit code and the end of standard error; the time limit is the worker's, which ends its whole group."""
    end = b""
    with subprocess.Popen(words, stderr=subprocess.PIPE, bufsize=0) as process:  # noqa: S603 - the program under test
        while process.stderr and (chunk := process.stderr.read(CHUNK)):
            end = (end + chunk)[-STDERR_KEPT:]
    return process.returncode, end.decode(errors="replace").strip()


def _read_outputs(folder: Path, names: Sequence[str]) -> dict[str, Array]:
    outputs = read_tensors(folder, "output", names)
    for index, name in enumerate(names):
        if name not in outputs:
            raise FormatError(f"the program ended with 0, but did not write output_{index}.pb ({name})")
    return outputs
