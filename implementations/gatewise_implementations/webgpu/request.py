"""What a caller asks for, checked: the contract's names, shapes, defaults and ranges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gatewise_corpus.activations import ACTIVATIONS, Activation, ActivationKind, find_activation
from gatewise_corpus.case import Array
from gatewise_corpus.operators import DIRECTIONS, OPERATORS, Operator, Slot, size_of


class ContractError(ValueError):
    """A call that the contract does not allow; the message is one sentence."""


@dataclass(frozen=True, eq=False)
class Request:
    """A call that keeps the contract.

    Attributes:
        operator: the operator's table entry.
        tensors: the tensors that were given, by ONNX's names; float32, sequence_lens int32.
        sizes: seq, batch, input, hidden and dirs.
        directions: "forward", "reverse" or both.
        layout: 0 or 1.
        clip: None where nothing is clamped.
        activations: for each direction f, g, h as far as the operator has them.
        linear_before_reset, input_forget: of GRU and of LSTM.
    """

    operator: Operator
    tensors: Mapping[str, Array]
    sizes: Mapping[str, int]
    directions: tuple[str, ...]
    layout: int
    clip: float | None
    activations: tuple[tuple[Activation, ...], ...]
    linear_before_reset: bool = False
    input_forget: bool = False

    def shape(self, output: str) -> tuple[int, ...]:
        """The shape of an output, in the layout."""
        slots = {slot.name: slot for slot in self.operator.outputs}
        return tuple(size_of(name, self.sizes) for name in slots[output].shape(self.layout))


def make_request(
    operator_name: str,
    given: Mapping[str, Array | None],
    *,
    activation_alpha: Sequence[float] = (),
    activation_beta: Sequence[float] = (),
    activations: Sequence[str] | None = None,
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
    linear_before_reset: int = 0,
    input_forget: int = 0,
) -> Request:
    """The request of a call with these tensors, by ONNX's names, and attributes.

    Raises:
        ContractError: if the contract does not allow it.
    """
    operator = OPERATORS[operator_name]
    if direction not in DIRECTIONS:
        raise ContractError(f"direction is {direction!r}, but must be one of {', '.join(DIRECTIONS)}")
    if layout not in (0, 1):
        raise ContractError(f"layout is {layout}, but must be 0 or 1")
    if clip is not None and not clip >= 0:
        raise ContractError(f"clip is {clip}, but must be at least 0")
    for switch, value in (("linear_before_reset", linear_before_reset), ("input_forget", input_forget)):
        if value and switch not in operator.attributes:
            raise ContractError(f"{operator_name} has no attribute {switch}")
    for slot in operator.inputs:
        if (slot.required or slot.name == "B") and given.get(slot.name) is None:
            raise ContractError(f"{slot.name.lower()} is missing, but is required")
    directions = DIRECTIONS[direction]
    tensors = {name: np.asarray(array) for name, array in given.items() if array is not None}
    sizes = _read_sizes(operator, tensors, layout, len(directions))
    if hidden_size not in (None, sizes["hidden"]):
        raise ContractError(f"hidden_size is {hidden_size}, but r has {sizes['hidden']} units")
    _check_lengths(tensors.get("sequence_lens"), sizes["seq"])
    return Request(
        operator=operator,
        tensors=tensors,
        sizes=sizes,
        directions=directions,
        layout=layout,
        clip=clip,
        activations=read_activations(operator, len(directions), activations, activation_alpha, activation_beta),
        linear_before_reset=bool(linear_before_reset),
        input_forget=bool(input_forget),
    )


def read_activations(
    operator: Operator,
    dirs: int,
    names: Sequence[str] | None,
    alphas: Sequence[float],
    betas: Sequence[float],
) -> tuple[tuple[Activation, ...], ...]:
    """The activations of each direction; one direction uses the first set of two.

    alpha and beta are consumed in the order of the activations that take them; behind the end of a list the
    standard default of the activation holds.

    Raises:
        ContractError: if there is no such activation, or another number of them.
    """
    count = len(operator.default_activations)
    names = operator.default_activations * 2 if names is None else names
    if len(names) not in {count * dirs, count * 2}:
        allowed = f"{count} or {2 * count}" if dirs == 1 else str(2 * count)
        raise ContractError(f"{len(names)} activations are named, but must be {allowed}")
    kinds = [_kind(name) for name in names][: count * dirs]
    alpha, beta = iter(alphas), iter(betas)
    bound = [
        Activation(
            kind,
            0.0 if kind.alpha is None else next(alpha, kind.alpha),
            0.0 if kind.beta is None else next(beta, kind.beta),
        )
        for kind in kinds
    ]
    return tuple(tuple(bound[index * count : (index + 1) * count]) for index in range(dirs))


def _kind(name: str) -> ActivationKind:
    kind = find_activation(name)
    if kind is None:
        raise ContractError(f"activation {name!r} is not one of {', '.join(ACTIVATIONS)}")
    return kind


def _read_sizes(operator: Operator, tensors: Mapping[str, Array], layout: int, dirs: int) -> dict[str, int]:
    """The sizes, from x and r; every tensor is checked against them."""
    slots = [slot for slot in operator.inputs if slot.name in tensors]
    for slot in slots:
        _check_type_and_rank(slot, tensors[slot.name], layout)
    rows_and_steps = ("batch", "seq") if layout else ("seq", "batch")
    sizes = dict(zip((*rows_and_steps, "input"), tensors["X"].shape, strict=True))
    sizes |= {"hidden": tensors["R"].shape[2], "dirs": dirs}
    if not sizes["hidden"]:
        raise ContractError("the last dimension of r, the hidden size, is 0, but must be positive")
    for slot in slots:
        wanted = tuple(size_of(name, sizes) for name in slot.shape(layout))
        if tensors[slot.name].shape != wanted:
            actual = list(tensors[slot.name].shape)
            raise ContractError(f"{slot.name.lower()} has shape {actual}, but must have {list(wanted)}")
    return sizes


def _check_type_and_rank(slot: Slot, array: Array, layout: int) -> None:
    wanted = np.int32 if slot.name == "sequence_lens" else np.float32
    if array.dtype != wanted:
        raise ContractError(f"{slot.name.lower()} is {array.dtype}, but must be {np.dtype(wanted)}")
    names = slot.shape(layout)
    if array.ndim != len(names):
        raise ContractError(f"{slot.name.lower()} has shape {list(array.shape)}, but must have [{', '.join(names)}]")


def _check_lengths(lengths: Array | None, seq: int) -> None:
    if lengths is not None and ((lengths < 0) | (lengths > seq)).any():
        raise ContractError(f"sequence_lens is {lengths.tolist()}, but must lie in 0..{seq}")
