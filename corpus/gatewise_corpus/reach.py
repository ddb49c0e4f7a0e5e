"""How much of the space of options some cases reach: pairs and triples of option values, counted as cases come."""

import itertools
import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from gatewise_corpus.case import Case
from gatewise_corpus.coverage import CONSTRAINTS, FACTORS
from gatewise_corpus.features import FEATURES

Row = tuple[int, ...]
"""For each factor, in the order of ``FACTORS``, the number of its value."""

_NUMBERS = {factor: {level: number for number, level in enumerate(levels)} for factor, levels in FACTORS.items()}
_COUNTS = np.array([len(levels) for levels in FACTORS.values()])
_FACTORS = tuple(FACTORS)


def row_of(case: Case) -> Row | None:
    """The option values of a valid case; None where one of them, such as a size of 0, is no value of its factor."""
    numbers = [levels.get(FEATURES[factor](case)) for factor, levels in _NUMBERS.items()]
    return tuple(number for number in numbers if number is not None) if None not in numbers else None


class Reach:
    """The tuples of ``size`` option values that rows have shown together: 2 for pairs, 3 for triples."""

    def __init__(self, size: int) -> None:
        self._factors = np.array(list(itertools.combinations(range(len(FACTORS)), size)))
        counts = _COUNTS[self._factors]
        self._strides = np.cumprod(np.concatenate([np.ones((len(counts), 1), int), counts[:, :-1]], axis=1), axis=1)
        ends = np.cumsum(counts.prod(axis=1))
        self._starts = ends - counts.prod(axis=1)
        self._seen = np.zeros(ends[-1], dtype=np.bool_)
        self.feasible = feasible(size)

    def add(self, row: Row) -> None:
        """Takes in the option values of a valid case."""
        self._seen[self._starts + (np.array(row)[self._factors] * self._strides).sum(axis=1)] = True

    @property
    def reached(self) -> int:
        """How many tuples have been seen."""
        return int(self._seen.sum())


@cache
def feasible(size: int) -> int:
    """How many tuples of ``size`` values of different factors some valid case can have.

    Only constrained factors can forbid anything, so only their product is searched; the others multiply.
    """
    constrained = [name for name in _FACTORS if any(name in (each.factor, each.needed) for each in CONSTRAINTS)]
    rows = _feasible_rows(constrained)
    total = 0
    for factors in itertools.combinations(_FACTORS, size):
        codes = np.zeros(len(rows), dtype=np.int64)
        for name in (name for name in factors if name in constrained):
            codes = codes * len(FACTORS[name]) + rows[:, constrained.index(name)]
        together = int(np.count_nonzero(np.bincount(codes)))
        total += together * math.prod(len(FACTORS[name]) for name in factors if name not in constrained)
    return total


def _feasible_rows(names: list[str]) -> NDArray[np.int64]:
    """The numbers of the values of the factors ``names`` in every choice that breaks no constraint."""
    rows = np.indices([len(FACTORS[name]) for name in names]).reshape(len(names), -1).T
    for each in CONSTRAINTS:
        has = np.isin(rows[:, names.index(each.factor)], [_NUMBERS[each.factor][value] for value in each.values])
        may = np.isin(rows[:, names.index(each.needed)], [_NUMBERS[each.needed][value] for value in each.allowed])
        rows = rows[~has | may]
    return np.asarray(rows)
