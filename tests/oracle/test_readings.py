"""Each reading explains the outputs of an implementation that has it, and nothing else does."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime
import pytest
from float32_model import Float32
from sample_cases import SEQ, make_case, with_activations

from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import Layer, output_to_layout, read_layer
from gatewise_corpus.onnx_model import feeds, to_model
from gatewise_corpus.refusal import RefusedError
from gatewise_oracle.decisions import DECISIONS
from gatewise_oracle.explanation import explain
from gatewise_oracle.misreadings import MISREADINGS
from gatewise_oracle.model import evaluate
from gatewise_oracle.readings import (
    Balls,
    Reading,
    admissible,
    as_read,
    fits,
    outside,
    readings_for,
    telling_values,
)
from gatewise_oracle.tolerance import Tolerance

NAN, INF = np.nan, np.inf
BY_NAME = {reading.name: reading for reading in DECISIONS}


def poisoned(case: Case, name: str = "X", place: Any = (1, 1, 0), value: float = NAN) -> Case:
    array = case.inputs[name].copy()
    array[place] = value
    return case.with_inputs(**{name: array})


def outputs_under(case: Case, readings: Sequence[Reading]) -> dict[str, Array]:
    """What an implementation with these readings gives, in the case's layout."""
    layer, semantics = as_read(case, readings)
    with np.errstate(invalid="ignore", over="ignore"):
        return {
            name: output_to_layout(name, value, layer.attributes.layout).astype(layer.dtype)
            for name, value in evaluate(layer, semantics).items()
        }


def one_unit(activation: str, x: float, **attributes: Any) -> Case:
    """An RNN of two units with no recurrence, whose first activation's input is exactly ``x``."""
    case = make_case("RNN", sizes=(1, 1, 1, 2), omit=("B", "initial_h"), activations=(activation,), **attributes)
    return case.with_inputs(
        X=np.array([[[x]]], np.float32), W=np.array([[[1], [0.5]]], np.float32), R=np.zeros((1, 2, 2), np.float32)
    )


def tiny_layer() -> Case:
    """Products of normal numbers that are subnormal."""
    case = make_case("RNN", sizes=(1, 2, 1, 3), omit=("B", "initial_h"), activations=("Relu",))
    return case.with_inputs(
        X=np.full((1, 2, 1), 2.0**-70, np.float32),
        W=np.full((1, 3, 1), 1.3 * 2.0**-57, np.float32),
        R=np.zeros((1, 3, 3), np.float32),
    )


SQUARE = (3, 3, 2, 4)
CASES = {
    "clip-zero-clamps": make_case("RNN", clip=0.0),
    "clip-sign-ignored": make_case("LSTM", clip=-0.3),
    "clip-negative-lower": make_case("GRU", clip=-0.3),
    "clip-negative-upper": make_case("GRU", clip=-0.3),
    "clip-nan-spreads": make_case("RNN", clip=NAN),
    "nan-becomes-clip": poisoned(make_case("GRU", clip=0.6)),
    "nan-becomes-minus-clip": poisoned(make_case("LSTM", clip=0.6)),
    "nan-becomes-infinity": poisoned(make_case("LSTM", clip=float("inf"))),
    "largest-float-is-the-clip": poisoned(make_case("LSTM")),
    "largest-float-bounds-infinities": poisoned(poisoned(with_activations("RNN", ["Relu"]), "X", (0, 1, 1), INF)),
    "clip-on-cell": make_case("LSTM", clip=0.3),
    "clip-on-input-of-h": make_case("LSTM", clip=0.3),
    "relu-drops-nan": poisoned(with_activations("RNN", ["Relu"])),
    "hard-sigmoid-drops-nan": poisoned(with_activations("RNN", ["HardSigmoid"])),
    "thresholded-relu-keeps-nan": poisoned(with_activations("RNN", ["ThresholdedRelu"])),
    "thresholded-relu-inclusive": one_unit("ThresholdedRelu", 0.75, activation_alpha=(0.75,)),
    "zero-defaults": make_case("RNN", activations=("Affine",)),
    "empty-row-keeps-state": make_case("GRU", lengths=(SEQ, 0, 2)),
    "no-steps-give-zeros": make_case("LSTM", sizes=(0, 3, 2, 4)),
    "padding-carries-last-state": make_case("LSTM", lengths=(SEQ, 3, 2)),
    "reverse-in-processing-order": make_case("GRU", direction="bidirectional"),
    "only-one-is-true": make_case("GRU", linear_before_reset=2),
    "omitted-state-skips-product": poisoned(make_case("RNN", omit=("initial_h",)), "R", (0, 1, 1), INF),
    "results-flushed": tiny_layer(),
    "subnormals-flushed": tiny_layer().with_inputs(
        X=np.full((1, 2, 1), 2.0**-130, np.float32), W=np.full((1, 3, 1), 1.3 * 2.0**57, np.float32)
    ),
    "layout-ignored": make_case("RNN", layout=1, sizes=SQUARE, omit=("initial_h",)),
    "elu-literal": one_unit("Elu", -1.3e-7, activation_alpha=(1.5,)),
    "softplus-literal": one_unit("Softplus", 90.0),
}


def test_every_reading_has_a_case_and_a_decision() -> None:
    assert CASES.keys() == BY_NAME.keys()
    assert len(BY_NAME) == len(DECISIONS)
    assert {reading.decision for reading in DECISIONS} == {
        f"D{number:02d}" for number in (2, 3, 4, 5, 6, 7, 14, 15, 18, 19, 21, 23, 26, 28, 35)
    }


def flush(outputs: dict[str, Array]) -> dict[str, Array]:
    return {name: np.where(np.abs(value) < 2.0**-126, 0, value) for name, value in outputs.items()}


@pytest.mark.parametrize("name", CASES)
def test_a_reading_explains_its_own_outputs_and_the_base_does_not(name: str) -> None:
    case, reading = CASES[name], BY_NAME[name]
    assert reading in readings_for(case, DECISIONS)
    outputs = outputs_under(case, [reading])
    # Declared as more precise than the literal formulas of D35, so that these show.
    tolerance = Tolerance({"Elu": 0.1, "Softplus": 0.5})
    if name == "elu-literal":
        outputs = Float32(0).run(read_layer(case))
    if reading.decision == "D26":
        outputs = flush(outputs)
    assert fits(case, outputs, tolerance, [reading])
    assert not fits(case, outputs, tolerance)
    explanation = explain(case, outputs, DECISIONS, tolerance)
    assert explanation is not None
    assert len(explanation) == 1
    # The second reading of D26 admits all that the first does.
    assert explanation[0].decision == reading.decision
    if reading.decision != "D26":
        assert explanation == (reading,)


@pytest.mark.parametrize("name", CASES)
def test_right_outputs_need_no_reading(name: str) -> None:
    case = CASES[name]
    assert explain(case, outputs_under(case, ()), DECISIONS) == ()


def test_two_readings_explain_together() -> None:
    case = make_case("LSTM", direction="reverse", clip=0.3, lengths=(SEQ, 3, 0))
    pair = (BY_NAME["clip-on-cell"], BY_NAME["empty-row-keeps-state"])
    assert explain(case, outputs_under(case, pair), DECISIONS) == pair


def test_what_no_reading_gives_is_not_explained() -> None:
    case = make_case("LSTM", direction="reverse", clip=0.3, lengths=(SEQ, 3, 0))
    outputs = outputs_under(case, ())
    outputs["Y"][2, 0, 1, 3] += 1e-3
    assert explain(case, outputs, DECISIONS) is None


def test_a_missing_y_is_judged_from_end_to_end() -> None:
    case = make_case("LSTM", lengths=(SEQ, 3, 0))
    outputs = outputs_under(case, (BY_NAME["empty-row-keeps-state"],))
    del outputs["Y"]
    assert explain(case, outputs, DECISIONS) == (BY_NAME["empty-row-keeps-state"],)
    stepwise = admissible(case, outputs_under(case, ()))
    assert (admissible(case, outputs)["Y_h"].radius >= stepwise["Y_h"].radius).all()


def test_only_the_outputs_that_are_there_count() -> None:
    case = make_case("LSTM", lengths=(SEQ, 3, 2))
    outputs = outputs_under(case, ())
    wrong = {**outputs, "Y_c": outputs["Y_c"] + 1}
    assert not fits(case, wrong)
    assert fits(case, {name: wrong[name] for name in ("Y", "Y_h")})


def test_flushing_reaches_the_results_of_activations() -> None:
    case = one_unit("LeakyRelu", -(2.0**-100), activation_alpha=(2.0**-40,))
    flushed = flush(outputs_under(case, ()))
    assert (flushed["Y"] == 0).all()
    assert not fits(case, flushed)
    assert explain(case, flushed, DECISIONS) == (BY_NAME["results-flushed"],)


def test_flushing_leaves_infinities_and_signs() -> None:
    """Silently: a warning would be an error here."""
    (reading,) = (reading for reading in DECISIONS if reading.name == "subnormals-flushed")
    case = make_case("RNN")
    X = np.zeros_like(case.inputs["X"])
    X[0, 0, :2] = [np.inf, -1e-40]
    layer, _ = as_read(case.with_inputs(X=X), [reading])
    assert layer.X[0, 0, 0] == np.inf
    assert (layer.X[0, 0, 1], np.signbit(layer.X[0, 0, 1])) == (0, True)
    assert layer.X.dtype == np.float32


def test_a_reading_can_change_what_is_expected_of_the_outputs() -> None:
    def last_row(_: Layer, balls: Balls) -> Balls:
        return balls | {"Y_h": balls["Y"][-1]}

    case = make_case("RNN", lengths=(SEQ, 3, 2))
    reading = Reading("final-state-from-last-row", "Y_h is the last row of Y", outputs=last_row)
    outputs = outputs_under(case, ())
    outputs["Y_h"] = outputs["Y"][-1]
    assert explain(case, outputs, DECISIONS) is None
    assert explain(case, outputs, (*DECISIONS, reading)) == (reading,)


def test_a_shape_that_does_not_fit_is_no_fit() -> None:
    case = make_case("RNN")
    outputs = outputs_under(case, ())
    assert not fits(case, {"Y": outputs["Y"][:1]})
    assert not fits(case, {"Y": outputs["Y"], "Y_h": outputs["Y_h"][:, :1]})


def test_outputs_without_rows_fit_no_reading() -> None:
    case = make_case("GRU", lengths=(2, SEQ, 1), direction="bidirectional")
    outputs = {"Y": np.zeros((SEQ, 2, 0, 4), np.float32), "Y_h": np.zeros((2, 0, 4), np.float32)}
    tried = readings_for(case, MISREADINGS)
    assert len(tried) > 50
    assert [outside(case, outputs, readings=(reading,)) for reading in tried] == [1] * len(tried)


def test_an_invalid_case_is_refused() -> None:
    with pytest.raises(RefusedError, match="direction"):
        fits(make_case("RNN").with_attributes(direction="sideways"), {})


def test_readings_that_cannot_matter_are_not_tried() -> None:
    assert readings_for(make_case("GRU"), DECISIONS) == []
    names = [reading.name for reading in readings_for(make_case("LSTM", clip=0.5, direction="reverse"), DECISIONS)]
    assert names == ["clip-on-cell", "clip-on-input-of-h", "reverse-in-processing-order"]


def onnx_runtime_outputs(case: Case) -> dict[str, Array]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    case = case.with_attributes(hidden_size=read_layer(case).hidden)
    session = onnxruntime.InferenceSession(to_model(case).SerializeToString(), options)
    return dict(zip(case.outputs, session.run(list(case.outputs), feeds(case)), strict=True))


@pytest.mark.parametrize(
    "name",
    ["clip-zero-clamps", "relu-drops-nan", "hard-sigmoid-drops-nan", "zero-defaults", "omitted-state-skips-product"],
)
def test_onnx_runtime_has_the_readings_of_the_decisions(name: str) -> None:
    case = CASES[name]
    explanation = explain(case, onnx_runtime_outputs(case), DECISIONS)
    assert explanation == (BY_NAME[name],)


def test_what_follows_the_first_wrong_step_of_a_row_need_not_be_constrained() -> None:
    case = make_case("GRU", lengths=(SEQ, 3, 2))
    outputs = outputs_under(case, ())
    assert not any(mask.any() for mask in telling_values(case, outputs).values())
    Y = outputs["Y"].copy()
    Y[1, 0, 0, 2] += 1
    Y[2, 0, 1, 1] += 1
    Y[4, 0, 0, 0] = NAN
    telling = telling_values(case, {**outputs, "Y": Y})
    assert [tuple(map(int, place)) for place in np.argwhere(telling["Y"])] == [(1, 0, 0, 2), (2, 0, 1, 1)]
    assert not telling["Y_h"].any()
