"""Cases that must be refused: each way in which validation can fail, and the limits."""

from collections.abc import Iterator

import numpy as np

from gatewise_corpus.case import Case
from gatewise_corpus.operators import OPERATORS
from gatewise_corpus.recipes.recipe import Recipe, Sizes, draw
from gatewise_corpus.refusal import REASONS
from gatewise_corpus.store import About

_SIZES = Sizes(seq=4, batch=3, input=2, hidden=5)


def recipes() -> Iterator[Recipe]:
    """Invalid and unsupported cases, named by what is wrong with them."""
    for operator in OPERATORS:
        valid = draw(f"{operator.lower()}/invalid", operator, _SIZES, lengths=[4, 2, 3])
        for defect, reason, case, tests in (
            *_attributes(operator, valid),
            *_inputs(operator, valid),
            *_lengths(valid),
        ):
            yield _recipe(operator, defect, reason, case, tests)
        yield _recipe(operator, "scratch-limit", "scratch-limit", _beyond_scratch(operator), ("D36",))
    yield _unknown_operator()


_Defect = tuple[str, str, Case, tuple[str, ...]]


def _recipe(operator: str, defect: str, reason: str, case: Case, tests: tuple[str, ...]) -> Recipe:
    about = About(
        why=f"Must be refused: {REASONS[reason]}.",
        origin="invalid",
        flags=("invalid",),
        tests=tests,
        refuse=reason,
    )
    return Recipe(f"{operator.lower()}/invalid-{defect}", case, about)


def _attributes(operator: str, valid: Case) -> Iterator[_Defect]:
    count = len(OPERATORS[operator].default_activations)
    yield "opset-6", "opset", valid.replace(opset=6), ("D29",)
    yield "layout-in-opset-13", "layout-opset", valid.replace(opset=13).with_attributes(layout=0), ("D29",)
    yield "layout-2", "layout", valid.with_attributes(layout=2), ("D28",)
    square = draw(f"{operator.lower()}/invalid-square", operator, Sizes(3, 3, 2, 5), optional=("B",))
    yield "layout-2-square", "layout", square.with_attributes(layout=2), ("D28",)
    yield "attribute-of-nobody", "attribute", valid.with_attributes(output_sequence=1), ()
    foreign = {"RNN": "input_forget", "GRU": "input_forget", "LSTM": "linear_before_reset"}[operator]
    yield "attribute-of-another", "attribute", valid.with_attributes(**{foreign: 1}), ()
    yield "clip-an-int", "attribute-type", valid.with_attributes(clip=2), ()
    yield "activations-one-string", "attribute-type", valid.with_attributes(activations="Tanh"), ()
    for word in ("Forward", "bidirection", ""):
        name = f"direction-{word.lower() or 'empty'}"
        yield name, "direction", valid.with_attributes(direction=word), ("D33",)
    yield "hidden-size-negative", "hidden-size", valid.with_attributes(hidden_size=-5), ("D20",)
    yield "hidden-size-zero", "hidden-size", valid.with_attributes(hidden_size=0), ("D20",)
    yield "hidden-size-larger", "hidden-size-mismatch", valid.with_attributes(hidden_size=6), ("D20",)
    yield "hidden-size-smaller", "hidden-size-mismatch", valid.with_attributes(hidden_size=4), ("D20",)
    yield "hidden-size-huge", "hidden-size-mismatch", valid.with_attributes(hidden_size=2**29), ("D20",)
    unknown = ("Sigmoid",) * (count - 1) + ("Gelu",)
    yield "activation-unknown", "activation-name", valid.with_attributes(activations=unknown), ("D11",)
    too_many = ("Tanh",) * (count * 2 + 1)
    yield "activations-too-many", "activation-count", valid.with_attributes(activations=too_many), ("D11",)
    if count > 1:
        too_few = ("Sigmoid",) * (count - 1)
        yield "activations-too-few", "activation-count", valid.with_attributes(activations=too_few), ("D11",)
        two_sets = ("Sigmoid",) * (2 * count)
        yield "activations-two-sets", "activation-count", valid.with_attributes(activations=two_sets), ("D11",)
    else:
        second = ("Tanh", "Gelu")
        yield "activation-unused-unknown", "activation-name", valid.with_attributes(activations=second), ("D10",)


def _inputs(operator: str, valid: Case) -> Iterator[_Defect]:
    inputs = valid.inputs
    for slot in ("X", "W", "R"):
        yield f"{slot.lower()}-missing", "missing-input", valid.with_inputs(**{slot: None}), ()
    for slot, array in inputs.items():
        word = slot.lower().replace("_", "-")
        yield f"{word}-rank", "rank", valid.with_inputs(**{slot: array[0]}), ()
        longer = np.concatenate([array, array[..., -1:]], axis=-1)
        if slot not in {"X", "R", "sequence_lens"}:
            yield f"{word}-too-long", "shape", valid.with_inputs(**{slot: longer}), ()
    yield "x-other-input-size", "shape", valid.with_inputs(X=inputs["X"][..., :1]), ()
    yield "r-not-square", "shape", valid.with_inputs(R=inputs["R"][:, :-1]), ()
    yield "sequence-lens-too-few", "shape", valid.with_inputs(sequence_lens=inputs["sequence_lens"][:2]), ()
    yield "initial-h-one-row", "shape", valid.with_inputs(initial_h=inputs["initial_h"][:, :1]), ()
    one_for_two = valid.with_attributes(direction="bidirectional")
    yield "weights-of-one-direction", "shape", one_for_two, ()
    yield "x-int32", "dtype", valid.with_inputs(X=inputs["X"].astype(np.int32)), ()
    yield "r-float16", "dtype-mismatch", valid.with_inputs(R=inputs["R"].astype(np.float16)), ()
    yield "hidden-zero", "hidden-size", _without_units(operator), ("D20",)
    if operator != "LSTM":
        peepholes = np.zeros((1, 3 * _SIZES.hidden), np.float32)
        yield "with-p", "unknown-input", valid.with_inputs(P=peepholes), ()
        yield "with-y-c", "output", valid.replace(outputs=("Y", "Y_c")), ("D31",)
    yield "no-outputs", "no-outputs", valid.replace(outputs=()), ("D31",)


def _lengths(valid: Case) -> Iterator[_Defect]:
    for word, lengths in (("negative", [-1, 2, 4]), ("too-long", [2, 5, 4]), ("huge", [4, 2**31 - 1, 1])):
        case = valid.with_inputs(sequence_lens=np.array(lengths, np.int32))
        yield f"length-{word}", "lengths-range", case, ("D13",)
    as_int64 = valid.inputs["sequence_lens"].astype(np.int64)
    yield "lengths-int64", "lengths-dtype", valid.with_inputs(sequence_lens=as_int64), ()


def _without_units(operator: str) -> Case:
    return draw(f"{operator.lower()}/hidden-zero", operator, Sizes(4, 3, 2, 0), hidden_size=False, optional=())


def _beyond_scratch(operator: str) -> Case:
    """Hardly more than 2^30 floats of projections, and not one byte of X: the input size is 0."""
    rows = 2**30 // (2**16 * 4 * len(OPERATORS[operator].gates)) + 1
    sizes = Sizes(seq=2**16, batch=rows, input=0, hidden=4)
    return draw(f"{operator.lower()}/scratch", operator, sizes, optional=(), outputs=("Y_h",))


def _unknown_operator() -> Recipe:
    case = draw("rnn/unknown-operator", "RNN", _SIZES).replace(operator="SRU")
    return _recipe("RNN", "operator-unknown", "operator", case, ())
