"""Known failures: what an implementation is known to get wrong, with the reason (docs/known-failures.md).

A list belongs to an implementation. Each entry is a predicate on cases with the verdict that is expected there. An
entry that matches no case, or whose cases all pass, is stale and is itself a finding.
"""

import fnmatch
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import msgspec

from gatewise.judgement import Judgement
from gatewise_corpus.case import Case
from gatewise_corpus.features import FEATURES, sizes
from gatewise_corpus.layer import broken_rule
from gatewise_corpus.refusal import REASONS
from gatewise_reports.record import EXPECTED, Stale, Verdict

SHIPPED = Path(__file__).parent / "known_failures"
"""The lists that come with gatewise, named by the implementation that they are about."""
RECORDED = "recorded-onnxruntime"
"""The list for the recorded outputs of ONNX Runtime (D01)."""

Pattern = int | str
_ABOUT = ("name", "refuse")
_SIZES = ("seq", "batch", "input", "hidden")
_COMPARISON = re.compile(r"\s*(<=|>=|<|>)\s*(\d+)\s*")


class KnownFailuresError(ValueError):
    """A list that cannot be read; the message is one sentence."""


class Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of a list.

    Attributes:
        reason: one sentence: what the implementation does.
        verdict: the verdict that is expected, or several.
        when: the cases: for a feature, a size, "name" or "refuse", a pattern or a list of patterns of which one must
            fit.
        link: where it was reported.
        decision: id of the decision on which a deviation must rest, alone or beside those of other entries; "" for
            any.
    """

    reason: str
    verdict: Verdict | tuple[Verdict, ...]
    when: dict[str, Pattern | tuple[Pattern, ...]]
    link: str = ""
    decision: str = ""

    def matches(self, case: "NamedCase") -> bool:
        """Whether the case is one that the entry is about."""
        return all(case.fits(key, patterns) for key, patterns in self.when.items())

    def expects(self, judgement: Judgement) -> bool:
        """Whether the judgement is the failure that the entry tells of, or rests on its decision among others."""
        verdicts = (self.verdict,) if isinstance(self.verdict, str) else self.verdict
        return judgement.verdict in verdicts and self.decision in ("", *judgement.clauses)

    def told(self) -> str:
        """The reason, with the link if there is one."""
        return f"{self.reason} ({self.link})" if self.link else self.reason


@dataclass(frozen=True, eq=False)
class NamedCase:
    """A case and its name: what an entry can ask about; a feature is read off only when it is asked for."""

    name: str
    case: Case

    @cached_property
    def _refuse(self) -> str:
        return broken_rule(self.case) or "none"

    def fits(self, key: str, patterns: Pattern | tuple[Pattern, ...]) -> bool:
        """Whether what the case has for ``key`` fits one of ``patterns``."""
        alternatives = patterns if isinstance(patterns, tuple) else (patterns,)
        return any(self._fits_one(key, pattern) for pattern in alternatives)

    def _fits_one(self, key: str, pattern: Pattern) -> bool:
        if key in _SIZES:
            size = sizes(self.case).get(key)
            return size is not None and _compares(size, pattern)
        value = self._refuse if key == "refuse" else self.name if key == "name" else FEATURES[key](self.case)
        text = str(pattern)
        return fnmatch.fnmatchcase(value, text.removeprefix("!")) != text.startswith("!")


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """``extends`` names an implementation whose shipped list holds as well."""

    known: tuple[Known, ...] = ()
    extends: str = ""


@dataclass(frozen=True)
class Listed:
    """An entry with where it stands: the file, its number there from 1, whether the file comes with gatewise."""

    file: str
    number: int
    known: Known
    shipped: bool = False


@dataclass(frozen=True)
class Match:
    """The entries that are about a case, by index in the list, and those of them that tell of its failure."""

    about: tuple[int, ...] = ()
    telling: tuple[int, ...] = ()


@dataclass
class KnownFailures:
    """The known failures of one implementation, and how often each entry matched."""

    entries: Sequence[Listed] = ()
    _about: Counter[int] = field(default_factory=Counter)
    _telling: Counter[int] = field(default_factory=Counter)

    def match(self, name: str, case: Case, judgement: Judgement) -> Match:
        """The entries that are about ``case``; nothing is counted yet."""
        if not self.entries:
            return Match()
        named = NamedCase(name, case)
        about = tuple(index for index, entry in enumerate(self.entries) if entry.known.matches(named))
        telling = tuple(index for index in about if self.entries[index].known.expects(judgement))
        decisions = {self.entries[index].known.decision for index in telling}
        is_told = "" in decisions or decisions >= set(judgement.clauses)
        return Match(about, telling if is_told else ())

    def reason(self, match: Match) -> str:
        """Why the failure was expected; "" if no entry tells of it."""
        return "; ".join(dict.fromkeys(self.entries[index].known.told() for index in match.telling))

    def count(self, match: Match) -> None:
        """Takes a match into account for ``stale``."""
        self._about.update(match.about)
        self._telling.update(match.telling)

    def stale(self, *, with_shipped: bool) -> Iterator[Stale]:
        """The entries that no longer hold. Only a run over the whole corpus tells that of a shipped entry."""
        for index, entry in enumerate(self.entries):
            if self._telling[index] or (entry.shipped and not with_shipped):
                continue
            why = "no case that it matches fails in this way" if self._about[index] else "it matches no case"
            yield Stale(entry.file, entry.number, entry.known.reason, why)


def load_known_failures(paths: Sequence[Path], implementation: str = "") -> KnownFailures:
    """The list that comes with gatewise for ``implementation``, if there is one, and all files in ``paths``.

    Raises:
        KnownFailuresError: if a file cannot be read or holds something else.
    """
    return KnownFailures([*_read_shipped(implementation), *(entry for path in paths for entry in _read(path))])


def _shipped(implementation: str) -> list[Path]:
    path = SHIPPED / f"{implementation}.toml"
    return [path] if re.fullmatch(r"[\w-]+", implementation) and path.is_file() else []


def _read_shipped(implementation: str) -> Iterator[Listed]:
    return (replace(entry, shipped=True) for path in _shipped(implementation) for entry in _read(path))


def _read(path: Path) -> Iterator[Listed]:
    try:
        file = msgspec.toml.decode(path.read_bytes(), type=_File)
    except OSError as error:
        raise KnownFailuresError(f"{path}: cannot be read ({error.strerror})") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise KnownFailuresError(f"{path}: {error}") from error
    if file.extends:
        yield from _extended(path, file.extends)
    for number, entry in enumerate(file.known, start=1):
        problem = _problem(entry)
        if problem:
            raise KnownFailuresError(f"{path}: entry {number}: {problem}")
        yield Listed(path.name, number, entry)


def _extended(path: Path, implementation: str) -> Iterator[Listed]:
    if _shipped(implementation) in ([], [path]):
        raise KnownFailuresError(f"{path}: extends = {implementation!r}, but gatewise brings no other list so named")
    return _read_shipped(implementation)


def _problem(known: Known) -> str:
    if not known.when:
        return "when is empty, so that it would match every case; name a feature, a size or a case"
    for key, patterns in known.when.items():
        if key not in {*_ABOUT, *_SIZES, *FEATURES}:
            features = ", ".join(FEATURES)
            return f"{key!r} is neither {', '.join(_ABOUT)}, a size ({', '.join(_SIZES)}) nor a feature ({features})"
        for pattern in patterns if isinstance(patterns, tuple) else (patterns,):
            if key == "refuse" and not fnmatch.filter([*REASONS, "none"], str(pattern).removeprefix("!")):
                return f"refuse = {pattern!r}, but no rule has such an id; they are {', '.join(REASONS)}"
            if key in _SIZES and not isinstance(pattern, int) and not _COMPARISON.fullmatch(pattern):
                return f"{key} = {pattern!r}, but a size is compared as 3, '< 3', '<= 3', '> 3' or '>= 3'"
    verdicts = {known.verdict} if isinstance(known.verdict, str) else set(known.verdict)
    if not verdicts or verdicts & EXPECTED:
        return "the verdict must be one that is a finding"
    return ""


def _compares(size: int, pattern: Pattern) -> bool:
    if isinstance(pattern, int):
        return size == pattern
    found = _COMPARISON.fullmatch(pattern)
    if found is None:
        return False
    bound = int(found[2])
    return {"<": size < bound, "<=": size <= bound, ">": size > bound, ">=": size >= bound}[found[1]]
