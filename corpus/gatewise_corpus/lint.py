"""The corpus's linter and formatter: what a stored case must be."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from gatewise_corpus.case import Case
from gatewise_corpus.exact_hashes import EXACT_HASHES, EXACT_TYPES, read_exact_hashes
from gatewise_corpus.flags import FLAGS
from gatewise_corpus.layer import broken_rule, output_shapes
from gatewise_corpus.onnx_folder import DATA_SET, MODEL
from gatewise_corpus.onnx_model import FormatError, to_model
from gatewise_corpus.outcome import digest
from gatewise_corpus.refusal import REASONS
from gatewise_corpus.store import ABOUT, About, Entry, case_folders, format_about, load_entry, save_entry

DECISIONS = frozenset(f"D{number:02}" for number in range(1, 37))
SIZE_LIMIT = 30 * 2**20
"""Bytes that the whole corpus may take: it travels in the wheel."""

_NAME = re.compile(r"[a-z]+/[a-z0-9]+(-[a-z0-9]+)*")


class Finding(NamedTuple):
    """What is wrong with which case."""

    name: str
    message: str


def lint(root: Path) -> list[Finding]:
    """Everything that is wrong with the cases below ``root``.

    Raises:
        FormatError: if ``root`` is not a folder, or its exact hashes cannot be read.
    """
    findings: list[Finding] = []
    entries: list[Entry] = []
    for folder in case_folders(root):
        try:
            entries.append(load_entry(folder, root))
        except FormatError as error:
            findings.append(Finding(folder.relative_to(root).as_posix(), str(error)))
    for entry in entries:
        findings += [Finding(entry.name, message) for message in lint_entry(entry)]
    return [*findings, *_twins(entries), *_exact_hashes(root, entries), *_total(root)]


def lint_entry(entry: Entry) -> Iterator[str]:
    """Everything that is wrong with one case, taken alone."""
    yield from name_and_about_problems(entry.name, entry.case, entry.about)
    yield from _validity(entry)
    yield from _outputs(entry)
    yield from _files(entry)


def format_entry(entry: Entry) -> bool:
    """Writes ``entry`` the one way in which cases are written; whether anything changed."""
    before = _contents(entry.folder)
    root = entry.folder.parents[entry.name.count("/")]
    save_entry(root, entry.name, entry.case, entry.about, entry.outputs)
    return before != _contents(entry.folder)


def name_and_about_problems(name: str, case: Case, about: About) -> Iterator[str]:
    """What is wrong with a case's name and with what is said about it."""
    if not _NAME.fullmatch(name):
        yield "the name must be <operator>/<words-with-hyphens>, in lower-case letters and digits"
    operator = case.operator.lower()
    if not about.refuse and not name.startswith(f"{operator}/"):
        yield f"a case of {case.operator} must stand in {operator}/"
    if not re.fullmatch(r"\S.*[^.\s]\.", about.why, re.DOTALL):
        yield "why must be a sentence that ends in a full stop"
    for flag in set(about.flags) - FLAGS.keys():
        yield f"flag {flag!r} is not one of {', '.join(FLAGS)}"
    for decision in set(about.tests) - DECISIONS:
        yield f"tests names {decision!r}, which is not a decision D01 to D36"
    if about.refuse and about.refuse not in REASONS:
        yield f"refuse is {about.refuse!r}, which is not one of {', '.join(REASONS)}"
    if bool(about.refuse) != ("invalid" in about.flags):
        yield "the flag invalid and the field refuse belong together"


def _validity(entry: Entry) -> Iterator[str]:
    reason = broken_rule(entry.case)
    if reason != entry.about.refuse:
        yield f"refuse is {entry.about.refuse!r}, but validation says {reason!r}"


def _outputs(entry: Entry) -> Iterator[str]:
    recording = entry.about.recording
    if entry.about.refuse:
        if entry.outputs:
            yield "outputs stand here, but the case must be refused"
        return
    ran = recording is not None and recording.outcome == "ran"
    if ran and set(entry.outputs) != set(entry.case.outputs):
        yield f"outputs {sorted(entry.outputs)} stand here, but {sorted(entry.case.outputs)} were recorded"
    if entry.outputs and not ran:
        yield "outputs stand here, but no recording says where they come from"
    if broken_rule(entry.case):
        return
    shapes = output_shapes(entry.case)
    for name, array in entry.outputs.items():
        if array.shape != shapes[name] or array.dtype != entry.case.inputs["X"].dtype:
            yield f"recorded {name} is {array.dtype}{list(array.shape)}, but must be {list(shapes[name])} like X"


def _files(entry: Entry) -> Iterator[str]:
    fed = len(entry.case.inputs) - len(entry.case.constants)
    expected = {MODEL, ABOUT}
    expected |= {f"{DATA_SET}/input_{index}.pb" for index in range(fed)}
    expected |= {f"{DATA_SET}/output_{index}.pb" for index in range(len(entry.outputs))}
    contents = _contents(entry.folder)
    for name in contents.keys() ^ expected:
        yield f"{name} is {'not part of the case' if name in contents else 'missing'}"
    if contents.get(ABOUT) != format_about(entry.about):
        yield f"{ABOUT} is not formatted; run gatewise corpus fmt"
    if contents.get(MODEL) != to_model(entry.case).SerializeToString(deterministic=True):
        yield f"{MODEL} is not formatted; run gatewise corpus fmt"


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def _twins(entries: Iterable[Entry]) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for entry in entries:
        case = entry.case
        head = to_model(case).SerializeToString(deterministic=True).hex()
        key = head + digest(case.inputs)
        if key in seen:
            yield Finding(entry.name, f"is the same case as {seen[key]}")
        seen[key] = entry.name


def _exact_hashes(root: Path, entries: Iterable[Entry]) -> Iterator[Finding]:
    """Where a store has exact hashes, each valid case has one whose bits exact mode defines, and no other has."""
    if not (root / EXACT_HASHES).exists():
        return
    hashes = read_exact_hashes(root)
    defined = {entry.name for entry in entries if has_exact_bits(entry.case)}
    for name in sorted(defined - hashes.keys()):
        yield Finding(name, f"has no hash in {EXACT_HASHES}; run make hashes")
    for name in sorted(hashes.keys() - defined):
        yield Finding(name, f"has a hash in {EXACT_HASHES}, but is no valid case in float16 or float32")


def has_exact_bits(case: Case) -> bool:
    """Whether exact mode defines the bits of the outputs: of each valid case but in float64 (D30)."""
    return not broken_rule(case) and case.inputs["X"].dtype.name in EXACT_TYPES


def _total(root: Path) -> Iterator[Finding]:
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
    if size > SIZE_LIMIT:
        yield Finding("corpus", f"takes {size} bytes, but at most {SIZE_LIMIT} may travel in the wheel")
