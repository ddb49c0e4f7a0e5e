"""The attributes of a case with their defaults, and the activations with their parameters."""

from dataclasses import dataclass

import numpy as np

from gatewise_corpus.activations import ACTIVATIONS, Activation, ActivationKind, find_activation
from gatewise_corpus.case import AttributeValue, Case
from gatewise_corpus.operators import (
    DIRECTIONS,
    LAYOUT_OPSET,
    OLDEST_OPSET,
    OPERATORS,
    AttributeType,
    Operator,
)
from gatewise_corpus.refusal import RefusedError


@dataclass(frozen=True)
class Attributes:
    """The attributes of a valid case, defaults filled in.

    ``clip`` is None where nothing is clamped (D02); ``activations`` holds f, g, h for each direction.
    """

    operator: Operator
    direction: str
    layout: int
    hidden_size: int | None
    clip: float | None
    linear_before_reset: bool
    input_forget: bool
    activations: tuple[tuple[Activation, ...], ...]


def read_attributes(case: Case) -> Attributes:
    """The attributes of ``case`` with their defaults.

    Raises:
        RefusedError: if the operator, the opset or an attribute is not valid.
    """
    operator = OPERATORS.get(case.operator)
    if operator is None:
        raise RefusedError("operator", f"operator {case.operator!r} is not one of {', '.join(OPERATORS)}")
    if case.opset < OLDEST_OPSET:
        raise RefusedError("opset", f"opset {case.opset} is not supported; {OLDEST_OPSET} is the oldest")
    _check_types(case, operator)
    given = case.attributes
    direction = given.get("direction", "forward")
    if direction not in DIRECTIONS:
        raise RefusedError("direction", f"direction {direction!r} is not one of {', '.join(DIRECTIONS)}")
    hidden_size = _int_or_none(given.get("hidden_size"))
    if hidden_size is not None and hidden_size <= 0:
        raise RefusedError("hidden-size", f"hidden_size is {hidden_size}, but must be positive")
    return Attributes(
        operator=operator,
        direction=str(direction),
        layout=_read_layout(case),
        hidden_size=hidden_size,
        clip=_read_clip(given.get("clip")),
        linear_before_reset=bool(given.get("linear_before_reset", 0)),
        input_forget=bool(given.get("input_forget", 0)),
        activations=_read_activations(case, operator, len(DIRECTIONS[str(direction)])),
    )


def _check_types(case: Case, operator: Operator) -> None:
    for name, value in case.attributes.items():
        wanted = operator.attributes.get(name)
        if wanted is None:
            raise RefusedError("attribute", f"{operator.name} has no attribute {name!r}")
        if not has_type(value, wanted):
            raise RefusedError("attribute-type", f"attribute {name} is {value!r}, but must be of type {wanted}")


def has_type(value: AttributeValue, wanted: AttributeType) -> bool:
    """Whether ``value`` is of the ONNX attribute type ``wanted``; an empty tuple is a list of any type."""
    scalars: dict[str, type] = {"int": int, "float": float, "string": str}
    if wanted in scalars:
        return type(value) is scalars[wanted]
    return isinstance(value, tuple) and all(type(item) is scalars[wanted.removesuffix("s")] for item in value)


def _int_or_none(value: AttributeValue | None) -> int | None:
    return value if isinstance(value, int) else None


def _read_layout(case: Case) -> int:
    layout = case.attributes.get("layout")
    if layout is None:
        return 0
    if case.opset < LAYOUT_OPSET:
        raise RefusedError(
            "layout-opset", f"attribute layout needs opset {LAYOUT_OPSET}, but the opset is {case.opset}"
        )
    if layout not in (0, 1):
        raise RefusedError("layout", f"layout is {layout}, but must be 0 or 1")
    return int(layout == 1)


def _read_clip(clip: AttributeValue | None) -> float | None:
    """Only a positive clip clamps; 0, negative, NaN and infinity mean no clip (D02)."""
    if isinstance(clip, float) and 0 < clip < np.inf:
        return clip
    return None


def _read_activations(case: Case, operator: Operator, dirs: int) -> tuple[tuple[Activation, ...], ...]:
    """The activations of each direction (the note, section "Activations"; D07 to D12)."""
    per_direction = len(operator.default_activations)
    names = case.attributes.get("activations") or operator.default_activations
    kinds = tuple(_find(str(name)) for name in _as_tuple(names))
    if len(kinds) == per_direction:
        kinds = kinds * dirs
    elif operator.name == "RNN" and dirs == 1 and len(kinds) == 2:
        kinds = kinds[:1]
    if len(kinds) != per_direction * dirs:
        allowed = sorted({0, per_direction, per_direction * dirs} | ({2} if operator.name == "RNN" else set()))
        raise RefusedError(
            "activation-count",
            f"{len(kinds)} activations are named, but {operator.name} with {dirs} direction(s) takes "
            + " or ".join(map(str, allowed)),
        )
    bound = _give_parameters(kinds, case)
    return tuple(bound[start : start + per_direction] for start in range(0, len(bound), per_direction))


def _find(name: str) -> ActivationKind:
    kind = find_activation(name)
    if kind is None:
        raise RefusedError("activation-name", f"activation {name!r} is not one of {', '.join(ACTIVATIONS)}")
    return kind


def _give_parameters(kinds: tuple[ActivationKind, ...], case: Case) -> tuple[Activation, ...]:
    """One cursor for alpha and one for beta run over the activations that take the parameter."""
    alphas = iter(_as_tuple(case.attributes.get("activation_alpha", ())))
    betas = iter(_as_tuple(case.attributes.get("activation_beta", ())))
    bound = []
    for kind in kinds:
        alpha = 0.0 if kind.alpha is None else float(next(alphas, kind.alpha))
        beta = 0.0 if kind.beta is None else float(next(betas, kind.beta))
        bound.append(Activation(kind, float(np.float32(alpha)), float(np.float32(beta))))
    return tuple(bound)


def _as_tuple(value: AttributeValue) -> tuple[int | float | str, ...]:
    return value if isinstance(value, tuple) else (value,)
