"""Hash reports held against each other, or one against itself: which bits differ, and what goes with that."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from gatewise_corpus.store import cases_root, is_case_folder, load_entry
from gatewise_reports.hash_report import HashReport
from gatewise_reports.report import ReportError

Reports = Mapping[str, HashReport]
"""By name."""


class Column(NamedTuple):
    """One configuration of one report."""

    report: str
    configuration: str


class ComparedReport(msgspec.Struct, frozen=True):
    """A report: its name, what ran and where, its hash, and how many of its cases differ in each configuration."""

    name: str
    machine: str
    implementation: str
    hash: str
    configurations: dict[str, int]

    @property
    def differs(self) -> bool:
        """Whether a case differs in any configuration."""
        return any(self.configurations.values())


class ComparedOperator(msgspec.Struct, frozen=True):
    """An operator: how many of its cases differ anywhere, and of how many."""

    name: str
    differing: int
    cases: int


class DifferingCase(msgspec.Struct, frozen=True):
    """A case that has not the same bits everywhere.

    Attributes:
        name: of the case.
        line: the case in one line; "" if the installed corpus has none of this name.
        elements: number of elements of its inputs; 0 if it is not there.
        hashes: who has which hash, the norm first: a report by its name, or some of its configurations.
    """

    name: str
    line: str
    elements: int
    hashes: dict[str, tuple[str, ...]]


class HashComparison(msgspec.Struct, frozen=True):
    """What differs between reports, and between the configurations of each.

    The norm of a case is the hash that most reports have in their first configuration; of several such, that of the
    report that comes first. What has another hash differs.

    Attributes:
        reports: the reports.
        cases: number of cases that all of them have.
        left_out: number of cases that only some have.
        same_corpus: whether all were made of the same cases with the same contents.
        operators: the operators.
        differing: the cases that differ, the smallest first.
        features_shared: what all differing machines have and no other has.
        features_lacked: what all other machines have and no differing one has.
    """

    reports: tuple[ComparedReport, ...]
    cases: int
    left_out: int
    same_corpus: bool
    operators: tuple[ComparedOperator, ...]
    differing: tuple[DifferingCase, ...]
    features_shared: tuple[str, ...]
    features_lacked: tuple[str, ...]


def report_names(paths: Sequence[Path]) -> list[str]:
    """What to call reports: their files' names without the suffix, or their paths where two names are equal."""
    stems = [path.stem for path in paths]
    return stems if len(set(stems)) == len(stems) else [str(path) for path in paths]


def compare_reports(reports: Reports) -> HashComparison:
    """Compares reports; at least one.

    Raises:
        ReportError: if they have no case in common.
    """
    first, *others = reports.values()
    common = [case for case in first.cases if all(case in report.cases for report in others)]
    if not common:
        raise ReportError("the reports have no case in common")
    columns = [Column(name, each) for name, report in reports.items() for each in report.configurations]
    norms = {case: _norm(reports, case) for case in common}
    outside = {case: [column for column in columns if _hash(reports, case, column) != norms[case]] for case in common}
    differing = [case for case in common if outside[case]]
    counts = Counter(column for case in differing for column in outside[case])
    compared = tuple(_compared(name, report, counts) for name, report in reports.items())
    shared, lacked = _features(reports, {report.name for report in compared if report.differs})
    return HashComparison(
        reports=compared,
        cases=len(common),
        left_out=len({case for report in reports.values() for case in report.cases}) - len(common),
        same_corpus=len({report.corpus for report in reports.values()}) == 1,
        operators=_operators(first, set(common), set(differing)),
        differing=tuple(sorted((_differing(reports, case, columns, norms[case]) for case in differing), key=_size)),
        features_shared=shared,
        features_lacked=lacked,
    )


def _hash(reports: Reports, case: str, column: Column) -> str:
    return reports[column.report].hash_of(case, column.configuration)


def _norm(reports: Reports, case: str) -> str:
    return Counter(report.cases[case] for report in reports.values()).most_common(1)[0][0]


def _compared(name: str, report: HashReport, counts: Mapping[Column, int]) -> ComparedReport:
    implementation = report.implementation
    versions = ", ".join(f"{part} {version}" for part, version in implementation.versions.items())
    return ComparedReport(
        name,
        report.machine.label,
        f"{implementation.name} ({versions})" if versions else implementation.name,
        report.hash,
        {each: counts[Column(name, each)] for each in report.configurations},
    )


def _operators(report: HashReport, common: set[str], differing: set[str]) -> tuple[ComparedOperator, ...]:
    cases = {operator: hashes.cases.keys() & common for operator, hashes in report.operators.items()}
    return tuple(ComparedOperator(name, len(own & differing), len(own)) for name, own in cases.items() if own)


def _differing(reports: Reports, case: str, columns: Sequence[Column], norm: str) -> DifferingCase:
    owners: dict[str, list[Column]] = {norm: []}
    for column in columns:
        owners.setdefault(_hash(reports, case, column), []).append(column)
    line, elements = _in_corpus(case)
    return DifferingCase(case, line, elements, {hash_: _owners(reports, own) for hash_, own in owners.items()})


def _owners(reports: Reports, columns: Sequence[Column]) -> tuple[str, ...]:
    """The columns by name, all those of one report as that report."""
    names = []
    for name, report in reports.items():
        own = [column.configuration for column in columns if column.report == name]
        if len(own) == len(report.configurations):
            names.append(name)
        else:
            names += own if len(reports) == 1 else [f"{name}: {configuration}" for configuration in own]
    return tuple(names)


def _in_corpus(name: str) -> tuple[str, int]:
    """The case in one line and the number of elements of its inputs."""
    folder = cases_root() / name
    if not is_case_folder(folder):
        return "", 0
    case = load_entry(folder).case
    return case.summary(), sum(array.size for array in case.inputs.values())


def _size(case: DifferingCase) -> tuple[bool, int, str]:
    return not case.line, case.elements, case.name


def _features(reports: Reports, differing: set[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What all differing machines have and no other has, and the other way round."""
    inside = [set(report.machine.features) for name, report in reports.items() if name in differing]
    outside = [set(report.machine.features) for name, report in reports.items() if name not in differing]
    if not inside or not outside:
        return (), ()
    return _in_all_of_only(inside, outside), _in_all_of_only(outside, inside)


def _in_all_of_only(inside: list[set[str]], outside: list[set[str]]) -> tuple[str, ...]:
    return tuple(sorted(inside[0].intersection(*inside).difference(*outside)))
