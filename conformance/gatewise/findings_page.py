"""The page docs/findings.md: ``python -m gatewise.findings_page FILE`` writes it from the committed results."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from gatewise.findings import Finding, Seen, find_seen, load_findings, load_seen
from gatewise.page import page_command
from gatewise_corpus.case import Case
from gatewise_corpus.layer import output_to_layout, read_layer
from gatewise_corpus.refusal import INVALID
from gatewise_corpus.store import cases_root, load_entry
from gatewise_oracle.model import evaluate
from gatewise_reports.columns import piped
from gatewise_reports.failure import explanation_line, place_lines, show, verdict_line

_INTRODUCTION = """# What was found in public runtimes

Made by `make pages` from [`reports/findings/`](../reports/findings), which holds what the reports of the gate say; do
not edit. {count} findings, each a case of the corpus that a released version answers with wrong values, with the end
of its process, or with a result for a model that must be refused; or that it answers otherwise than this project
decides where the specification is silent (*deviates*). All were seen on {machines}.

These runtimes are good work, and most of what they compute is right: [the matrix](matrix.md) shows that too. A
finding says what one version did with one model. Layers of a framework, which have contracts of their own, are judged
only where an ONNX case can be translated.

A command shows the finding where that version is installed; `NAME:python=/path/to/python` in the place of `NAME`
[takes another environment](implementations.md#another-version-of-a-runtime). A block says what the report says; where
there was nothing to compare, its last line says what is right.
"""


def render() -> str:
    """The page.

    Raises:
        FindingsError: if a finding has no result that shows it.
        ReportError: if the results cannot be read.
        FormatError: if the corpus lacks one of the cases.
    """
    findings, seen = load_findings(), load_seen()
    machines = ", ".join(sorted({each.machine for each in seen}))
    parts = [_INTRODUCTION.format(count=len(findings), machines=machines), _table(findings, seen)]
    for runtime, own in groupby(findings, lambda finding: finding.implementation):
        parts += ["", f"## {runtime}", *(_told(finding, seen) for finding in own)]
    return "\n".join(parts) + "\n"


def _table(findings: Sequence[Finding], seen: Sequence[Seen]) -> str:
    rows = [
        [
            finding.implementation,
            ", ".join(finding.versions),
            finding.fixed or "",
            finding.title,
            find_seen(finding, finding.versions[-1], seen).result.verdict,
        ]
        for finding in findings
    ]
    return piped([["runtime", "seen in", "not in", "what it does", "verdict"], *rows], words=5)


def _told(finding: Finding, seen: Sequence[Seen]) -> str:
    results = [find_seen(finding, version, seen).result for version in finding.versions]
    result = results[-1]
    lines = [f"{result.case}: {result.line}", verdict_line(result)]
    lines += place_lines(result.place, result.outside) if result.place else []
    lines += [explanation_line(result.explanation)] if result.explanation else []
    told = [f"\n### {finding.title}\n", f"Seen in {', '.join(finding.versions)}{_fixed(finding)}. {finding.why}"]
    told += ["", "```text", *lines]
    told += [f"  {line}" for line in _right(finding.case)] if result.place is None else []
    return "\n".join([*told, "```", "", f"    {finding.command()}"])


def _fixed(finding: Finding) -> str:
    return f", no longer in {finding.fixed}" if finding.fixed else ""


def _right(name: str) -> Iterator[str]:
    """Where nothing was compared: what would be right."""
    entry = load_entry(cases_root() / name)
    if entry.about.refuse:
        yield f"right is to refuse it: {INVALID[entry.about.refuse]}"
    else:
        yield f"right is {'; '.join(_first_values(entry.case))}"


def _first_values(case: Case) -> Iterator[str]:
    layer = read_layer(case)
    values = evaluate(layer)
    for output in case.outputs:
        array = output_to_layout(output, values[output].astype(layer.dtype), layer.attributes.layout)
        shape = f"{output} {array.dtype}{list(array.shape)}"
        yield f"{shape} = {show(float(array.flat[0]))} ..." if array.size else f"{shape}, which is empty"


main = page_command(render)

if __name__ == "__main__":
    main()
