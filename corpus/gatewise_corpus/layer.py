"""A valid case in normal form: every default filled in, every tensor split by gate and turned to layout 0.

This is the one place that says which cases are valid. Source: the ONNX schemas, the note, D02 to D36.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gatewise_corpus.activations import Activation
from gatewise_corpus.attributes import Attributes, read_attributes
from gatewise_corpus.case import Array, Case
from gatewise_corpus.operators import BFLOAT16_OPSET, DIRECTIONS, Operator, Slot, size_of
from gatewise_corpus.refusal import RefusedError

FLOAT_TYPES = ("float16", "float32", "float64")
SCRATCH_LIMIT = 2**30
"""Floats of scratch that one direction may not reach (the note, section "Limits"; D36)."""


@dataclass(frozen=True, eq=False)
class Layer:
    """A validated case. T, N, I, H: steps, batch, input and hidden sizes; D: directions; G: gates.

    Attributes:
        operator: the operator's table entry.
        attributes: the attributes with their defaults.
        activations: for each direction, its activations in the order f, g, h.
        outputs: names of the requested outputs.
        X: [T, N, I]. W: [D, G, H, I]. R: [D, G, H, H].
        Wb, Rb: [D, G, H], the halves of B, or None where B is omitted.
        P: [D, 3, H] in the order i, o, f, or None.
        initial_h, initial_c: [D, N, H]; zeros where omitted.
        lengths: [N], int64; T where sequence_lens is omitted.
        has_lengths: whether sequence_lens was given (D15).
    """

    operator: Operator
    attributes: Attributes
    activations: tuple[tuple[Activation, ...], ...]
    outputs: tuple[str, ...]
    X: Array
    W: Array
    R: Array
    Wb: Array | None
    Rb: Array | None
    P: Array | None
    initial_h: Array
    initial_c: Array
    lengths: Array
    has_lengths: bool

    @property
    def directions(self) -> tuple[str, ...]:
        """("forward",), ("reverse",) or both."""
        return DIRECTIONS[self.attributes.direction]

    @property
    def dtype(self) -> np.dtype[np.floating]:
        """The type of X and of all outputs."""
        return self.X.dtype

    @property
    def seq(self) -> int:
        """T, the number of steps."""
        return int(self.X.shape[0])

    @property
    def batch(self) -> int:
        """N, the number of rows."""
        return int(self.X.shape[1])

    @property
    def input(self) -> int:
        """I, the input size."""
        return int(self.X.shape[2])

    @property
    def hidden(self) -> int:
        """H, the hidden size."""
        return int(self.R.shape[3])


def read_layer(case: Case) -> Layer:
    """The normal form of ``case``.

    Raises:
        RefusedError: if the case is not valid; the reason names the rule that it breaks first.
    """
    attributes = read_attributes(case)
    operator = attributes.operator
    _check_names(case, operator)
    _check_types(case)
    sizes = _read_sizes(case, operator, attributes)
    if attributes.hidden_size is not None and attributes.hidden_size != sizes["hidden"]:
        raise RefusedError(
            "hidden-size-mismatch",
            f"hidden_size is {attributes.hidden_size}, but R's last dimension is {sizes['hidden']}",
        )
    _check_scratch(case, operator, sizes)
    lengths = _read_lengths(case, sizes)
    return _split(case, attributes, sizes, lengths)


def broken_rule(case: Case) -> str:
    """The id, from ``gatewise_corpus.refusal.REASONS``, of the rule that ``case`` breaks first; "" if it is valid."""
    try:
        read_layer(case)
    except RefusedError as error:
        return error.reason
    return ""


def _check_names(case: Case, operator: Operator) -> None:
    for name in case.inputs:
        if operator.input(name) is None:
            raise RefusedError("unknown-input", f"{operator.name} has no input {name!r}")
    for slot in operator.inputs:
        if slot.required and slot.name not in case.inputs:
            raise RefusedError("missing-input", f"input {slot.name} is required")
    if not case.outputs:
        raise RefusedError("no-outputs", "no output is requested; at least one is needed")
    for name in case.outputs:
        if operator.output(name) is None or case.outputs.count(name) > 1:
            allowed = ", ".join(operator.output_names)
            raise RefusedError("output", f"output {name!r} is not one of {allowed}, each at most once")
    for name in case.constants:
        if name not in case.inputs:
            raise RefusedError("constant", f"constant {name!r} is not an input of the case")


def _check_types(case: Case) -> None:
    wanted = case.inputs["X"].dtype
    if wanted.name == "bfloat16" and case.opset >= BFLOAT16_OPSET:
        raise RefusedError("bfloat16", "bfloat16 tensors are not judged")
    for name, array in case.inputs.items():
        if name == "sequence_lens":
            if array.dtype != np.int32:
                raise RefusedError("lengths-dtype", f"sequence_lens is {array.dtype}, but must be int32")
        elif array.dtype.name not in FLOAT_TYPES:
            raise RefusedError("dtype", f"{name} is {array.dtype}, but must be one of {', '.join(FLOAT_TYPES)}")
        elif array.dtype != wanted:
            raise RefusedError("dtype-mismatch", f"{name} is {array.dtype}, but X is {wanted}")


def _read_sizes(case: Case, operator: Operator, attributes: Attributes) -> dict[str, int]:
    """The sizes by dimension name: ``dirs`` from the direction, the others from X and R; all shapes are checked."""
    slots = [slot for slot in operator.inputs if slot.name in case.inputs]
    for slot in slots:
        _check_rank(slot, case.inputs[slot.name], attributes.layout)
    X, R = case.inputs["X"], case.inputs["R"]
    sizes = dict(zip(_slot(operator, "X").shape(attributes.layout), X.shape, strict=True))
    sizes |= {"dirs": len(DIRECTIONS[attributes.direction]), "hidden": R.shape[2]}
    if sizes["hidden"] == 0:
        raise RefusedError("hidden-size", "R's last dimension, the hidden size, is 0 but must be positive")
    for slot in slots:
        names = slot.shape(attributes.layout)
        wanted = tuple(size_of(name, sizes) for name in names)
        actual = case.inputs[slot.name].shape
        if actual != wanted:
            raise RefusedError(
                "shape",
                f"{slot.name} has shape {list(actual)}, but [{', '.join(names)}] is {list(wanted)}",
            )
    return sizes


def _check_rank(slot: Slot, array: Array, layout: int) -> None:
    names = slot.shape(layout)
    if array.ndim != len(names):
        raise RefusedError("rank", f"{slot.name} has shape {list(array.shape)}, but must be [{', '.join(names)}]")


def _slot(operator: Operator, name: str) -> Slot:
    slot = operator.input(name)
    if slot is None:
        raise KeyError(name)
    return slot


def _check_scratch(case: Case, operator: Operator, sizes: dict[str, int]) -> None:
    """The note, section "Limits": projections, four [batch, hidden] buffers, transposed weights when not constant."""
    rows = len(operator.gates) * sizes["hidden"]
    floats = sizes["seq"] * sizes["batch"] * rows + 4 * sizes["batch"] * sizes["hidden"]
    floats += 0 if "W" in case.constants else rows * sizes["input"]
    floats += 0 if "R" in case.constants else rows * sizes["hidden"]
    if floats >= SCRATCH_LIMIT:
        raise RefusedError("scratch-limit", f"a direction needs {floats} floats of scratch, but 2^30 is the limit")


def _read_lengths(case: Case, sizes: dict[str, int]) -> Array:
    lengths = case.inputs.get("sequence_lens")
    if lengths is None:
        return np.full(sizes["batch"], sizes["seq"], dtype=np.int64)
    outside = np.flatnonzero((lengths < 0) | (lengths > sizes["seq"]))
    if outside.size:
        row = int(outside[0])
        raise RefusedError(
            "lengths-range", f"sequence_lens[{row}] is {lengths[row]}, but must lie in 0..{sizes['seq']}"
        )
    return lengths.astype(np.int64)


def _split(case: Case, attributes: Attributes, sizes: dict[str, int], lengths: Array) -> Layer:
    operator = attributes.operator
    dirs, gates, hidden = sizes["dirs"], len(operator.gates), sizes["hidden"]
    X = case.inputs["X"]
    B = case.inputs.get("B")
    P = case.inputs.get("P")
    biases = None if B is None else B.reshape(dirs, 2, gates, hidden)
    return Layer(
        operator=operator,
        attributes=attributes,
        activations=attributes.activations,
        outputs=case.outputs,
        X=X.swapaxes(0, 1) if attributes.layout else X,
        W=case.inputs["W"].reshape(dirs, gates, hidden, sizes["input"]),
        R=case.inputs["R"].reshape(dirs, gates, hidden, hidden),
        Wb=None if biases is None else biases[:, 0],
        Rb=None if biases is None else biases[:, 1],
        P=None if P is None else P.reshape(dirs, 3, hidden),
        initial_h=_state(case, "initial_h", attributes.layout, (dirs, sizes["batch"], hidden)),
        initial_c=_state(case, "initial_c", attributes.layout, (dirs, sizes["batch"], hidden)),
        lengths=lengths,
        has_lengths="sequence_lens" in case.inputs,
    )


def _state(case: Case, name: str, layout: int, shape: Sequence[int]) -> Array:
    """An initial state as [dirs, batch, hidden]; zeros where it is omitted (the note; D23)."""
    state = case.inputs.get(name)
    if state is None:
        return np.zeros(shape, dtype=case.inputs["X"].dtype)
    return state.swapaxes(0, 1) if layout else state


def output_shapes(case: Case) -> dict[str, tuple[int, ...]]:
    """The shape of every output of ``case``, requested or not, in the layout of the case.

    Raises:
        RefusedError: if the case is not valid.
    """
    attributes = read_attributes(case)
    operator = attributes.operator
    _check_names(case, operator)
    sizes = _read_sizes(case, operator, attributes)
    return {
        slot.name: tuple(size_of(name, sizes) for name in slot.shape(attributes.layout)) for slot in operator.outputs
    }


def turned(name: str, array: Array) -> Array:
    """The input or output ``name`` turned from one layout to the other: its own inverse (D28)."""
    if name in {"X", "initial_h", "initial_c", "Y_h", "Y_c"}:
        return array.swapaxes(0, 1)
    return array


def output_to_layout(name: str, array: Array, layout: int) -> Array:
    """An output of layout 0 as ``layout`` has it: Y [T, D, N, H] as [N, T, D, H], a state [D, N, H] as [N, D, H]."""
    if not layout:
        return array
    return array.transpose(2, 0, 1, 3) if name == "Y" else array.swapaxes(0, 1)


def output_from_layout(name: str, array: Array, layout: int) -> Array:
    """The inverse of ``output_to_layout``."""
    if not layout:
        return array
    return array.transpose(1, 2, 0, 3) if name == "Y" else array.swapaxes(0, 1)


def outputs_from_layout(outputs: Mapping[str, Array], layout: int) -> dict[str, Array]:
    """Outputs by name in the form of layout 0."""
    return {name: output_from_layout(name, array, layout) for name, array in outputs.items()}
