"""A bench as one JSON object, for programs that want no JSON lines."""

from gatewise_reports.bench.figures import Comparison, comparisons, grid_cells, thread_counts
from gatewise_reports.bench.report import BenchReport
from gatewise_reports.json_view import as_text


def render(report: BenchReport) -> str:
    """Header, state, cells, comparisons, footer."""
    counts = thread_counts(grid_cells(report))
    return as_text(
        {
            "header": report.header,
            "state": report.state,
            "failures": report.failures,
            "cells": report.cells,
            "comparisons": [_comparison(comparison, counts) for comparison in comparisons(report)],
            "footer": report.footer,
        }
    )


def _comparison(comparison: Comparison, counts: list[int]) -> dict[str, object]:
    worst = comparison.worst
    where = {name: getattr(worst.cell, name) for name in ("layer", "seq", "batch", "hidden")}
    return {
        "what": comparison.what,
        "against": comparison.against,
        "where": comparison.where,
        "cells": len(comparison.ratios),
        "geometric_mean": comparison.mean(),
        "by_threads": {str(threads): comparison.mean(threads) for threads in counts},
        "worst": {"ratio": worst.value, "threads": worst.threads, **where},
    }
