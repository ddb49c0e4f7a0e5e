"""A comparison of hash reports in words and tables, for a terminal and in Markdown."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gatewise_reports.hash_comparison import ComparedReport, DifferingCase, HashComparison
from gatewise_reports.words import counted

SHOWN = 12
"""So many digits of a hash are shown."""
MOST_CASES = 5
"""So many differing cases are shown, the smallest; JSON has them all."""
MOST_OWNERS = 4
"""So many reports or configurations that have the same hash of a case are named."""


@dataclass(frozen=True)
class Table:
    """Columns with a heading each; the first holds words, the others numbers or words."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def render_pretty(comparison: HashComparison) -> str:
    """The comparison as lines of text and aligned tables."""
    return "\n\n".join(_aligned(part) if isinstance(part, Table) else part for part in _parts(comparison)) + "\n"


def render_markdown(comparison: HashComparison) -> str:
    """The comparison in Markdown."""
    return "\n\n".join(_piped(part) if isinstance(part, Table) else part for part in _parts(comparison)) + "\n"


def _parts(comparison: HashComparison) -> Iterator[str | Table]:
    yield _verdict(comparison)
    yield Table(
        ("report", "machine", "implementation", "hash", "configurations"),
        [
            (each.name, each.machine, each.implementation, each.hash[:SHOWN], str(len(each.configurations)))
            for each in comparison.reports
        ],
    )
    if not comparison.same_corpus:
        yield "The reports were made of different corpora; where a case differs, its inputs may differ too."
    if not comparison.differing:
        return
    yield Table(
        ("operator", "cases", "differ"),
        [(each.name, str(each.cases), str(each.differing)) for each in comparison.operators],
    )
    yield Table(
        ("report", "configuration", "cases that differ"),
        [row for report in comparison.reports for row in _configuration_rows(report)],
    )
    yield from _features(comparison)
    yield from _cases(comparison.differing)


def _verdict(comparison: HashComparison) -> str:
    configurations = sum(len(each.configurations) for each in comparison.reports)
    ways = f"in all {configurations} configurations" if configurations > 1 else "in its one configuration"
    cases = f"{counted(comparison.cases, 'case')} {'has' if comparison.cases == 1 else 'have'}"
    left = f"; {comparison.left_out} more in some reports only" if comparison.left_out else ""
    if not comparison.differing:
        return f"identical: {cases} the same bits {ways}{left}"
    return f"different: {len(comparison.differing)} of {cases} not the same bits {ways}{left}"


def _configuration_rows(report: ComparedReport) -> Iterator[tuple[str, str, str]]:
    """A row for each configuration in which a case differs, or one for all where the same number differs in each."""
    counts = {configuration: count for configuration, count in report.configurations.items() if count}
    if len(counts) == len(report.configurations) and len(set(counts.values())) == 1:
        counts = {"each": counts.popitem()[1]}
    for configuration, count in counts.items():
        yield report.name, configuration, str(count)


def _features(comparison: HashComparison) -> Iterator[str]:
    differing = [report.name for report in comparison.reports if report.differs]
    if len(differing) == len(comparison.reports) or not (comparison.features_shared or comparison.features_lacked):
        return
    told = [
        f"{says}: {', '.join(features) or 'no feature'}"
        for says, features in (
            ("have, and the others have not", comparison.features_shared),
            ("have not, and the others have", comparison.features_lacked),
        )
    ]
    yield f"The machines that differ ({', '.join(differing)})\n" + "\n".join(f"- {line}" for line in told)


def _cases(cases: Sequence[DifferingCase]) -> Iterator[str]:
    yield "The smallest cases that differ:\n" + "\n".join(
        line for case in cases[:MOST_CASES] for line in _case_lines(case)
    )
    if len(cases) > MOST_CASES:
        yield f"... and {len(cases) - MOST_CASES} more; --format json has them all."


def _case_lines(case: DifferingCase) -> Iterator[str]:
    yield f"- {case.name}: {case.line}" if case.line else f"- {case.name} (not in this corpus)"
    for hash_, owners in case.hashes.items():
        left = f"; and {len(owners) - MOST_OWNERS} more" if len(owners) > MOST_OWNERS else ""
        yield f"  - {hash_[:SHOWN]}: {'; '.join(owners[:MOST_OWNERS])}{left}"


def _aligned(table: Table) -> str:
    rows = [table.columns, *table.rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _piped(table: Table) -> str:
    rows: Iterable[Sequence[str]] = (table.columns, ["---"] * len(table.columns), *table.rows)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
