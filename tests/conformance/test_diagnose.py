"""A wrong result is told by the readings that give all of it, or by what of it is wrong."""

import numpy as np
import pytest

from gatewise.diagnose import READINGS, diagnose, diagnose_acceptance
from gatewise.judge import Judge
from gatewise.mutant import BY_NAME, outputs_under
from gatewise_corpus.case import Array, AttributeValues, Case
from gatewise_corpus.description import Description
from gatewise_corpus.outcome import Ran
from gatewise_corpus.recipes.recipe import ALL_INPUTS, Sizes, draw
from gatewise_corpus.store import cases_root, load_entry
from gatewise_oracle.decisions import DECISIONS
from gatewise_oracle.explanation import explain
from gatewise_oracle.readings import fits, readings_for

RAGGED = [6, 2, 0, 4]


def layer(operator: str = "LSTM", lengths: list[int] | None = None, **attributes: object) -> Case:
    typed: AttributeValues = dict(attributes)  # type: ignore[arg-type] # as the tests spell them
    return draw(
        f"diagnose/{operator}", operator, Sizes(6, 4, 3, 5), attributes=typed, lengths=lengths, optional=ALL_INPUTS
    )


def names(case: Case, outputs: dict[str, Array]) -> list[str]:
    return [reading.name for reading in diagnose(case, outputs).readings]


def under(case: Case, *readings: str) -> dict[str, Array]:
    return outputs_under(case, [BY_NAME[name] for name in readings])


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("lstm-gates-ifco", layer()),
        ("gru-gates-rzh", layer("GRU")),
        ("recurrent-weights-transposed", layer("RNN")),
        ("rb-ignored", layer("GRU")),
        ("reset-leaves-out-rb", layer("GRU", linear_before_reset=1)),
        ("peepholes-ifo", layer()),
        ("output-peephole-sees-previous-cell", layer()),
        ("clip-on-results", layer("GRU", clip=0.4)),
        ("clip-of-output-gate-twice", layer(clip=0.4)),
        ("input-follows-forget", layer(input_forget=1)),
        ("reverse-starts-in-padding", layer("RNN", RAGGED, direction="reverse")),
        ("reverse-counts-from-the-end", layer("GRU", RAGGED, direction="bidirectional")),
        ("rows-left-sorted", layer("LSTM", RAGGED)),
        ("initial-states-swapped", layer()),
        ("final-state-from-last-of-y", layer("GRU", RAGGED)),
        ("directions-swapped", layer("RNN", direction="bidirectional")),
        ("y-rows-before-directions", layer("LSTM", direction="bidirectional")),
        ("parameters-by-position", layer("GRU", activations=("Tanh", "LeakyRelu"), activation_alpha=(0.3, 0.6))),
        ("tanh-is-hard", layer("RNN")),
        ("state-in-bfloat16", layer("LSTM")),
        ("unit-tail-of-4", layer("GRU")),
    ],
)
def test_a_misreading_is_found(name: str, case: Case) -> None:
    assert names(case, under(case, name)) == [name]


@pytest.mark.parametrize(
    ("pair", "case"),
    [
        (("reverse-as-forward", "clip-ignored"), layer("GRU", direction="bidirectional", clip=0.3)),
        (("lengths-ignored", "initial-h-ignored"), layer("RNN", RAGGED)),
        (("peepholes-ignored", "final-cell-is-state"), layer()),
        (("clip-on-cell", "padding-carries-last-state"), layer("LSTM", RAGGED, clip=0.3)),
    ],
)
def test_a_pair_is_found(pair: tuple[str, str], case: Case) -> None:
    assert set(names(case, under(case, *pair))) == set(pair)


def test_only_decisions_are_a_deviation() -> None:
    case = layer("LSTM", RAGGED, clip=0.3)
    both = diagnose(case, under(case, "clip-on-cell", "padding-carries-last-state"))
    assert set(both.decisions) == {"D04", "D18"}
    mixed = diagnose(case, under(case, "clip-on-cell", "final-cell-is-state"))
    assert len(mixed.readings) == 2
    assert mixed.decisions == ()


def disturbed(case: Case, name: str, place: object) -> dict[str, Array]:
    outputs = outputs_under(case)
    outputs[name][place] += np.float32(0.01)  # type: ignore[index] # whatever numpy takes
    return outputs


@pytest.mark.parametrize(
    ("case", "name", "place", "told"),
    [
        (layer("RNN"), "Y", (5, 0, 2, 4), "1 of 140 values; only Y; only row 2; only step 5; only unit 4"),
        (layer("RNN", RAGGED), "Y", np.s_[5, 0, 1:3], "10 of 140 values; only Y; only rows 1, 2; only past"),
        (layer("GRU", RAGGED), "Y_h", np.s_[0, [1, 3]], "10 of 140 values; only Y_h; only rows that end early"),
        (layer("GRU", RAGGED), "Y_h", np.s_[0, 2], "5 of 140 values; only Y_h; only rows of length 0"),
        (layer("GRU", RAGGED), "Y_h", np.s_[0, 1:], "15 of 140 values; only Y_h; only rows with length < seq"),
        (layer("LSTM"), "Y_c", np.s_[0, :, 3:], "8 of 160 values; only Y_c; only units from 3 on"),
        (
            layer("RNN", direction="bidirectional"),
            "Y_h",
            np.s_[1],
            "20 of 280 values; only Y_h; only direction reverse",
        ),
    ],
)
def test_what_nothing_explains_is_described(case: Case, name: str, place: object, told: str) -> None:
    found = diagnose(case, disturbed(case, name, place))
    assert found.readings == ()
    assert found.affects.startswith(told)


def test_steps_are_counted_as_they_are_processed() -> None:
    case = layer("RNN", RAGGED, direction="reverse")
    outputs = outputs_under(case)
    outputs["Y"][:3, 0, 0] = 0.5  # time 0 to 2 are steps 5, 4 and 3 of the row of length 6
    assert "; from step 3 on" in diagnose(case, outputs).affects


def test_padding_is_told_beside_steps() -> None:
    case = layer("RNN", RAGGED)
    outputs = outputs_under(case)
    outputs["Y"][1, 0, 1] = 0.5
    outputs["Y"][4, 0, 1] = 0.5
    assert (
        diagnose(case, outputs).affects
        == "10 of 140 values; only Y; only row 1; only step 1, and past the rows' lengths"
    )


def test_an_accepted_case_is_explained_by_what_was_made_of_it() -> None:
    root = cases_root()
    case = load_entry(root / "gru/invalid-length-too-long", root).case
    clamped, whole = under(case, "lengths-clamped"), under(case, "negative-lengths-are-full")
    told = {
        name: diagnose_acceptance(case, "lengths-range", outputs)
        for name, outputs in (("clamped", clamped), ("whole", whole), ("none", {}))
    }
    assert told["clamped"] is BY_NAME["lengths-clamped"]
    assert told["whole"] is BY_NAME["lengths-clamped"]  # the same for a length that is too long
    assert told["none"] is None
    wrong = {name: array + np.float32(1) for name, array in clamped.items()}
    assert diagnose_acceptance(case, "lengths-range", wrong) is None
    judgement = Judge(Description("mutant"))(case, Ran(clamped))
    assert judgement.verdict == "accepted"
    assert [each.id for each in judgement.explanation] == ["lengths-clamped"]


@pytest.mark.parametrize("name", ["layout-ignored", "single-direction-dropped"])
def test_outputs_of_other_shapes_are_explained(name: str) -> None:
    case = draw("square", "GRU", Sizes(3, 3, 2, 4), attributes={"layout": 1}, optional=("B",))
    case = case if name == "layout-ignored" else layer("LSTM")
    judgement = Judge(Description("mutant"))(case, Ran(under(case, name)))
    assert judgement.verdict == "wrong"
    assert "has shape" in judgement.message
    assert [each.id for each in judgement.explanation] == [name]
    missing = Judge(Description("mutant"))(case, Ran({"Y": outputs_under(case)["Y"]}))
    assert (missing.message, missing.explanation) == ("output Y_h is missing", ())


def test_the_judge_tells_the_diagnosis_or_leaves_it_out() -> None:
    case = layer("RNN")
    told = Judge(Description("mutant"))(case, Ran(under(case, "rb-ignored")))
    assert (told.verdict, [each.id for each in told.explanation]) == ("wrong", ["rb-ignored"])
    assert told.message.startswith("no float32 evaluation of the formulas gives these values (")
    bare = Judge(Description("mutant"), diagnoses=False)(case, Ran(under(case, "rb-ignored")))
    assert (bare.verdict, bare.explanation) == ("wrong", ())
    assert bare.message == "no float32 evaluation of the formulas gives these values"


def test_names_are_unique_and_every_reading_says_why_it_is_plausible() -> None:
    assert len({reading.name for reading in READINGS}) == len(READINGS)
    misreadings = [reading for reading in READINGS if not reading.decision]
    assert len(misreadings) > 200
    for reading in misreadings:
        assert reading.source
        assert not reading.sentence.endswith(".")


def overflowing(activation: str) -> Case:
    """An RNN whose second step overflows: an infinity and, where two of them meet, a NaN arise inside."""
    attributes: AttributeValues = {"activations": (activation,)}
    case = draw("diagnose-overflow", "RNN", Sizes(4, 2, 1, 3), attributes=attributes)
    R = np.array([[[3e38, -1, 2], [1, 3e38, -2], [-2, 1, 3e38]]], np.float32)
    return case.with_inputs(B=None, X=np.full((4, 2, 1), 8.0, np.float32), W=np.full((1, 3, 1), 8.0, np.float32), R=R)


def test_a_nan_that_arises_inside_is_tried_as_one_among_the_inputs() -> None:
    case = overflowing("Relu")
    reading = BY_NAME["relu-drops-nan"]
    outputs = outputs_under(case, [reading])
    assert np.isfinite(case.inputs["X"]).all()
    assert not fits(case, outputs)
    assert explain(case, outputs, DECISIONS) == (reading,)
    # Bounded activations and ordinary inputs leave nothing to overflow.
    bounded = case.with_attributes(activations=None).with_inputs(R=case.inputs["R"] * np.float32(1e-38))
    assert BY_NAME["largest-float-is-the-clip"] in readings_for(case, DECISIONS)
    assert BY_NAME["largest-float-is-the-clip"] not in readings_for(bounded, DECISIONS)


def test_a_reading_that_lets_a_value_be_anything_explains_nothing() -> None:
    # Under softplus-literal the first step is infinite, so that the model constrains nothing from the second on.
    case = overflowing("Softplus").with_inputs(X=np.full((4, 2, 1), 12.0, np.float32))
    right, literal = outputs_under(case, ()), outputs_under(case, [BY_NAME["softplus-literal"]])
    assert explain(case, literal, DECISIONS) == (BY_NAME["softplus-literal"],)
    garbage = {name: np.full_like(array, 0.7) for name, array in right.items()}
    for name, array in garbage.items():
        assert explain(case, {name: array}, DECISIONS) is None


def test_fewer_bits_explain_no_infinity() -> None:
    # In float16 a gate overflows, after which the model constrains nothing; but what is wrong is no ordinary number.
    reading = BY_NAME["activations-in-float16"]
    case = draw("diagnose-narrow", "GRU", Sizes(1, 2, 3, 4), optional=("initial_h",))
    W = case.inputs["W"].copy()
    W[:, :4] *= 1e6  # the gate z
    case = case.with_inputs(W=W).with_attributes(activations=("Relu", "Tanh"))
    outputs = outputs_under(case)
    first = np.unravel_index(np.abs(outputs["Y"]).argmax(), outputs["Y"].shape)
    assert np.abs(outputs["Y"][first]) > 2**16
    for name, index in (("Y", first), ("Y_h", first[1:])):
        outputs[name][index] = np.finfo(np.float32).max
    assert fits(case, outputs, readings=(reading,))
    assert explain(case, outputs, [reading]) is None
    assert explain(case, outputs, [], suspects=[(reading,)]) is None
    ordinary = layer("GRU")
    assert explain(ordinary, under(ordinary, reading.name), [reading]) == (reading,)


def test_what_one_of_two_known_readings_explains_is_not_explained_by_both() -> None:
    case = layer("GRU", lengths=[6, 2, 4, 3])
    pair = (BY_NAME["lengths-ignored"], BY_NAME["linear-before-reset-ignored"])
    case = case.with_attributes(linear_before_reset=1)
    outputs = under(case, "lengths-ignored")
    assert explain(case, outputs, [], suspects=[pair]) == (BY_NAME["lengths-ignored"],)
