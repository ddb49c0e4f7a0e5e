"""Pairs of option values: what is feasible, what is covered, and why the rest cannot be."""

import pytest

from gatewise_corpus.coverage import FACTORS, all_pairs, feasible_pairs, measure
from gatewise_corpus.features import features
from gatewise_corpus.recipes import covering
from gatewise_corpus.store import load_entries


@pytest.fixture(scope="module")
def cases() -> list:
    return [entry.case for entry in load_entries() if not entry.about.refuse]


def test_the_corpus_covers_every_feasible_pair(cases: list) -> None:
    coverage = measure(cases)
    assert coverage.missing == ()
    assert coverage.share == 1.0
    assert len(coverage.covered) + len(coverage.infeasible) == len(all_pairs()) == 1403


def test_every_infeasible_pair_has_its_reason() -> None:
    infeasible = measure([]).infeasible
    assert len(infeasible) == 26
    assert infeasible[("layout", "1"), ("opset", "7")] == "layout arrived in opset 14"
    assert infeasible[("operator", "GRU"), ("P", "given")] == "only the LSTM has peepholes"
    third = infeasible[("P", "given"), ("linear_before_reset", "1")]
    assert third == "only the LSTM has peepholes; only the GRU has linear_before_reset"


def test_a_pair_that_no_case_holds_is_missing(cases: list) -> None:
    without = [case for case in cases if not (case.operator == "GRU" and features(case)["clip"] == "nan")]
    missing = set(measure(without).missing)
    assert {
        (("operator", "GRU"), ("clip", "nan")),
        (("clip", "nan"), ("linear_before_reset", "1")),
    } <= missing
    assert missing <= set(feasible_pairs())


def test_no_case_holds_an_infeasible_pair(cases: list) -> None:
    infeasible = set(measure([]).infeasible)
    for case in cases:
        levels = features(case)
        held = {(a, b) for a, b in infeasible if levels[a[0]] == a[1] and levels[b[0]] == b[1]}
        assert not held, case.summary()


def test_a_covering_case_has_the_values_of_its_row() -> None:
    for recipe in covering.recipes():
        told = recipe.about.why.removeprefix("These options meet: ").removesuffix(".").split(", ")
        levels = features(recipe.case)
        assert all(levels[factor] == value for factor, value in (words.split(" ") for words in told)), recipe.name


def test_factors_are_features() -> None:
    case = next(covering.recipes()).case
    assert set(FACTORS) <= set(features(case))
