import pytest
from hypothesis import given, settings

from gatewise.generate import DEFECTS, fresh_case, fresh_cases, invalid_cases, valid_cases
from gatewise_corpus.case import Case, same_case
from gatewise_corpus.features import features, sizes
from gatewise_corpus.layer import read_layer
from gatewise_corpus.refusal import RefusedError


@given(valid_cases())
@settings(max_examples=100, deadline=None, database=None)
def test_valid_cases_are_valid(case: Case) -> None:
    layer = read_layer(case)
    assert layer.outputs == case.outputs
    assert layer.hidden >= 1


@given(valid_cases().filter(lambda case: 0 not in sizes(case).values()))
@settings(max_examples=30, deadline=None, database=None)
def test_each_defect_makes_the_case_invalid_for_its_own_reason(case: Case) -> None:
    for reason, defect in DEFECTS.items():
        with pytest.raises(RefusedError) as caught:
            read_layer(defect(case))
        assert caught.value.reason == reason


@given(invalid_cases())
@settings(max_examples=50, deadline=None, database=None)
def test_invalid_cases_have_one_of_the_defects(case: Case) -> None:
    with pytest.raises(RefusedError) as caught:
        read_layer(case)
    assert caught.value.reason in DEFECTS


def test_seed_and_index_decide_a_case_and_nothing_else_does() -> None:
    first, again, other = fresh_cases(40, 5), fresh_cases(25, 5), fresh_cases(40, 6)
    assert len(first) == 40
    assert all(same_case(left, right) for left, right in zip(first, again, strict=False))
    assert same_case(first[17], fresh_case(5, 17))
    assert not any(same_case(left, right) for left, right in zip(first, other, strict=True))
    assert len({case.summary() for case in first}) > 35


def test_fresh_cases_reach_the_options() -> None:
    exercised = [features(case) for case in fresh_cases(200, 2)]
    assert {found["operator"] for found in exercised} == {"RNN", "GRU", "LSTM"}
    assert {found["direction"] for found in exercised} >= {"forward", "reverse", "bidirectional"}
    for name, value in [("special", "none"), ("clip", "absent"), ("sequence_lens", "absent"), ("size", "odd")]:
        others = sum(found[name] != value for found in exercised)
        assert others > 20, f"{name} is other than {value} in {others} of 200 cases only"


def test_no_cases_are_no_cases() -> None:
    assert fresh_cases(0, 1) == []
