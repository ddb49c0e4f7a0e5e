"""Pairs and triples of option values, counted as cases come."""

import itertools

from gatewise_corpus.coverage import FACTORS, feasible_pairs
from gatewise_corpus.features import features
from gatewise_corpus.reach import Reach, feasible, row_of
from gatewise_corpus.recipes.recipe import Sizes, draw

CASE = draw("reach", "GRU", Sizes(2, 3, 4, 5), attributes={"linear_before_reset": 1}, lengths=[2, 0, 1])
OTHER = draw("reach-other", "LSTM", Sizes(2, 3, 4, 5))


def test_a_row_numbers_the_value_of_every_factor() -> None:
    row = row_of(CASE)
    assert row is not None
    found = features(CASE)
    assert [list(levels)[number] for number, levels in zip(row, FACTORS.values(), strict=True)] == [
        found[factor] for factor in FACTORS
    ]
    assert row_of(draw("reach-empty", "GRU", Sizes(0, 3, 4, 5))) is None


def test_every_tuple_of_a_row_is_counted_once() -> None:
    rows = [row for row in map(row_of, (CASE, OTHER, CASE)) if row]
    assert len(rows) == 3
    for size in (2, 3):
        reach = Reach(size)
        expected = set()
        for row in rows:
            reach.add(row)
            expected |= set(itertools.combinations(enumerate(row), size))
            assert reach.reached == len(expected)


def test_what_is_feasible_is_what_the_coverage_of_the_corpus_says() -> None:
    assert feasible(2) == len(feasible_pairs())
    assert feasible(1) == sum(map(len, FACTORS.values()))
    assert feasible(2) < feasible(3)
