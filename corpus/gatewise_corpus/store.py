"""The store of cases: a folder each, ``<operator>/<name>/``, with a ``case.toml`` that says why it exists."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from gatewise_corpus.case import Array, Case
from gatewise_corpus.onnx_folder import MODEL, read_folder, write_folder
from gatewise_corpus.onnx_model import FormatError
from gatewise_corpus.recording import Recording

ABOUT = "case.toml"


class About(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What ``case.toml`` holds.

    Attributes:
        why: one sentence: what the case would notice.
        origin: where it comes from: "covering", "sizes", ..., "fuzz", "report", or a link.
        flags: ids from ``gatewise_corpus.flags.FLAGS``.
        tests: ids of the decisions (D01 ...) that the case tests.
        refuse: id from ``gatewise_corpus.refusal.REASONS`` where the case must be refused, else "".
        recording: what a recorded runtime made of it.
    """

    why: str
    origin: str
    flags: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    refuse: str = ""
    recording: Recording | None = None


@dataclass(frozen=True, eq=False)
class Entry:
    """A stored case: its name (``lstm/covering-17``), folder, recorded outputs by slot, and what is said about it."""

    name: str
    folder: Path
    case: Case
    outputs: Mapping[str, Array]
    about: About


def cases_root() -> Path:
    """The folder of the cases: beside the package in a checkout, inside it when installed from a wheel."""
    return own_root() or Path(__file__).parent / "cases"


def own_root() -> Path | None:
    """The folder of the cases in a checkout; None where they were installed, and are not to be written to."""
    beside = Path(__file__).parent.parent / "cases"
    return beside if beside.is_dir() else None


def case_folders(root: Path) -> list[Path]:
    """The folders below ``root`` that hold a case, in the order of their names.

    Raises:
        FormatError: if ``root`` is not a folder, or itself a case.
    """
    if not root.is_dir():
        raise FormatError(f"{root}: is not a folder")
    if (root / ABOUT).exists():
        raise FormatError(f"{root}: is itself a case; name the folder that holds <operator>/<name>")
    return sorted(path.parent for path in root.rglob(ABOUT))


def load_entry(folder: Path, root: Path | None = None) -> Entry:
    """The case in ``folder``, named by its path below ``root`` (by default the last two parts of its path).

    Raises:
        FormatError: if a file is missing or does not hold what it should.
    """
    name = folder.relative_to(root).as_posix() if root else "/".join(folder.resolve().parts[-2:])
    case, outputs = read_folder(folder)
    return Entry(name, folder, case, outputs, read_about(folder / ABOUT))


def load_entries(root: Path | None = None) -> list[Entry]:
    """All cases below ``root`` (by default the corpus), in the order of their names.

    Raises:
        FormatError: if one of them cannot be read.
    """
    root = root or cases_root()
    return [load_entry(folder, root) for folder in case_folders(root)]


def read_about(path: Path) -> About:
    """What ``path``, a ``case.toml``, says.

    Raises:
        FormatError: if it is missing, not TOML, or has other fields than ``About``.
    """
    try:
        return msgspec.toml.decode(path.read_bytes(), type=About)
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({error.strerror})") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: {error}") from error


def format_about(about: About) -> bytes:
    """The one way in which a ``case.toml`` is written."""
    return msgspec.toml.encode(about)


def save_entry(root: Path, name: str, case: Case, about: About, outputs: Mapping[str, Array] | None = None) -> Path:
    """Writes a case below ``root`` and returns its folder; a case of this name is replaced."""
    folder = root / name
    write_folder(folder, case, outputs or {})
    (folder / ABOUT).write_bytes(format_about(about))
    return folder


def is_case_folder(path: Path) -> bool:
    """Whether ``path`` holds a model, with or without a ``case.toml``."""
    return (path / MODEL).is_file()
