"""What a run has found, on disk: a folder for each fault, which the next run remembers and the corpus can take in."""

import shlex
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
from onnx import printer

from gatewise.fuzz.bench import Circumstances
from gatewise.fuzz.fault import Fault, told
from gatewise.fuzz.round import Find
from gatewise.fuzz.script import script
from gatewise.judge import refusal_reason
from gatewise.mutant import outputs_under
from gatewise_corpus.case import Array, Case
from gatewise_corpus.features import features
from gatewise_corpus.lint import DECISIONS
from gatewise_corpus.onnx_folder import write_folder
from gatewise_corpus.onnx_model import FormatError, to_model
from gatewise_corpus.refusal import INVALID, RefusedError
from gatewise_corpus.store import ABOUT, About, case_folders, format_about, load_entry
from gatewise_reports.failure import failure_lines

RESULT, SCRIPT, ISSUE = "result.json", "reproduce.py", "issue.md"
_NEW = ".new-"
_FLAGS = {
    "lengths": ("sequence_lens", ("mixed", "some-zero", "all-zero")),
    "empty": ("size", ("empty",)),
    "activations": ("activations", ("one-set", "both-sets", "two-names", "other-count")),
}


@dataclass(frozen=True)
class Finds:
    """The folder ``root``; safe to write to from several processes, and to be killed at any moment."""

    root: Path

    def open(self) -> None:
        """Makes the folder.

        Raises:
            FormatError: if it cannot be made or written to.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryDirectory(prefix=_NEW, dir=self.root).cleanup()
        except OSError as error:
            raise FormatError(f"{self.root}: cannot be written ({error.strerror})") from error

    def keep(self, find: Find, circumstances: Circumstances) -> Path:
        """Writes a find and returns its folder; only a shrunk one replaces another of the same fault."""
        folder = self.root / find.fault.name
        if folder.exists() and not find.is_shrunk:
            return folder
        folder.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=_NEW, dir=self.root))
        try:
            _write(new, find, circumstances, folder)
            if folder.exists():
                old = Path(tempfile.mkdtemp(prefix=_NEW, dir=self.root))
                folder.replace(old / "old")
                new.replace(folder)
                shutil.rmtree(old)
            else:
                new.replace(folder)
        finally:
            shutil.rmtree(new, ignore_errors=True)
        return folder

    def drop(self, fault: Fault) -> None:
        """Removes the find of a fault that turned out, shrunk, to be another."""
        shutil.rmtree(self.root / fault.name, ignore_errors=True)

    def remembered(self) -> Iterator[tuple[str, Case]]:
        """The cases that earlier runs found, by name.

        Raises:
            FormatError: if one cannot be read.
        """
        for folder in case_folders(self.root) if self.root.is_dir() else ():
            if not folder.relative_to(self.root).parts[0].startswith(_NEW):
                yield folder.relative_to(self.root).as_posix(), load_entry(folder).case


def _write(folder: Path, find: Find, circumstances: Circumstances, target: Path) -> None:
    write_folder(folder, find.case, _expected(find.case))
    (folder / ABOUT).write_bytes(format_about(_about(find)))
    (folder / RESULT).write_bytes(msgspec.json.format(msgspec.json.encode(find.result)))
    (folder / SCRIPT).write_text(script(find.case, find.result, circumstances.spec), encoding="utf-8")
    (folder / ISSUE).write_text(issue(find, circumstances, target), encoding="utf-8")


def issue(find: Find, circumstances: Circumstances, folder: Path | None = None) -> str:
    """The find as the text of an issue: what happens, model, inputs, versions, machine, how to run it again."""
    result = find.result
    again = f"gatewise check {shlex.quote(str(folder))} -i {shlex.quote(circumstances.spec)}" if folder else ""
    inputs = "\n".join(
        f"{name} = {array.tolist()}  # {array.dtype}{list(array.shape)}" for name, array in find.case.inputs.items()
    )
    parts = [
        f"# {_title(find)}",
        "```text\n" + "\n".join(failure_lines(result)) + "\n```",
        "## Model\n\n```text\n" + printer.to_text(to_model(find.case)).strip() + "\n```",
        "## Inputs\n\n```python\n" + inputs + "\n```",
        "## Where\n\n" + "\n".join(f"- {line}" for line in (*circumstances.versions, circumstances.machine)),
        "## Run again\n\n```sh\n"
        + "\n".join(filter(None, [f"python {shlex.quote(str(folder / SCRIPT))}" if folder else "", again]))
        + "\n```",
    ]
    return "\n\n".join(parts) + "\n"


def _title(find: Find) -> str:
    """One line for a list of issues: the operator, and what it does."""
    result = find.result
    says = "; and ".join(each.says for each in result.explanation) or result.message or find.fault.what
    return f"{find.fault.operator} {find.fault.verdict}: {' '.join(says.split())}"


def _expected(case: Case) -> dict[str, Array]:
    try:
        return outputs_under(case)
    except RefusedError:
        return {}


def _about(find: Find) -> About:
    reason = refusal_reason(find.case)
    refuse = reason if reason in INVALID else ""
    found = features(find.case)
    flags = {flag for flag, (feature, values) in _FLAGS.items() if found[feature] in values}
    flags |= {"nan"} if "nan" in found["special"] else set()
    flags |= {"infinity"} if "inf" in found["special"] else set()
    flags |= {"subnormal"} if "subnormal" in found["special"] else set()
    flags |= {"invalid"} if refuse else set()
    decisions = [each for each in find.result.clause.split(", ") if each in DECISIONS]
    showed = " ".join(told(find.fault, find.result).split()).rstrip(" .")
    why = f"It was found by fuzzing, and showed {showed}."
    return About(why, "fuzz", tuple(sorted(flags or {"options"})), tuple(decisions), refuse)
