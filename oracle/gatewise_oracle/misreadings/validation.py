"""Cases that must be refused, and what becomes of them where they are not."""

from collections.abc import Callable

import numpy as np

from gatewise_corpus.activations import find_activation
from gatewise_corpus.case import Array, Case
from gatewise_corpus.operators import DIRECTIONS, LAYOUT_OPSET, OLDEST_OPSET, OPERATORS
from gatewise_oracle.misreadings import when
from gatewise_oracle.readings import Reading

Repair = Callable[[Case], Case]


def _forgives(
    name: str, sentence: str, source: str, repair: Repair, *accepts: str, operators: tuple[str, ...] = ()
) -> Reading:
    return Reading(
        name,
        sentence,
        applies=when.never,
        source=source,
        operators=operators or ("RNN", "GRU", "LSTM"),
        accepts=accepts,
        case=repair,
    )


def _with_direction(read: Callable[[str], str]) -> Repair:
    def repair(case: Case) -> Case:
        direction = case.attributes.get("direction")
        return case.with_attributes(direction=read(direction)) if isinstance(direction, str) else case

    return repair


def _with_lengths(change: Callable[[Array, int], Array]) -> Repair:
    def repair(case: Case) -> Case:
        lengths, X = case.inputs.get("sequence_lens"), case.inputs.get("X")
        if lengths is None or X is None or X.ndim != 3:
            return case
        seq = X.shape[1 if case.attributes.get("layout") == 1 else 0]
        return case.with_inputs(sequence_lens=np.asarray(change(lengths, seq), dtype=np.int32))

    return repair


def _with_known_names(case: Case) -> Case:
    names = case.attributes.get("activations")
    if not isinstance(names, tuple):
        return case
    known = tuple(name if find_activation(str(name)) else "Tanh" for name in names)
    return case.with_attributes(activations=tuple(map(str, known)))


def _with_right_count(case: Case) -> Case:
    names = case.attributes.get("activations")
    table = OPERATORS.get(case.operator)
    if not isinstance(names, tuple) or table is None:
        return case
    dirs = len(DIRECTIONS.get(str(case.attributes.get("direction", "forward")), ("forward",)))
    wanted = len(table.default_activations)
    if len(names) in (wanted, wanted * dirs):
        return case
    filled = (*names, *table.default_activations[len(names) :])[:wanted]
    return case.with_attributes(activations=tuple(map(str, filled)))


def _without_foreign_attributes(case: Case) -> Case:
    table = OPERATORS.get(case.operator)
    known = table.attributes if table else {}
    return case.replace(attributes={name: value for name, value in case.attributes.items() if name in known})


def _with_float_clip(case: Case) -> Case:
    clip = case.attributes.get("clip")
    return case.with_attributes(clip=float(clip)) if isinstance(clip, int) else case


def _with_list_of_names(case: Case) -> Case:
    names = case.attributes.get("activations")
    return case.with_attributes(activations=(names,)) if isinstance(names, str) else case


def _without_hidden_size(case: Case) -> Case:
    return case.with_attributes(hidden_size=None)


def _with_zero_or_one_layout(case: Case) -> Case:
    layout = case.attributes.get("layout")
    return case.with_attributes(layout=int(bool(layout))) if isinstance(layout, int) and layout > 1 else case


def _without_early_layout(case: Case) -> Case:
    return case.with_attributes(layout=None) if case.opset < LAYOUT_OPSET else case


def _without_foreign_inputs(case: Case) -> Case:
    table = OPERATORS.get(case.operator)
    foreign = [name for name in case.inputs if table and table.input(name) is None]
    return case.with_inputs(**dict.fromkeys(foreign))


def _with_rank(case: Case) -> Case:
    """Missing leading dimensions are 1, as under broadcasting."""
    table = OPERATORS.get(case.operator)
    slots = table.inputs if table else ()
    return case.with_inputs(
        **{
            slot.name: case.inputs[slot.name].reshape((1,) * (wanted - array.ndim) + array.shape)
            for slot in slots
            if slot.name in case.inputs
            for wanted, array in [(len(slot.layout0), case.inputs[slot.name])]
            if array.ndim < wanted
        }
    )


def _with_one_state(case: Case) -> Case:
    """A state of one row serves all rows."""
    X = case.inputs.get("X")
    if X is None or X.ndim != 3 or case.attributes.get("layout") == 1:
        return case
    states = {name: case.inputs[name] for name in ("initial_h", "initial_c") if name in case.inputs}
    return case.with_inputs(
        **{
            name: np.repeat(state, X.shape[1], axis=1)
            for name, state in states.items()
            if state.ndim == 3 and state.shape[1] == 1
        }
    )


def _with_shared_direction(case: Case) -> Case:
    """Weights and states of one direction serve both."""
    if case.attributes.get("direction") != "bidirectional":
        return case
    names = [name for name in case.inputs if name not in {"X", "sequence_lens"}]
    return case.with_inputs(
        **{name: np.repeat(case.inputs[name], 2, axis=0) for name in names if case.inputs[name].shape[:1] == (1,)}
    )


def _cut_to_size(case: Case) -> Case:
    """What stands behind the end of B, P, W or a state is not looked at."""
    table = OPERATORS.get(case.operator)
    R, X = case.inputs.get("R"), case.inputs.get("X")
    if table is None or R is None or X is None or R.ndim != 3 or X.ndim != 3:
        return case
    hidden = R.shape[2]
    ends = {"B": 2 * len(table.gates) * hidden, "P": 3 * hidden, "W": X.shape[2]}
    ends |= {"initial_h": hidden, "initial_c": hidden}
    return case.with_inputs(
        **{name: case.inputs[name][..., :end] for name, end in ends.items() if name in case.inputs}
    )


def _in_type_of_x(case: Case) -> Case:
    """Every tensor is converted to X's type, and integers to float32."""
    X = case.inputs.get("X")
    if X is None:
        return case
    wanted = X.dtype if X.dtype.kind == "f" else np.dtype(np.float32)
    floats = {name: array for name, array in case.inputs.items() if name != "sequence_lens"}
    return case.with_inputs(**{name: array.astype(wanted) for name, array in floats.items()})


def _without_foreign_outputs(case: Case) -> Case:
    """Y_h stands in where there is no such output."""
    table = OPERATORS.get(case.operator)
    known = table.output_names if table else ()
    return case.replace(outputs=tuple(name if name in known else "Y_h" for name in case.outputs))


def _with_all_outputs(case: Case) -> Case:
    table = OPERATORS.get(case.operator)
    return case if case.outputs or table is None else case.replace(outputs=table.output_names)


VALIDATION = (
    _forgives(
        "lengths-clamped",
        "lengths outside 0..seq are moved into that range",
        "a bound on the loop instead of a check",
        _with_lengths(lambda lengths, seq: np.clip(lengths, 0, seq)),
        "lengths-range",
    ),
    _forgives(
        "negative-lengths-are-full",
        "a length outside 0..seq means the whole sequence",
        "-1 for 'all', as in Python (openvino#21054)",
        _with_lengths(lambda lengths, seq: np.where((lengths < 0) | (lengths > seq), seq, lengths)),
        "lengths-range",
    ),
    _forgives(
        "lengths-of-any-type",
        "sequence_lens of another integer type is converted",
        "a cast at the border of a framework whose integers have 64 bits",
        _with_lengths(lambda lengths, _: lengths),
        "lengths-dtype",
    ),
    _forgives(
        "direction-in-any-case",
        "direction is found in any letter case",
        "OpenVINO 2026.4.1 lower-cases it",
        _with_direction(str.lower),
        "direction",
    ),
    _forgives(
        "unknown-direction-is-forward",
        "a direction that is not known means forward",
        "the last branch of a chain of comparisons",
        _with_direction(lambda word: word if word in DIRECTIONS else "forward"),
        "direction",
    ),
    _forgives(
        "unknown-activation-is-tanh",
        "an activation that is not known means Tanh",
        "a default instead of an error",
        _with_known_names,
        "activation-name",
    ),
    _forgives(
        "any-count-of-activations",
        "surplus names are dropped, and defaults stand in for missing ones",
        "a list read up to what is needed",
        _with_right_count,
        "activation-count",
    ),
    _forgives(
        "foreign-attributes-ignored",
        "attributes that the operator does not have are ignored",
        "attributes looked up by name and never enumerated",
        _without_foreign_attributes,
        "attribute",
    ),
    _forgives(
        "integer-clip",
        "a clip of integer type is converted",
        "attributes without types, as in JSON",
        _with_float_clip,
        "attribute-type",
    ),
    _forgives(
        "single-name-as-list",
        "one activation given as a string is a list of one",
        "attributes without types, as in JSON",
        _with_list_of_names,
        "attribute-type",
        operators=("RNN",),
    ),
    _forgives(
        "hidden-size-ignored",
        "hidden_size is not read; R tells the size",
        "shapes taken from the tensors (onnxruntime#29595 has the opposite and reads outside the weights)",
        _without_hidden_size,
        "hidden-size",
        "hidden-size-mismatch",
    ),
    _forgives(
        "layout-is-a-flag",
        "any layout but 0 means 1",
        "an integer read as a boolean",
        _with_zero_or_one_layout,
        "layout",
    ),
    _forgives(
        "layout-in-any-opset",
        "layout is accepted below opset 14",
        "one implementation for all opsets (onnxruntime#29840)",
        _without_early_layout,
        "layout-opset",
    ),
    _forgives(
        "any-opset",
        "opsets below 7 are read like 7",
        "one implementation for all opsets",
        lambda case: case.replace(opset=max(case.opset, OLDEST_OPSET)),
        "opset",
    ),
    _forgives(
        "foreign-inputs-ignored",
        "inputs that the operator does not have are ignored",
        "inputs bound by position up to the last that is known",
        _without_foreign_inputs,
        "unknown-input",
        operators=("RNN", "GRU"),
    ),
    _forgives(
        "ranks-filled-up",
        "missing leading dimensions are 1",
        "broadcasting, or a kernel that reads memory and no shapes (onnxruntime#28653, onnx#7879)",
        _with_rank,
        "rank",
    ),
    _forgives(
        "one-state-for-all-rows",
        "an initial state of one row serves all rows",
        "broadcasting (torch-mlir#4741)",
        _with_one_state,
        "shape",
    ),
    _forgives(
        "one-direction-for-both",
        "weights and states of one direction serve both",
        "broadcasting",
        _with_shared_direction,
        "shape",
    ),
    _forgives(
        "surplus-elements-ignored",
        "elements behind the end of B, P, W or a state are ignored",
        "a kernel that reads memory and no shapes",
        _cut_to_size,
        "shape",
    ),
    _forgives(
        "types-converted",
        "tensors of other types are converted",
        "implicit conversion",
        _in_type_of_x,
        "dtype",
        "dtype-mismatch",
    ),
    _forgives(
        "foreign-outputs-filled",
        "an output that the operator does not have is filled with Y_h",
        "outputs bound by position",
        _without_foreign_outputs,
        "output",
        operators=("RNN", "GRU"),
    ),
    _forgives(
        "all-outputs-where-none",
        "a node without outputs gives all of them",
        "an empty list taken for 'all'",
        _with_all_outputs,
        "no-outputs",
    ),
)
"""Misreadings that accept what must be refused."""
