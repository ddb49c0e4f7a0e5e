"""The corpus in a packed file for a machine without Python, and the answers that come back."""

from collections.abc import Iterator
from pathlib import Path

from gatewise_corpus.onnx_model import FormatError
from gatewise_corpus.outcome import Crashed, Outcome, Raised, Ran, Refused, TimedOut, digest
from gatewise_corpus.store import load_entries
from gatewise_implementations.packed import pack_cases, unpack_answers
from gatewise_implementations.process import Worker
from gatewise_implementations.protocol import ProtocolError

EXPECTED = "reference:scalar,threads=1"
"""The SPEC that answers must agree with: in exact mode any configuration would do."""


def write_packed(root: Path, path: Path) -> int:
    """Writes the cases below ``root``, in the order of their names, and returns how many.

    Raises:
        FormatError: if a case cannot be read, or ``path`` cannot be written.
    """
    entries = load_entries(root)
    try:
        path.write_bytes(pack_cases([entry.case for entry in entries]))
    except OSError as error:
        raise FormatError(f"{path}: cannot be written ({error.strerror})") from error
    return len(entries)


def compare_answers(root: Path, path: Path) -> Iterator[tuple[str, str]]:
    """Each case below ``root`` with what differs between its packed answer and the reference here; "" if nothing.

    Outputs and the digests of all configurations must be equal to the bit, refusals in kind and reason.

    Raises:
        FormatError: if a case cannot be read, or the file holds no answers to these cases.
        SetupError: if the reference does not run here.
    """
    entries = load_entries(root)
    try:
        description, answers = unpack_answers(path.read_bytes(), len(entries))
    except (OSError, ProtocolError) as error:
        raise FormatError(f"{path}: {error.strerror if isinstance(error, OSError) else error}") from error
    configurations = description.settings.get("configurations", "").split()
    with Worker(EXPECTED) as worker:
        for entry, answer in zip(entries, answers, strict=True):
            yield entry.name, _difference(answer, worker.run(entry.case), configurations)


def _difference(answer: Outcome, expected: Outcome, configurations: list[str]) -> str:
    if not isinstance(answer, Ran) or not isinstance(expected, Ran):
        return "" if _told(answer) == _told(expected) else f"{_told(answer)}, but must be: {_told(expected)}"
    wanted = digest(expected.outputs)
    if list(answer.outputs) != list(expected.outputs) or digest(answer.outputs) != wanted:
        return "its outputs have other bits"
    missing = [name for name in configurations if name not in answer.digests]
    if missing:
        return f"configuration {missing[0]} did not run"
    others = [name for name, its in answer.digests.items() if its != wanted]
    return f"configuration {others[0]} gives other bits" if others else ""


def _told(outcome: Outcome) -> str:
    match outcome:
        case Ran():
            return "ran"
        case Refused(_, kind, reason):
            return f"refused as {kind}, {reason}"
        case Raised(_, message):
            return f"raised: {message}"
        case Crashed(how):
            return f"crashed: {how}"
        case TimedOut(seconds):
            return f"timed out after {seconds:g} seconds"
