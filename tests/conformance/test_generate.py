import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st

from gatewise.contents import DISTRIBUTIONS, Contents
from gatewise.generate import (
    DEFECTS,
    _Choices,
    _lengths,
    cases,
    fresh_case,
    fresh_cases,
    invalid_cases,
    valid_cases,
)
from gatewise.judge import refusal_reason
from gatewise_corpus.case import Case, same_case
from gatewise_corpus.features import features, sizes
from gatewise_corpus.layer import read_layer
from gatewise_corpus.operators import OPERATORS
from gatewise_corpus.refusal import RefusedError


@given(valid_cases())
@settings(max_examples=100, deadline=None, database=None)
def test_valid_cases_are_valid(case: Case) -> None:
    layer = read_layer(case)
    assert layer.outputs == case.outputs
    assert layer.hidden >= 1


@given(valid_cases(empty=False))
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


def test_nearly_nothing_is_drawn_in_vain() -> None:
    """Cases are built, not sifted: Hypothesis gives up under 2 % of what it begins to draw."""
    begun = drawn = 0

    @seed(3)
    @settings(max_examples=400, deadline=None, database=None, phases=[Phase.generate])
    @given(st.data())
    def draw(data: st.DataObject) -> None:
        nonlocal begun, drawn
        begun += 1
        data.draw(cases())
        drawn += 1

    draw()
    assert drawn >= 400
    assert begun - drawn < 0.02 * begun


def test_no_two_gates_have_equal_blocks() -> None:
    for distribution in DISTRIBUTIONS:
        for number, operator in enumerate(OPERATORS.values()):
            dims = {"seq": 2, "batch": 3, "input": 1, "hidden": 1, "dirs": 2}
            inputs = Contents(distribution, number).tensors(operator, dims, 0, ["X", "W", "R", "B", "P"])
            if distribution in {"subnormal", "special"}:
                continue  # these repeat values on purpose; among ordinary ones no two are equal
            for name in inputs.keys() - {"X"}:
                blocks = inputs[name].reshape(-1)
                assert len(np.unique(blocks)) == blocks.size, (distribution, operator.name, name)


def test_what_one_tensor_holds_does_not_hang_on_the_others() -> None:
    dims = {"seq": 2, "batch": 3, "input": 4, "hidden": 5, "dirs": 1}
    few, all_ = (Contents("uniform", 7).tensors(OPERATORS["LSTM"], dims, 0, names) for names in ("XR", "XWRBP"))
    assert list(few) == ["X", "R"]
    assert list(all_) == ["X", "W", "R", "B", "P"]
    for name, array in few.items():
        np.testing.assert_array_equal(array, all_[name])


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("omitted", None),
        ("full", [3, 3, 3, 3, 3]),
        ("one", [1, 1, 1, 1, 1]),
        ("empty", [0, 0, 0, 0, 0]),
        ("ascending", [1, 2, 3, 3, 3]),
        ("descending", [3, 2, 1, 0, 0]),
        ("with-empty", [0, 3, 0, 3, 0]),
    ],
)
def test_lengths_of_each_kind(kind: str, expected: list[int] | None) -> None:
    lengths = _lengths(kind, {"seq": 3, "batch": 5}, Contents("uniform", 0))
    assert (lengths if lengths is None else lengths.tolist()) == expected


def test_the_biases_of_sizes_lengths_and_operators() -> None:
    found = fresh_cases(600, 4)
    hidden = [sizes(case).get("hidden", 0) for case in found]
    assert {7, 8, 9, 15, 16, 17, 31, 32, 33} <= set(hidden)
    assert sum(size <= 6 for size in hidden) > 300
    lengths = Counter(features(case)["sequence_lens"] for case in found)
    assert all(lengths[kind] >= 10 for kind in ("absent", "full", "mixed", "some-zero", "all-zero"))
    only = [draw_one(valid_cases(("GRU",), empty=False), number) for number in range(60)]
    assert {case.operator for case in only} == {"GRU"}
    assert 0 not in {size for case in only for size in sizes(case).values()}


def test_the_lower_a_byte_the_plainer_the_choice() -> None:
    values = ("plain", "other", "rare")
    chosen = [_Choices(bytes([byte])).one_of(values) for byte in (0, 85, 86, 170, 171, 255)]
    assert chosen == ["plain", "plain", "other", "other", "rare", "rare"]


def test_the_shares_of_defects_and_of_poisoned_padding() -> None:
    found = fresh_cases(600, 4)
    valid = [case for case in found if not refusal_reason(case)]
    assert 480 < len(valid) < 560
    poisoned = 0
    for case in valid:
        layer = read_layer(case)
        past = np.arange(layer.seq)[:, np.newaxis] >= layer.lengths
        if layer.X[past].size and np.isfinite(layer.X[~past]).all():
            is_nan = np.isnan(layer.X[past])
            assert is_nan.all() or not is_nan.any()
            poisoned += bool(is_nan.all())
    assert poisoned > 40


def test_directions_have_names_of_their_own_and_no_more_parameters_than_names() -> None:
    apart = 0
    for case in fresh_cases(600, 4):
        names = case.attributes.get("activations")
        if refusal_reason(case) or not isinstance(names, tuple):
            continue
        for parameter in ("activation_alpha", "activation_beta"):
            values = case.attributes.get(parameter, ())
            assert isinstance(values, tuple)
            assert len(values) <= len(names)
        half = len(names) // 2
        is_of_both = (
            case.attributes.get("direction") == "bidirectional" and features(case)["activations"] == "both-sets"
        )
        apart += is_of_both and names[:half] != names[half:]
    assert apart > 20


def test_lengths_that_the_seed_chooses_reach_all_that_their_kind_allows() -> None:
    sizes_ = {"seq": 5, "batch": 200}
    contents = Contents("uniform", 3)
    reached = {kind: set(np.asarray(_lengths(kind, sizes_, contents)).tolist()) for kind in ("mixed", "ties")}
    assert reached == {"mixed": {1, 2, 3, 4, 5}, "ties": {2, 4}}


def test_each_distribution_has_its_range() -> None:
    dims = {"seq": 2, "batch": 3, "input": 4, "hidden": 25, "dirs": 1}
    tensors = {name: Contents(name, 1).tensors(OPERATORS["LSTM"], dims, 0, ["W", "R"]) for name in DISTRIBUTIONS}
    for tensor, scale in (("W", 0.75), ("R", 0.3)):  # 1.5 over the root of what is summed
        largest = {name: np.abs(inputs[tensor]).max() / scale for name, inputs in tensors.items()}
        assert 0.98 < largest["uniform"] <= 1
        assert 0.24 < largest["contracting"] <= 0.25
        assert 3.9 < largest["chaotic"] <= 4
        assert np.abs(tensors["saturating"][tensor]).min() >= np.float32(8 * scale)


def test_special_values_are_few_and_of_every_kind() -> None:
    dims = {"seq": 2, "batch": 3, "input": 4, "hidden": 5, "dirs": 1}
    drawn = (Contents("special", seed).tensors(OPERATORS["RNN"], dims, 0, ["R"])["R"] for seed in range(100))
    values = np.concatenate([R.ravel() for R in drawn])
    assert np.isnan(values).any()
    assert np.isinf(values).any()
    assert 50 < np.sum(~(np.abs(values) <= 1)) < 150


def test_tensors_of_one_shape_differ() -> None:
    dims = {"seq": 2, "batch": 3, "input": 4, "hidden": 5, "dirs": 1}
    inputs = Contents("uniform", 7).tensors(OPERATORS["LSTM"], dims, 0, ["initial_h", "initial_c"])
    assert not (inputs["initial_h"] == inputs["initial_c"]).any()


def draw_one(strategy: st.SearchStrategy[Case], number: int) -> Case:
    drawn: list[Case] = []

    @seed(number)
    @settings(max_examples=2, deadline=None, database=None, phases=[Phase.generate])
    @given(strategy)
    def draw(case: Case) -> None:
        drawn.append(case)

    draw()
    return drawn[-1]


def test_a_test_with_the_strategies_counts_what_was_drawn(tmp_path: Path) -> None:
    path = tmp_path / "test_sample.py"
    path.write_text(
        "from hypothesis import given\n"
        "from gatewise.generate import valid_cases\n"
        "@given(valid_cases(['GRU']))\n"
        "def test_sample(case):\n"
        "    assert case.operator == 'GRU'\n"
    )
    command = [sys.executable, "-m", "pytest", "--hypothesis-show-statistics", "--rootdir", str(tmp_path), str(path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "100.00%, operator: GRU" in done.stdout
    assert {"direction", "lengths", "values"} <= set(re.findall(r"%, (\w+): ", done.stdout))
