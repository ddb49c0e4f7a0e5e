"""Faults found in public runtimes: what is said of them, and the results in the reports that show them.

``python -m gatewise.findings REPORT...`` takes the results that the findings name out of the reports of a gate.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
import msgspec

from gatewise.cli.errors import told_in_a_sentence
from gatewise_reports.record import EXPECTED, VERDICTS, Implementation, Result
from gatewise_reports.report import Report, ReportError, ReportWriter, check_writable, read_records, read_report

FOLDER = Path(__file__).parents[2] / "reports" / "findings"
"""Where the findings stand in a checkout."""
FAULTS = frozenset(VERDICTS) - EXPECTED - {"unsupported"}
"""The verdicts of a fault; a runtime may refuse what it does not have."""
FINDINGS, SEEN = FOLDER / "findings.toml", FOLDER / "seen.jsonl"

_PROCESS = re.compile(r"\bprocess \d+")


class FindingsError(ReportError):
    """A finding that cannot be read, or that no report shows; the message is one sentence."""


class Finding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fault of a runtime.

    Attributes:
        implementation: as it names itself.
        versions: those that show it, oldest first.
        case: a case of the corpus that shows it.
        title: one clause: what the runtime does.
        why: one sentence: what is right, and by what.
        fixed: the first version tried that does not show it, "" if all show it.
        spec: the SPEC, "" where that is the implementation's name.
    """

    implementation: str
    versions: tuple[str, ...]
    case: str
    title: str
    why: str
    fixed: str = ""
    spec: str = ""

    def command(self) -> str:
        """What shows the fault where one of the versions is installed."""
        words = f"-i {self.spec or self.implementation} --examples 0 --no-shipped-list --only {self.case}"
        return f"gatewise gate {words}"


class Seen(msgspec.Struct, frozen=True):
    """What a version of a runtime gave for the case of a finding."""

    implementation: Implementation
    machine: str
    result: Result

    def shows(self, finding: Finding, version: str) -> bool:
        """Whether it is the result of this version for the case of ``finding``."""
        return (
            self.implementation.name == finding.implementation
            # OpenVINO's version goes on with a build number.
            and any(each.partition("-")[0] == version for each in self.implementation.versions.values())
            and self.result.case == finding.case
        )


class _List(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    finding: tuple[Finding, ...]


def load_findings(path: Path = FINDINGS) -> tuple[Finding, ...]:
    """The findings in their order.

    Raises:
        FindingsError: if the file cannot be read or is no list of findings.
    """
    try:
        return msgspec.toml.decode(path.read_bytes(), type=_List).finding
    except (OSError, msgspec.MsgspecError) as error:
        raise FindingsError(f"{path}: is no list of findings ({error})") from error


def load_seen(path: Path = SEEN) -> list[Seen]:
    """The results that were taken out of reports.

    Raises:
        ReportError: if the file cannot be read.
    """
    return read_records(path, msgspec.json.Decoder(Seen))


def find_seen(finding: Finding, version: str, seen: Iterable[Seen]) -> Seen:
    """The result of ``version`` for the case of ``finding``.

    Raises:
        FindingsError: if there is none, or it does not show what the finding says.
    """
    of_case = f"{finding.implementation} {version} for {finding.case}"
    found = next((each for each in seen if each.shows(finding, version)), None)
    if found is None:
        raise FindingsError(f"there is no result of {of_case}")
    if found.result.verdict not in (EXPECTED if version == finding.fixed else FAULTS):
        raise FindingsError(f"the result of {of_case} is {found.result.verdict}, which the finding denies")
    return found


def collect(findings: Iterable[Finding], reports: Sequence[Report]) -> list[Seen]:
    """The results for the findings' cases, of each version that they name.

    Raises:
        FindingsError: if the reports lack one, or it does not show what the finding says.
    """
    results = [
        Seen(report.header.implementation, report.header.machine, _stable(result))
        for report in reports
        for result in report.results
        if not result.subject
    ]
    return [
        find_seen(finding, version, results)
        for finding in findings
        for version in (*finding.versions, *filter(None, [finding.fixed]))
    ]


def _stable(result: Result) -> Result:
    """The result without what differs from run to run."""
    message = _PROCESS.sub("process N", result.message)
    return msgspec.structs.replace(result, again="", seconds=0, message=message)


@click.command(help="Take the results that the findings name out of the reports of a gate.")
@click.argument("reports", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False))
def main(reports: tuple[Path, ...]) -> None:
    """Writes ``SEEN``."""
    with told_in_a_sentence():
        seen = collect(load_findings(), [read_report(path) for path in reports])
        check_writable(SEEN)
        with ReportWriter(SEEN) as writer:
            for each in seen:
                writer.write(each)


if __name__ == "__main__":
    main()
