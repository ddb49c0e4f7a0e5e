"""Relations between the results of one implementation on related cases: they need no right answer to compare with.

A relation asks for the results of other cases and says what the case's own outputs must be. An exact implementation
must keep it bit for bit. Any other may round differently in either; it breaks the relation where its outputs lie
inside the bound of the model and what they must be does not, or the other way round. Where neither does, the gate
tells why.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from gatewise.variations import WEIGHTS, batch_axis, join_rows, rows_of, with_other_constants, with_rows
from gatewise_corpus.case import Array, Case, same_bits
from gatewise_corpus.layer import Layer, output_from_layout, read_layer, turned
from gatewise_corpus.operators import LAYOUT_OPSET
from gatewise_corpus.outcome import Outcome, Ran, Refused
from gatewise_oracle.model import evaluate
from gatewise_oracle.readings import outside
from gatewise_oracle.semantics import processing_order
from gatewise_oracle.tolerance import DEFAULT, Tolerance

Run = Callable[[Case], Outcome]
Outputs = Mapping[str, Array]
Ask = Callable[[Case], Outputs]
"""The outputs of another case; where it does not run, the relation is given up."""
_STATES = ("initial_h", "initial_c")
_TELLING = 1e-3
"""An attribute matters where the model's outputs with and without it differ by more than this."""


@dataclass(frozen=True, eq=False)
class Relation:
    """One relation; its functions get a valid case of layout 0 that requests every output, and its normal form.

    Attributes:
        name: a short id.
        sentence: what must hold.
        applies: whether the relation says something about the case.
        expected: what the case's outputs must be; those that the relation says nothing about are left out. It gets
            the outputs of the case itself and may ask for those of others.
        keeps_sign_of_zero: whether a zero must keep its sign in exact mode.
    """

    name: str
    sentence: str
    applies: Callable[[Case, Layer], bool]
    expected: Callable[[Case, Layer, Outputs, Ask], Outputs]
    keeps_sign_of_zero: bool = True


@dataclass(frozen=True)
class Broken:
    """A relation that does not hold, and how."""

    relation: str
    message: str


class _NotRunError(Exception):
    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        super().__init__(str(outcome))


def check(
    relation: Relation, case: Case, run: Run, *, exact: bool = False, tolerance: Tolerance = DEFAULT
) -> Broken | None:
    """Whether ``relation`` holds for an implementation.

    Args:
        relation: the relation.
        case: a valid case; its layout-0 form with every output is looked at.
        run: runs a case on the implementation, for instance ``Worker.run``.
        exact: whether bits must be equal.
        tolerance: the errors of the implementation's activation functions.

    Returns:
        None where it holds, where it says nothing, where the case itself did not run, which is for the gate to judge,
        or where another was refused.

    Raises:
        RefusedError: if the case is not valid.
    """
    case = plain(case)
    layer = read_layer(case)
    outcome = run(case) if relation.applies(case, layer) else None
    if not isinstance(outcome, Ran):
        return None
    try:
        expected = relation.expected(case, layer, outcome.outputs, lambda other: _ask(run, other))
    except _NotRunError as error:
        refused = isinstance(error.outcome, Refused)
        return None if refused else Broken(relation.name, f"a related case did not run: {error.outcome}")
    if exact:
        return _compare_bits(relation, outcome.outputs, expected)
    given, needed = (
        outside(case, values, tolerance) for values in (outcome.outputs, {**outcome.outputs, **expected})
    )
    if bool(given) == bool(needed):
        return None
    return Broken(relation.name, f"{given} values lie outside the bound, but {needed} of what the related cases give")


def ignored_attributes(case: Case, run: Run) -> list[str]:
    """The attributes that the implementation seems to ignore: its outputs have the same bits without them.

    Each attribute that the case spells out, and sequence_lens, is left out in turn; only those count without which
    the model gives clearly different outputs.

    Raises:
        RefusedError: if the case is not valid.
    """
    case = plain(case)
    with_it, right = run(case), evaluate(read_layer(case))
    if not isinstance(with_it, Ran):
        return []
    found = []
    for name, other in _simpler(case).items():
        without_it = run(other)
        if isinstance(without_it, Ran) and _differ(right, evaluate(read_layer(other))):
            same = all(same_bits(array, without_it.outputs[key]) for key, array in with_it.outputs.items())
            found += [name] if same else []
    return found


def _simpler(case: Case) -> dict[str, Case]:
    """The case without each of the attributes that it spells out, and without sequence_lens."""
    activations = dict.fromkeys(("activations", "activation_alpha", "activation_beta"))
    names = [name for name in case.attributes if name not in {"hidden_size", *activations}]
    simpler = {name: case.with_attributes(**{name: None}) for name in names}
    if case.attributes.get("direction") == "bidirectional":
        del simpler["direction"]
    if case.attributes.get("activations"):
        simpler["activations"] = case.with_attributes(**activations)
    if "sequence_lens" in case.inputs:
        simpler["sequence_lens"] = case.with_inputs(sequence_lens=None)
    return simpler


def _differ(left: Mapping[str, Array], right: Mapping[str, Array]) -> bool:
    with np.errstate(invalid="ignore"):  # equal infinities do not differ
        gaps = [np.abs(array - right[name]) for name, array in left.items()]
    return any(bool(np.nanmax(gap, initial=0.0) > _TELLING) for gap in gaps)


def plain(case: Case) -> Case:
    """The layout-0 form of a valid case, every output requested."""
    names = read_layer(case).operator.output_names
    if case.attributes.get("layout") == 1:
        case = _turned(case)
    return case.with_attributes(layout=None).replace(outputs=names)


def _ask(run: Run, case: Case) -> Outputs:
    outcome = run(case)
    if not isinstance(outcome, Ran):
        raise _NotRunError(outcome)
    return outcome.outputs


def _compare_bits(relation: Relation, outputs: Outputs, expected: Outputs) -> Broken | None:
    for name, wanted in expected.items():
        given, needed = outputs[name], np.ascontiguousarray(wanted)
        if not relation.keeps_sign_of_zero:
            given, needed = given + np.zeros(1, given.dtype), needed + np.zeros(1, needed.dtype)
        if not same_bits(given, needed):
            differs = ~((given == needed) | np.isnan(given) & np.isnan(needed))
            return Broken(
                relation.name, f"{name} has other bits than it must have; {int(differs.sum())} values differ"
            )
    return None


def _turned(case: Case) -> Case:
    arrays = {name: np.ascontiguousarray(turned(name, array)) for name, array in case.inputs.items()}
    return case.replace(inputs=arrays)


def _rows_alone(case: Case, _: Layer, outputs: Outputs, ask: Ask) -> Outputs:
    alone = [ask(row) for row in rows_of(case)]
    return {name: join_rows(case, name, [each[name] for each in alone]) for name in outputs}


def _rows_permuted(case: Case, layer: Layer, outputs: Outputs, ask: Ask) -> Outputs:
    order = [*range(1, layer.batch), 0]
    permuted = ask(with_rows(case, order))
    return {name: np.take(permuted[name], np.argsort(order), batch_axis(case, name)) for name in outputs}


def _directions_apart(case: Case, layer: Layer, outputs: Outputs, ask: Ask) -> Outputs:
    apart = [ask(_one_direction(case, layer, index)) for index in range(2)]
    return {name: np.concatenate([each[name] for each in apart], axis=int(name == "Y")) for name in outputs}


def _one_direction(case: Case, layer: Layer, index: int) -> Case:
    """Direction ``index`` of a bidirectional case as a case of its own, its activations spelled out."""
    own = layer.activations[index]
    alpha = tuple(each.alpha for each in own if each.kind.alpha is not None)
    beta = tuple(each.beta for each in own if each.kind.beta is not None)
    names = [name for name in (*WEIGHTS, *_STATES) if name in case.inputs]
    return case.with_inputs(**{name: case.inputs[name][index : index + 1] for name in names}).with_attributes(
        direction=layer.directions[index],
        activations=tuple(each.name for each in own),
        activation_alpha=alpha or None,
        activation_beta=beta or None,
    )


def _reverse_as_forward(case: Case, layer: Layer, outputs: Outputs, ask: Ask) -> Outputs:
    order, rows = processing_order(layer, 0), np.arange(layer.batch)
    forward = ask(case.with_inputs(X=case.inputs["X"][order, rows]).with_attributes(direction="forward"))
    return {name: forward[name][order, 0, rows][:, np.newaxis] if name == "Y" else forward[name] for name in outputs}


def _other_layout(case: Case, _: Layer, outputs: Outputs, ask: Ask) -> Outputs:
    other = ask(_turned(case).with_attributes(layout=1))
    return {name: output_from_layout(name, other[name], 1) for name in outputs}


def _omitted(case: Case, layer: Layer) -> dict[str, Array]:
    """Optional inputs that the case leaves out, as arrays that mean the same."""
    dirs, rows = len(layer.directions), len(layer.operator.gates) * layer.hidden
    filled: dict[str, Array] = {"B": np.zeros((dirs, 2 * rows), layer.dtype), "initial_h": layer.initial_h}
    if layer.operator.name == "LSTM":
        filled["initial_c"] = layer.initial_c
        if all(np.isfinite(array).all() for array in case.inputs.values()):  # 0 * Inf would be NaN
            filled["P"] = np.zeros((dirs, 3 * layer.hidden), layer.dtype)
    if layer.seq:  # with seq = 0, lengths decide what the final states are (D15)
        filled["sequence_lens"] = np.full(layer.batch, layer.seq, np.int32)
    return {name: array for name, array in filled.items() if name not in case.inputs}


def _omitted_as_zeros(case: Case, layer: Layer, outputs: Outputs, ask: Ask) -> Outputs:
    """The first result that differs, or the last."""
    result = outputs
    for name, array in _omitted(case, layer).items():
        result = ask(case.with_inputs(**{name: array}))
        if not all(np.array_equal(result[key], outputs[key], equal_nan=True) for key in outputs):
            break
    return result


def _split(case: Case, layer: Layer, outputs: Outputs, ask: Ask) -> Outputs:
    """The sequence up to its middle, then the rest from the state in which the first part ends."""
    middle = layer.seq // 2
    first = ask(_steps(case, layer, 0, middle))
    states = {"initial_h": first["Y_h"]} | ({"initial_c": first["Y_c"]} if "Y_c" in first else {})
    rest = ask(_steps(case, layer, middle, layer.seq).with_inputs(**states))
    ended = (layer.lengths <= middle)[:, np.newaxis]
    final = {name: np.where(ended, first[name], rest[name]) for name in outputs if name != "Y"}
    return {"Y": np.concatenate([first["Y"], rest["Y"]]), **final}


def _steps(case: Case, layer: Layer, start: int, stop: int) -> Case:
    lengths = np.clip(layer.lengths - start, 0, stop - start).astype(np.int32)
    return case.with_inputs(X=case.inputs["X"][start:stop], sequence_lens=lengths)


def _final_from_y(_: Case, layer: Layer, outputs: Outputs, __: Ask) -> Outputs:
    rows, last = np.arange(layer.batch), np.maximum(layer.lengths - 1, 0)
    times = [processing_order(layer, index)[last, rows] for index in range(len(layer.directions))]
    return {"Y_h": np.stack([outputs["Y"][t, index, rows] for index, t in enumerate(times)])}


def _poisoned_padding(case: Case, layer: Layer, _: Outputs, ask: Ask) -> Outputs:
    X = case.inputs["X"].copy()
    X[np.arange(layer.seq)[:, np.newaxis] >= layer.lengths] = np.nan
    states = {name: case.inputs[name].copy() for name in _STATES if name in case.inputs}
    for state in states.values():
        state[:, layer.lengths == 0] = np.nan
    return ask(case.with_inputs(X=X, **states))


def _other_constants(case: Case, _: Layer, __: Outputs, ask: Ask) -> Outputs:
    return ask(with_other_constants(case))


def _outputs_alone(case: Case, _: Layer, outputs: Outputs, ask: Ask) -> Outputs:
    return {name: ask(case.replace(outputs=(name,)))[name] for name in outputs}


def _asked_again(case: Case, layer: Layer, _: Outputs, ask: Ask) -> Outputs:
    ask(with_rows(case, [0] * (layer.batch + 1)))
    return ask(case)


def _always(_: Case, __: Layer) -> bool:
    return True


def _has_rows(_: Case, layer: Layer) -> bool:
    return layer.batch > 0


def _can_be_split(_: Case, layer: Layer) -> bool:
    """A rounded state would not be the one that is carried."""
    return layer.directions == ("forward",) and layer.seq > 1 and layer.dtype != np.float16


RELATIONS = (
    Relation(
        "rows-alone",
        "a row alone gives what it gives in a batch",
        lambda _, layer: layer.batch > 1,
        _rows_alone,
    ),
    Relation(
        "rows-permuted",
        "rows in another order give the same in that order",
        lambda _, layer: layer.batch > 1,
        _rows_permuted,
    ),
    Relation(
        "directions-apart",
        "a bidirectional layer is a forward and a reverse one",
        lambda _, layer: len(layer.directions) == 2,
        _directions_apart,
    ),
    Relation(
        "reverse-as-forward",
        "reverse gives what forward gives on each row's valid steps in the opposite order",
        lambda _, layer: layer.directions == ("reverse",),
        _reverse_as_forward,
    ),
    Relation(
        "other-layout",
        "layout 1 is layout 0 transposed (D28)",
        lambda case, _: case.opset >= LAYOUT_OPSET,
        _other_layout,
    ),
    Relation(
        "omitted-as-zeros",
        "an omitted input is zeros, omitted lengths are full",
        lambda case, layer: bool(_omitted(case, layer)),
        _omitted_as_zeros,
        keeps_sign_of_zero=False,
    ),
    Relation(
        "split-in-two",
        "a sequence in two parts, the state carried from one to the other, gives what it gives as a whole",
        _can_be_split,
        _split,
    ),
    Relation(
        "final-from-y",
        "Y_h is the row of Y that was computed last",
        lambda _, layer: layer.seq > 0,
        _final_from_y,
    ),
    Relation(
        "padding-does-not-matter",
        "what stands behind a row's length, or in an empty row's initial state, changes nothing (D17)",
        lambda _, layer: bool((layer.lengths < layer.seq).any()),
        _poisoned_padding,
    ),
    Relation(
        "constants-do-not-matter",
        "weights as initializers give what weights that are fed give (D32)",
        _always,
        _other_constants,
    ),
    Relation(
        "outputs-alone",
        "an output does not depend on which others are requested (D31)",
        _always,
        _outputs_alone,
    ),
    Relation(
        "asked-again",
        "the same case gives the same after another one",
        _has_rows,
        _asked_again,
    ),
)
"""All relations that are equations; ``ignored_attributes`` is the one that is not."""
