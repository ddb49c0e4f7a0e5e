"""Which pairs of option values occur together in some valid case of the corpus, and which cannot."""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gatewise_corpus.case import Case
from gatewise_corpus.features import features

Level = tuple[str, str]
"""A factor and one of its values."""
Pair = tuple[Level, Level]

FACTORS = MappingProxyType(
    {
        "operator": ("RNN", "GRU", "LSTM"),
        "direction": ("forward", "reverse", "bidirectional"),
        "layout": ("0", "1"),
        "opset": ("7", "14", "22"),
        "B": ("given", "omitted"),
        "sequence_lens": ("absent", "full", "mixed", "some-zero", "all-zero"),
        "initial_h": ("given", "omitted"),
        "initial_c": ("given", "omitted"),
        "P": ("given", "omitted"),
        "clip": ("absent", "positive", "infinite", "zero", "negative", "nan"),
        "activations": ("default", "one-set", "both-sets"),
        "parameters": ("none", "alpha", "beta", "both"),
        "linear_before_reset": ("0", "1"),
        "input_forget": ("0", "1"),
        "outputs": ("Y", "Y_h", "Y+Y_h", "Y_c", "Y+Y_c", "Y_h+Y_c", "Y+Y_h+Y_c"),
        "weights": ("constant", "dynamic"),
        "size": ("tiny", "odd", "vector", "wide", "long"),
    }
)
"""The options whose values must meet; each is a feature (``gatewise_corpus.features``).

Sizes of 0 are left out: most options mean nothing there, and recipes of their own test them.
"""


@dataclass(frozen=True)
class Constraint:
    """Where ``factor`` has one of ``values``, ``needed`` must have one of ``allowed``, for ``reason``."""

    factor: str
    values: tuple[str, ...]
    needed: str
    allowed: tuple[str, ...]
    reason: str

    def holds(self, row: Mapping[str, str]) -> bool:
        """Whether ``row``, which has a value for both factors, keeps to it."""
        return row[self.factor] not in self.values or row[self.needed] in self.allowed


CONSTRAINTS = (
    Constraint("P", ("given",), "operator", ("LSTM",), "only the LSTM has peepholes"),
    Constraint("initial_c", ("given",), "operator", ("LSTM",), "only the LSTM has a cell"),
    Constraint("input_forget", ("1",), "operator", ("LSTM",), "only the LSTM has input_forget"),
    Constraint("linear_before_reset", ("1",), "operator", ("GRU",), "only the GRU has linear_before_reset"),
    Constraint(
        "outputs", ("Y_c", "Y+Y_c", "Y_h+Y_c", "Y+Y_h+Y_c"), "operator", ("LSTM",), "only the LSTM has the output Y_c"
    ),
    Constraint("layout", ("1",), "opset", ("14", "22"), "layout arrived in opset 14"),
    Constraint(
        "activations", ("both-sets",), "direction", ("bidirectional",), "a second set needs a second direction"
    ),
)


@dataclass(frozen=True)
class Coverage:
    """The feasible pairs that occur, those that are missing, and the infeasible ones with the reason."""

    covered: tuple[Pair, ...]
    missing: tuple[Pair, ...]
    infeasible: Mapping[Pair, str]

    @property
    def share(self) -> float:
        """The covered share of the feasible pairs, 0 to 1."""
        return len(self.covered) / (len(self.covered) + len(self.missing))


def measure(valid_cases: Iterable[Case]) -> Coverage:
    """The coverage that ``valid_cases`` reach together."""
    seen: set[Pair] = set()
    for case in valid_cases:
        levels = features(case)
        seen |= set(itertools.combinations([(factor, levels[factor]) for factor in FACTORS], 2))
    feasible = feasible_pairs()
    return Coverage(
        covered=tuple(pair for pair in feasible if pair in seen),
        missing=tuple(pair for pair in feasible if pair not in seen),
        infeasible={pair: _reason(pair) for pair in all_pairs() if pair not in feasible},
    )


def all_pairs() -> list[Pair]:
    """Every pair of values of two factors, feasible or not."""
    return [
        ((first, left), (second, right))
        for first, second in itertools.combinations(FACTORS, 2)
        for left in FACTORS[first]
        for right in FACTORS[second]
    ]


def feasible_pairs() -> dict[Pair, None]:
    """The pairs that some choice of all values holds without breaking a constraint, in order.

    Only the constrained factors can forbid anything, so only their product is searched.
    """
    constrained = [name for name in FACTORS if any(name in (c.factor, c.needed) for c in CONSTRAINTS)]
    possible: set[Pair] = set()
    for values in itertools.product(*(FACTORS[name] for name in constrained)):
        row = dict(zip(constrained, values, strict=True))
        if all(constraint.holds(row) for constraint in CONSTRAINTS):
            possible |= set(itertools.combinations(row.items(), 2))
    free = set(FACTORS) - set(constrained)
    return {pair: None for pair in all_pairs() if pair in possible or {pair[0][0], pair[1][0]} & free}


def _reason(pair: Pair) -> str:
    """The constraints that forbid ``pair``: the one between its factors, or those that leave a third no value."""
    row = dict(pair)
    direct = [c.reason for c in CONSTRAINTS if c.factor in row and c.needed in row and not c.holds(row)]
    touching = [c.reason for c in CONSTRAINTS if row.get(c.factor) in c.values]
    return "; ".join(direct or touching)
