"""GRU cases as calls of BNNS' gru and back, and what has no translation."""

import re
from dataclasses import replace
from itertools import product
from typing import Any, get_args

import numpy as np
import pytest

from gatewise.judge import Judge
from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.layer import read_layer
from gatewise_corpus.outcome import Ran
from gatewise_corpus.store import cases_root, load_entries, load_entry
from gatewise_implementations.adapter import RefusalError, SetupError
from gatewise_implementations.bnns.adapter import make_adapter
from gatewise_implementations.bnns.call import Activation, Call
from gatewise_implementations.bnns.model import Biases, Readings, Reset, Reverse, gru
from gatewise_implementations.bnns.translation import from_bnns, to_bnns, to_outputs
from gatewise_oracle.model import evaluate

EVERY_READING = [Readings(*each) for each in product(get_args(Reset), get_args(Biases), get_args(Reverse))]


def stored(name: str) -> Case:
    return load_entry(cases_root() / name).case


def full(name: str) -> Case:
    """A stored case with every row of full length."""
    return stored(name).with_inputs(sequence_lens=None)


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    """The GRU cases of the corpus, every row of full length, that have a translation if r may multiply h."""
    found = {}
    for entry in load_entries(cases_root()):
        case = entry.case.with_inputs(sequence_lens=None)
        if case.operator == "GRU":
            try:
                to_bnns(case, Readings(reset="name"))
            except RefusalError:
                continue
            found[entry.name] = case
    return found


@pytest.mark.parametrize("readings", EVERY_READING)
def test_a_case_comes_back_with_its_values(readings: Readings, cases: dict[str, Case]) -> None:
    there = {}
    for name, case in cases.items():
        try:
            there[name], _ = to_bnns(case, readings)
        except RefusalError:
            assert readings.reset == "formula"
            assert not case.attributes.get("linear_before_reset")
    for name, call in there.items():
        back = from_bnns(call, readings)
        with np.errstate(all="ignore"):
            expected, given = evaluate(read_layer(cases[name])), evaluate(read_layer(back))
        np.testing.assert_allclose(given["Y"], expected["Y"], rtol=1e-5, atol=1e-6, err_msg=name)
        np.testing.assert_allclose(given["Y_h"], expected["Y_h"], rtol=1e-5, atol=1e-6, err_msg=name)
    after = {name for name in there if cases[name].attributes.get("linear_before_reset")}
    assert {"gru/reset-after-forward", "gru/reset-after-reverse"} <= after
    assert (readings.reset == "name") == ("gru/reset-before-reverse" in there)


@pytest.mark.parametrize("readings", EVERY_READING)
@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_a_call_comes_back_with_its_values(readings: Readings, is_after: bool, direction: Any) -> None:
    for activation, recurrent in product(get_args(Activation), ("sigmoid", "linear")):
        call = drawn(direction, activation, recurrent, is_after)
        case = from_bnns(call, readings)
        assert case.outputs == ("Y", "Y_h")
        back, layer = to_bnns(case, readings)
        assert (back.direction, back.activation, back.recurrent_activation) == (direction, activation, recurrent)
        expected, given = gru(call, readings), gru(back, readings)
        np.testing.assert_allclose(given.output, expected.output, rtol=0, atol=2e-6)
        np.testing.assert_allclose(given.hidden_states, expected.hidden_states, rtol=0, atol=2e-6)
        outputs, model = to_outputs(given, layer, readings), evaluate(layer)
        np.testing.assert_allclose(outputs["Y"], model["Y"], rtol=0, atol=2e-6)
        np.testing.assert_allclose(outputs["Y_h"], model["Y_h"], rtol=0, atol=2e-6)


def test_the_outputs_are_those_that_the_call_returns() -> None:
    call = drawn("forward", "tanh", "sigmoid", is_after=True)
    assert from_bnns(call, Readings()).outputs == ("Y", "Y_h")
    assert from_bnns(replace(call, output_sequence=False), Readings()).outputs == ("Y_h",)


def drawn(direction: Any, activation: Any, recurrent: Any, is_after: bool) -> Call:
    """A call with L, N, Hin, Hout = 4, 3, 2, 5."""
    random = np.random.default_rng(5)
    shapes = ((4, 3, 2), (3, 5), (15, 2), (15, 5), (15,), (15,))
    tensors = [random.uniform(-0.4, 0.4, shape).astype(np.float32) for shape in shapes]
    return Call(
        *tensors,
        direction=direction,
        activation=activation,
        recurrent_activation=recurrent,
        apply_reset_gate_after_mat_mul=is_after,
    )


@pytest.mark.parametrize("is_after", [False, True])
def test_with_the_formulas_a_diagonal_r_and_linear_before_reset_say_where_there_is_a_call(is_after: bool) -> None:
    case = full("gru/reset-before-forward").with_attributes(linear_before_reset=int(is_after))
    layer = read_layer(case)
    diagonal = layer.R.copy()
    diagonal[0, 2] = np.diag(np.diag(diagonal[0, 2]))
    with_diagonal = case.with_inputs(R=diagonal.reshape(case.inputs["R"].shape))
    call, _ = to_bnns(with_diagonal, Readings())
    assert call.apply_reset_gate_after_mat_mul == is_after
    adapter = make_adapter("")
    outputs = adapter.run(with_diagonal).outputs
    np.testing.assert_allclose(outputs["Y"], evaluate(read_layer(with_diagonal))["Y"], rtol=0, atol=1e-6)
    if not is_after:
        with pytest.raises(RefusalError, match="unless R of the candidate is diagonal"):
            adapter.run(case)


def test_the_parameters_of_a_call_are_those_of_the_case() -> None:
    case = full("gru/reset-after-reverse")
    layer = read_layer(case)
    call, _ = to_bnns(case, Readings())
    hidden = layer.hidden
    for place, gate in enumerate(("r", "h", "z")):  # the page's r, n, z
        rows, index = slice(place * hidden, (place + 1) * hidden), layer.operator.gates.index(gate)
        np.testing.assert_array_equal(call.input_hidden_weight[rows], layer.W[0, index])
        np.testing.assert_array_equal(call.hidden_hidden_weight[rows], layer.R[0, index])
        assert layer.Wb is not None
        assert layer.Rb is not None
        np.testing.assert_array_equal(call.input_bias[rows], layer.Wb[0, index])
        np.testing.assert_array_equal(call.bias[rows], layer.Rb[0, index])
    np.testing.assert_array_equal(call.x, layer.X)
    np.testing.assert_array_equal(call.initial_hidden_states, layer.initial_h[0])
    assert (call.direction, call.activation, call.recurrent_activation) == ("reverse", "tanh", "sigmoid")


def test_the_sum_of_the_biases_is_right_whichever_reading_holds() -> None:
    case = full("gru/reset-before-forward")
    call, layer = to_bnns(case, Readings("name", "parameter"))
    assert not call.input_bias.any()
    for biases in get_args(Biases):
        result = gru(call, Readings("name", biases))
        np.testing.assert_allclose(result.output, evaluate(layer)["Y"][:, 0], rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("is_so", "name", "told"),
    [
        (Readings("formula"), "reset-before-forward", ("wrong", "", "reset-after-with-bias-outside")),
        (Readings("name", reverse="index"), "reset-before-reverse", ("wrong", "", "final-state-from-last-of-y")),
        (
            Readings("name", reverse="processing"),
            "reset-before-reverse",
            ("deviates", "D19", "reverse-in-processing-order"),
        ),
    ],
)
def test_the_judge_tells_which_reading_holds(is_so: Readings, name: str, told: tuple[str, str, str]) -> None:
    """A call that is made for other readings than those under which it runs."""
    case, believed = full(f"gru/{name}"), Readings("name")
    call, layer = to_bnns(case, believed)
    outputs = to_outputs(gru(call, is_so), layer, believed)
    judgement = Judge(Description("bnns"))(case, Ran({output: outputs[output] for output in case.outputs}))
    assert (judgement.verdict, judgement.clause, *(each.id for each in judgement.explanation)) == told


@pytest.mark.parametrize(
    ("name", "lack"),
    [
        ("lstm/smallest", "RNN or LSTM"),
        ("gru/reset-before-bidirectional", "two directions"),
        ("gru/nan-through-clip-tight", "clip"),
        ("gru/lengths-mixed-forward", "lengths of rows"),
        ("gru/activation-f-hardsigmoid", "stated function for these activations"),
        ("gru/activation-f-affine", "stated function for these activations"),
        ("gru/no-rows-without-state", "statement on sizes of 0"),
    ],
)
def test_what_has_no_translation_is_refused(name: str, lack: str) -> None:
    with pytest.raises(RefusalError, match=re.escape(f"the documented BNNS gru has no {lack}")) as caught:
        to_bnns(stored(name), Readings("name"))
    assert caught.value.kind == "unsupported"


def test_an_invalid_case_has_no_translation() -> None:
    with pytest.raises(RefusalError, match="there is no layer to hand to the documented BNNS gru"):
        make_adapter("").run(stored("gru/invalid-x-rank"))


def test_the_options_choose_the_readings() -> None:
    description = make_adapter("reset=name,biases=parameter,reverse=index").describe()
    chosen = {"reset": "name", "biases": "parameter", "reverse": "index"}
    assert description.name == "bnns-model-reset-before"
    assert chosen.items() <= dict(description.settings).items()
    assert make_adapter("").describe().name == "bnns-model"
    with pytest.raises(SetupError, match="reset=other, but must be one of formula, name"):
        make_adapter("reset=other")


@pytest.mark.parametrize("name", ["gru/reset-after-reverse", "gru/layout-1-forward"])
def test_the_adapter_gives_the_layout_and_the_outputs_of_the_case(name: str) -> None:
    case = full(name)
    for outputs in (("Y", "Y_h"), ("Y_h",)):
        asked = case.replace(outputs=outputs)
        ran = make_adapter("reset=name").run(asked)
        assert Judge(Description("bnns"), rerun=make_adapter("reset=name").run)(asked, ran).verdict == "pass"
