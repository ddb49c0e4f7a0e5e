"""The rows of the matrix: the features of the cases, each with the cases that have it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gatewise_corpus.coverage import FACTORS
from gatewise_corpus.features import FEATURES, features
from gatewise_corpus.flags import FLAGS
from gatewise_corpus.refusal import REASONS
from gatewise_corpus.store import Entry

NOTHING = frozenset({"none", "default"})
"""Values of features that mean that nothing is exercised."""


@dataclass(frozen=True)
class MatrixCase:
    """What the matrix tells of a case.

    Attributes:
        name: of the case.
        operator: "RNN", "GRU" or "LSTM", or what an invalid case has instead.
        line: the case in one line.
        why: why it exists.
        levels: features and their values, each of which is a row.
    """

    name: str
    operator: str
    line: str
    why: str
    levels: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Row:
    """One value of one feature.

    Attributes:
        feature: what the rows of a group have in common.
        value: what sets this one apart.
        says: what it means, where the words do not tell.
        cases: the names of the cases that have it.
    """

    feature: str
    value: str
    says: str
    cases: tuple[str, ...]


CASES, INVALID, FLAG, DECISION = "cases", "invalid input", "flag", "decision"
"""The groups of rows beside the features of valid cases."""


def matrix_case(entry: Entry) -> MatrixCase:
    """The case of ``entry``. What a case must be refused for is told of it, and no more."""
    case, about = entry.case, entry.about
    levels = [(CASES, "all"), (CASES, "must be refused" if about.refuse else "valid")]
    if about.refuse:
        levels.append((INVALID, about.refuse))
    else:
        levels += _levels(features(case))
        levels += [(FLAG, flag) for flag in about.flags]
    levels += [(DECISION, decision) for decision in about.tests]
    return MatrixCase(entry.name, case.operator, case.summary(), about.why, tuple(levels))


def matrix_rows(cases: Iterable[MatrixCase]) -> list[Row]:
    """A row for each value that some case has: all cases, then the features in their order, then the others."""
    found: dict[str, dict[str, list[str]]] = {}
    for case in cases:
        for feature, value in case.levels:
            found.setdefault(feature, {}).setdefault(value, []).append(case.name)
    groups = (CASES, *FEATURES, INVALID, FLAG, DECISION)
    return [
        Row(feature, value, _SAYS.get(feature, {}).get(value, ""), tuple(found[feature][value]))
        for feature in groups
        if feature in found
        for value in _ordered(feature, found[feature])
    ]


_SAYS: Mapping[str, Mapping[str, str]] = {INVALID: REASONS, FLAG: FLAGS}
_TABLES: Mapping[str, Sequence[str]] = {
    CASES: ("all", "valid", "must be refused"),
    INVALID: tuple(REASONS),
    FLAG: tuple(FLAGS),
    **{factor: values for factor, values in FACTORS.items() if factor != "opset"},
}
"""The values that some table lists, in its order. Of opsets the table of factors has a few among many."""


def _levels(values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """A level for each value; the parts of a joined value apart, unless the joined ones are a factor's own."""
    for feature, value in values.items():
        parts = [value] if value in FACTORS.get(feature, ()) else value.split("+")
        yield from ((feature, part) for part in dict.fromkeys(parts) if part not in NOTHING)


def _ordered(feature: str, values: Iterable[str]) -> list[str]:
    """The values in the order of the table that lists them; then the others, by number or by name."""
    table = list(_TABLES.get(feature, ()))

    def order(value: str) -> tuple[int, int, str]:
        listed = table.index(value) if value in table else len(table)
        return listed, int(value) if value.isdecimal() else 0, value

    return sorted(values, key=order)
