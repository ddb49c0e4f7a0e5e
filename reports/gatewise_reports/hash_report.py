"""A hash report: what bits one implementation gives on one machine, case by case, as one canonical JSON file.

Two runs on one machine write the same bytes but for the field ``run``.
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from gatewise_corpus.exact_hashes import combined_hash
from gatewise_corpus.machine import Machine
from gatewise_reports.record import Implementation
from gatewise_reports.report import ReportError

HASH_FORMAT = 1
"""Raised when a field changes its meaning or goes; ``read_hash_report`` reads every format up to this one."""


class HashRun(msgspec.Struct, frozen=True):
    """When the run started, ISO 8601 with time zone, and how many seconds it took."""

    started: str
    seconds: float


class OperatorHashes(msgspec.Struct, frozen=True):
    """The cases of one operator.

    Attributes:
        hash: one hash for all of them; see ``gatewise_corpus.exact_hashes.combined_hash``.
        cases: the SHA-256 of the canonical outputs by name of the case, in the first configuration; where the case
            did not run, what came of it instead ("refused", "crashed" ...).
    """

    hash: str
    cases: dict[str, str]


class HashReport(msgspec.Struct, frozen=True):
    """One implementation on one machine.

    Attributes:
        format: version of this format.
        gatewise: version of gatewise.
        spec: how the implementation was named on the command line.
        implementation: what ran: its versions, compiler and flags, and those settings that all configurations share.
        machine: what it ran on.
        run: when and how long; the one field in which two runs on a machine differ.
        corpus: one hash over the cases themselves: two reports with the same are about the same cases.
        configurations: the ways in which each case was run, for instance "avx2,threads=3". ``rows=alone`` is each row
            of the batch by itself, ``constants=other`` the weights as inputs if they are constants, and the other way
            round.
        hash: one hash for all cases.
        operators: the cases by operator.
        differences: the cases that came out otherwise in other configurations than the first: by case, then by
            configuration.
    """

    format: int
    gatewise: str
    spec: str
    implementation: Implementation
    machine: Machine
    run: HashRun
    corpus: str
    configurations: tuple[str, ...]
    hash: str
    operators: dict[str, OperatorHashes]
    differences: dict[str, dict[str, str]] = {}

    @property
    def cases(self) -> dict[str, str]:
        """The hash of every case in the first configuration, by name."""
        return {name: hash_ for operator in self.operators.values() for name, hash_ in operator.cases.items()}

    def hash_of(self, case: str, configuration: str) -> str:
        """The hash of a case of the report in one of its configurations.

        Raises:
            KeyError: if the report has no such case.
        """
        return self.differences.get(case, {}).get(configuration) or self.cases[case]


def by_operator(hashes: Mapping[str, str], operators: Mapping[str, str]) -> dict[str, OperatorHashes]:
    """The cases' hashes by operator; both arguments are by name of the case."""
    found = {
        operator: {name: hash_ for name, hash_ in sorted(hashes.items()) if operators[name] == operator}
        for operator in sorted(set(operators.values()))
    }
    return {operator: OperatorHashes(combined_hash(cases), cases) for operator, cases in found.items()}


def encode_hash_report(report: HashReport) -> bytes:
    """The report as its file holds it."""
    return msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n"


def write_hash_report(report: HashReport, path: Path) -> None:
    """Writes the report.

    Raises:
        ReportError: if ``path`` cannot be written.
    """
    try:
        path.write_bytes(encode_hash_report(report))
    except OSError as error:
        raise ReportError(f"{path}: cannot be written ({error.strerror})") from error


class _Format(msgspec.Struct):
    format: int


def read_hash_report(path: Path) -> HashReport:
    """The report in ``path``, of this format or an older one.

    Raises:
        ReportError: if the file cannot be read, holds no hash report, or one of a newer format.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ReportError(f"{path}: cannot be read ({error.strerror})") from error
    try:
        found = msgspec.json.decode(text, type=_Format).format
        if found > HASH_FORMAT:
            raise ReportError(f"{path}: is of format {found}, but this gatewise reads up to {HASH_FORMAT}; update it")
        return msgspec.json.decode(text, type=HashReport)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ReportError(f"{path}: is not a hash report ({error})") from error
