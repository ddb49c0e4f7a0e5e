"""The findings: taken out of reports, shown on a page, and still what the runtimes here do."""

import re
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from gatewise import findings_page
from gatewise.cli import main
from gatewise.findings import Finding, FindingsError, Seen, collect, find_seen, load_findings, load_seen
from gatewise_corpus.store import cases_root, load_entry
from gatewise_implementations import node
from gatewise_implementations.specs import ADAPTERS
from gatewise_reports.record import Header, Implementation, Result, Verdict
from gatewise_reports.report import Report, read_report

DOCS = Path(__file__).parents[2] / "docs"
FINDINGS = load_findings()


def test_the_page_is_up_to_date() -> None:
    assert (DOCS / "findings.md").read_text(encoding="utf-8") == findings_page.render()


def test_every_finding_is_seen_in_each_version_that_it_names_and_there_are_no_others() -> None:
    named = {
        (finding.implementation, version, finding.case)
        for finding in FINDINGS
        for version in (*finding.versions, *filter(None, [finding.fixed]))
    }
    assert len(FINDINGS) >= 25
    assert len(named) == len(load_seen())
    for finding in FINDINGS:
        verdicts = {find_seen(finding, version, load_seen()).result.verdict for version in finding.versions}
        assert not verdicts & {"pass", "refused", "not judged", "unsupported"}
        if finding.fixed:
            assert find_seen(finding, finding.fixed, load_seen()).result.verdict in {"pass", "refused"}


def test_a_case_that_must_be_refused_is_a_finding_only_where_it_ran_or_ended_the_process() -> None:
    for seen in load_seen():
        entry = load_entry(cases_root() / seen.result.case)
        right = {"accepted", "crashed", "timed out", "refused"} if entry.about.refuse else {"pass"}
        others = set() if entry.about.refuse else {"wrong", "deviates", "crashed", "raised"}
        assert seen.result.verdict in right | others, seen.result.case


def test_no_finding_tells_of_the_machine_that_saw_it() -> None:
    assert all(seen.result.again == "" and "/home" not in seen.result.message for seen in load_seen())


@pytest.mark.parametrize(
    "finding", [each for each in FINDINGS if each.implementation in {"onnxruntime", "onnx-reference"}]
)
def test_the_command_shows_it(finding: Finding, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    _, *words = finding.command().split()
    done = CliRunner().invoke(main, [*words, "--report", str(path)])
    report = read_report(path)
    versions = report.header.implementation.versions.values()
    installed = next((version for version in versions if version in {*finding.versions, finding.fixed}), None)
    if installed is None:
        pytest.skip(f"nothing is said of {finding.implementation} in the versions {', '.join(versions)}")
    (result,) = [result for result in report.results if not result.subject]
    assert result.verdict == find_seen(finding, installed, load_seen()).result.verdict
    assert done.exit_code == (installed != finding.fixed)


FINDING = Finding("sample", ("1.2",), "gru/reverse-alone", "It is wrong", "Because.", fixed="1.3")


def report_of(version: str, verdict: Verdict, subject: str = "") -> Report:
    header = Header("0.1.0", Implementation("sample", {"sample": version}), "sample", "here", "now", 1, 0)
    return Report(header, [Result("gru/reverse-alone", "line", verdict, 1.5, subject=subject, again="gatewise gate")])


def test_collecting_takes_the_result_of_each_version_and_leaves_out_what_only_one_run_says() -> None:
    old, new = collect([FINDING], [report_of("1.3", "pass"), report_of("1.2-4711", "wrong")])
    assert (old.implementation.versions["sample"], old.result.verdict, old.result.seconds) == ("1.2-4711", "wrong", 0)
    assert (new.implementation.versions["sample"], new.result.verdict, new.result.again) == ("1.3", "pass", "")


def test_collecting_leaves_out_the_number_of_a_process() -> None:
    report = report_of("1.2", "crashed")
    crashed = msgspec.structs.replace(report.results[0], message="[Inferior 1 (process 18385) detached]")
    old, _ = collect([FINDING], [Report(report.header, [crashed]), report_of("1.3", "pass")])
    assert old.result.message == "[Inferior 1 (process N) detached]"


@pytest.mark.parametrize(
    ("reports", "message"),
    [
        ([report_of("1.2", "wrong")], "there is no result of sample 1.3 for gru/reverse-alone"),
        ([report_of("1.20", "wrong")], "there is no result of sample 1.2 for gru/reverse-alone"),
        ([report_of("1.2", "wrong", "recorded")], "there is no result of sample 1.2 for gru/reverse-alone"),
        (
            [report_of("1.2", "unsupported")],
            "the result of sample 1.2 for gru/reverse-alone is unsupported, which the finding denies",
        ),
        (
            [report_of("1.2", "pass")],
            "the result of sample 1.2 for gru/reverse-alone is pass, which the finding denies",
        ),
        (
            [report_of("1.2", "wrong"), report_of("1.3", "wrong")],
            "the result of sample 1.3 for gru/reverse-alone is wrong, which the finding denies",
        ),
    ],
)
def test_a_finding_that_the_reports_do_not_show_is_refused(reports: list[Report], message: str) -> None:
    with pytest.raises(FindingsError, match=f"^{re.escape(message)}$"):
        collect([FINDING], reports)


def test_every_implementation_is_one_that_gatewise_can_run() -> None:
    known = ADAPTERS.keys() | node.PROVIDERS.keys()
    assert {(finding.spec or finding.implementation).partition(":")[0] for finding in FINDINGS} <= known


def test_seen_reads_back() -> None:
    seen = collect([FINDING], [report_of("1.2", "wrong"), report_of("1.3", "pass")])
    assert msgspec.json.decode(msgspec.json.encode(seen), type=list[Seen]) == seen
