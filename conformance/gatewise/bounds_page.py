"""The page docs/bounds.md: ``python -m gatewise.bounds_page FILE`` measures the bounds and writes it."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from gatewise.bounds import COARSEST, Sensitivity, distances, distances_of, sensitivities, widths
from gatewise.page import page_command
from gatewise_corpus.case import Case
from gatewise_corpus.store import Entry, load_entries
from gatewise_implementations.process import Worker
from gatewise_oracle.ball import Floats

Groups = Mapping[tuple[str, str], Floats]
_QUANTILES = (0.5, 0.9, 0.99, 1.0)
_INTRODUCTION = """# How narrow the bounds are

Made by `make bounds` on one x86-64 machine; do not edit. [model.md](model.md) derives the bounds.
"""
_WIDTHS = """## Width

Half of the admissible interval of every output element of the corpus, as a part of the largest magnitude in its
output: quantiles over all elements that have an interval. Values that are exact have none. Where the largest is above
1, all values of an output lie below the absolute error that an activation function may have: such cases tell
something by their bits in exact mode only, and `tests/conformance/test_bounds.py` names them.
"""
_DISTANCES = """## Where implementations lie

How far output values lie from the middle of their interval, in half widths; 1 is its end. Recorded deviations, which
lie outside and are named ones, are left out. float16 outputs are rounded, so that every place up to the end is used.
"""
_SENSITIVITY = """## Sensitivity

The smallest relative error in a single weight that is noticed, in a layer of 6 steps, 3 rows and as many inputs as
hidden units: median and worst of 8 weights. With many terms in a sum the error of one drowns in the roundings that
are allowed for all of them; a wrong block of weights, a lost term or a reduced precision does not.
"""


def render() -> str:
    """The page; measures all of it.

    Raises:
        SetupError: if the reference cannot be started.
    """
    entries = [entry for entry in load_entries() if not entry.about.refuse]
    parts = [
        _INTRODUCTION,
        _WIDTHS,
        _quantiles(_grouped((entry.case, widths(entry.case).relative) for entry in entries), _power),
        _free(entries),
        _DISTANCES,
        *_distance_tables(entries),
        _SENSITIVITY,
        _sensitivity_table(sensitivities()),
    ]
    return "\n".join(parts)


def _distance_tables(entries: Iterable[Entry]) -> Iterator[str]:
    recorded = [entry for entry in entries if "Y" in entry.outputs]
    runtimes = {(each.runtime, each.version) for entry in recorded if (each := entry.about.recording)}
    yield f"Recorded {', '.join(f'{name} {version}' for name, version in sorted(runtimes))}:\n"
    yield _quantiles(
        _grouped((entry.case, _inside(distances(entry.case, entry.outputs))) for entry in recorded), _plain
    )
    cases = [entry.case for entry in recorded if entry.case.inputs["X"].dtype != np.float64]
    with Worker("reference") as worker:
        measured = list(distances_of(worker.run, cases))
    yield "The reference in exact mode, on every kernel path of the machine:\n"
    yield _quantiles(_grouped(zip(cases, measured, strict=True)), _plain)


def _inside(found: Floats) -> Floats:
    return found[found <= 1]


def _grouped(measured: Iterable[tuple[Case, Floats]]) -> Groups:
    """All values by operator and type."""
    groups: dict[tuple[str, str], list[Floats]] = defaultdict(list)
    for case, values in measured:
        groups[case.operator, case.inputs["X"].dtype.name].append(values)
    return {key: np.concatenate(parts) for key, parts in sorted(groups.items())}


def _quantiles(groups: Groups, told: Callable[[float], str]) -> str:
    lines = ["| operator | type | elements | median | 90 % | 99 % | largest |", "|---|---|---|---|---|---|---|"]
    for (operator, dtype), values in groups.items():
        cells = [told(float(value)) for value in np.quantile(values, _QUANTILES)]
        lines.append(f"| {operator} | {dtype} | {values.size} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _free(entries: Iterable[Entry]) -> str:
    counted = {entry.name: widths(entry.case).free for entry in entries}
    told = [f"{count} in `{name}`" for name, count in counted.items() if count]
    return f"Elements that may have any value, because right evaluations differ there: {', '.join(told)}.\n"


def _sensitivity_table(found: Iterable[Sensitivity]) -> str:
    lines = ["| operator | weight in | inputs, units | median | worst |", "|---|---|---|---|---|"]
    lines += [
        f"| {each.operator} | {each.tensor} | {each.size} | {_error(each.median)} | {_error(each.worst)} |"
        for each in found
    ]
    return "\n".join(lines) + "\n"


def _error(exponent: float) -> str:
    return f"2^{exponent:.1f}" if exponent < COARSEST else f"above 2^{COARSEST}"


def _power(value: float) -> str:
    """As a power of 2 with one decimal."""
    return f"2^{math.log2(value):.1f}"


def _plain(value: float) -> str:
    return f"{value:.3f}"


main = page_command(render)

if __name__ == "__main__":
    main()
