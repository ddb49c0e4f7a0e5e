"""Other readings of the points on which the specification is silent and public runtimes differ."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gatewise_corpus.activations import Activation
from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import Layer, read_layer
from gatewise_oracle.activations import FUNCTIONS, Values, with_jump
from gatewise_oracle.ball import LARGEST, UNIT, Floats
from gatewise_oracle.readings import HUGE, Reading

SMALLEST_NORMAL = 2.0**-126
_BOUNDED = ("Tanh", "Sigmoid", "HardSigmoid", "Softsign")
_ZERO_DEFAULTS = ("ThresholdedRelu", "Affine", "ScaledTanh")


def _with_clip(layer: Layer, clip: float) -> Layer:
    return replace(layer, attributes=replace(layer.attributes, clip=clip))


def _given_clip(case: Case) -> float:
    """The clip that the case spells out, 0 where it has none."""
    clip = case.attributes.get("clip", 0.0)
    return clip if isinstance(clip, float) else 0.0


def _clip_is_zero(case: Case, _: Layer) -> bool:
    return case.attributes.get("clip") == 0


def _clip_is_negative(case: Case, _: Layer) -> bool:
    return _given_clip(case) < 0


def _clip_is_nan(case: Case, _: Layer) -> bool:
    return bool(np.isnan(_given_clip(case)))


def _absolute_clip(case: Case) -> Case:
    return case.with_attributes(clip=abs(_given_clip(case)))


def _floats(case: Case) -> Iterator[tuple[str, Array]]:
    return ((name, array) for name, array in case.inputs.items() if name != "sequence_lens")


def _may_overflow(case: Case, layer: Layer) -> bool:
    """Whether a NaN or an infinity can arise: from one among the inputs, from huge ones, or by unbounded growth."""
    bounded = all(activation.name in _BOUNDED for own in layer.activations for activation in own)
    return not bounded or any(not bool((np.abs(array.astype(np.float64)) < HUGE).all()) for _, array in _floats(case))


def _clamps(case: Case, layer: Layer) -> bool:
    return layer.attributes.clip is not None and _may_overflow(case, layer)


def _clamps_nothing(case: Case, layer: Layer) -> bool:
    return layer.attributes.clip is None and _may_overflow(case, layer)


def _clip_is_infinite(case: Case, layer: Layer) -> bool:
    return _given_clip(case) == np.inf and _may_overflow(case, layer)


def _nan_to_infinity(x: Floats, _: float | None) -> Floats:
    return np.where(np.isnan(x), np.inf, x)


def _nan_to_upper(x: Floats, clip: float | None) -> Floats:
    return x if clip is None else np.where(np.isnan(x), clip, np.clip(x, -clip, clip))


def _nan_to_lower(x: Floats, clip: float | None) -> Floats:
    return x if clip is None else np.where(np.isnan(x), -clip, np.clip(x, -clip, clip))


def _largest_as_clip(x: Floats, clip: float | None) -> Floats:
    return _nan_to_upper(x, LARGEST if clip is None else clip)


def _largest_for_infinities(x: Floats, clip: float | None) -> Floats:
    bound = LARGEST if clip is None else clip
    return np.clip(x, -bound, bound)


def _clips_cell(_: Case, layer: Layer) -> bool:
    return layer.operator.name == "LSTM" and layer.attributes.clip is not None


def _uses(layer: Layer, *names: str) -> bool:
    return any(activation.name in names for own in layer.activations for activation in own)


def _relu_without_nan(x: Floats, activation: Activation, error: float) -> Values:
    return FUNCTIONS["Relu"](np.where(np.isnan(x), 0, x), activation, error)


def _hard_sigmoid_without_nan(x: Floats, activation: Activation, error: float) -> Values:
    values, bound = FUNCTIONS["HardSigmoid"](x, activation, error)
    return np.where(np.isnan(values), 0, values), bound


def _thresholded_relu_with_nan(x: Floats, activation: Activation, error: float) -> Values:
    values, bound = FUNCTIONS["ThresholdedRelu"](x, activation, error)
    return np.where(np.isnan(x).all(axis=0), np.nan, values), bound


def _inclusive_thresholded_relu(x: Floats, activation: Activation, error: float) -> Values:
    alpha = activation.alpha
    return with_jump(np.where(x >= alpha, x, 0), alpha, x, alpha), error


def _literal_softplus(x: Floats, _: Activation, error: float) -> Values:
    """log(1 + e^x) as float32 operations: e^x overflows, and is lost beside 1."""
    values = np.where(x > np.log(LARGEST), np.inf, np.logaddexp(0, x))
    return values, (error + 2 * UNIT) * np.maximum(1, np.where(np.isfinite(values), values, 1))


def _literal_elu(x: Floats, activation: Activation, error: float) -> Values:
    """The product alpha * (e^x - 1) as float32 operations: near 0 the rounding of e^x remains."""
    return FUNCTIONS["Elu"](x, activation, error + 2 * UNIT)


def _zero_parameters(case: Case) -> Case:
    """The case with every parameter spelled out, the missing ones of _ZERO_DEFAULTS as 0."""
    layer = read_layer(case)
    values: dict[str, tuple[float, ...]] = {}
    for parameter in ("alpha", "beta"):
        attribute = f"activation_{parameter}"
        given = case.attributes.get(attribute, ())
        used = [
            (
                0.0 if activation.name in _ZERO_DEFAULTS else getattr(activation, parameter),
                getattr(activation, parameter),
            )
            for own in layer.activations
            for activation in own
            if getattr(activation.kind, parameter) is not None
        ]
        count = len(given) if isinstance(given, tuple) else 0
        values[attribute] = tuple(kept if place < count else default for place, (default, kept) in enumerate(used))
    return case.with_attributes(**{name: value or None for name, value in values.items()})


def _lacks_parameters(case: Case, layer: Layer) -> bool:
    return read_layer(_zero_parameters(case)).activations != layer.activations


def _has_empty_row(_: Case, layer: Layer) -> bool:
    return layer.has_lengths and bool((layer.lengths == 0).any())


def _has_no_steps(_: Case, layer: Layer) -> bool:
    return not layer.has_lengths and layer.seq == 0


def _has_padding(_: Case, layer: Layer) -> bool:
    return bool((layer.lengths < layer.seq).any())


def _has_reverse(_: Case, layer: Layer) -> bool:
    return "reverse" in layer.directions


_SWITCHES = ("linear_before_reset", "input_forget")


def _odd_switch(case: Case, _: Layer) -> bool:
    return any(case.attributes.get(name, 0) not in (0, 1) for name in _SWITCHES)


def _only_one_is_true(case: Case) -> Case:
    return case.with_attributes(
        **{name: int(case.attributes[name] == 1) for name in _SWITCHES if name in case.attributes}
    )


def _omits_state(case: Case, layer: Layer) -> bool:
    return "initial_h" not in case.inputs and not bool(np.isfinite(layer.R).all())


def _tiny_values(case: Case, _: Layer) -> bool:
    """Whether an input, or the product of two, can be subnormal."""
    return any(bool(((array != 0) & (np.abs(array) < 2.0**-63)).any()) for _, array in _floats(case))


def _flushed(case: Case) -> Case:
    flushed = {
        name: np.where(np.abs(array) < SMALLEST_NORMAL, np.copysign(0, array), array).astype(array.dtype)
        for name, array in _floats(case)
    }
    return case.with_inputs(**flushed)


def _layout_is_one(_: Case, layer: Layer) -> bool:
    return layer.attributes.layout == 1


DECISIONS = (
    Reading(
        "clip-zero-clamps",
        "clip = 0 clamps every input of an activation to 0",
        "D02",
        _clip_is_zero,
        layer=lambda layer: _with_clip(layer, 0.0),
    ),
    Reading(
        "clip-sign-ignored",
        "a negative clip clamps like its absolute value",
        "D02",
        _clip_is_negative,
        case=_absolute_clip,
    ),
    Reading(
        "clip-negative-lower",
        "a negative clip sets every input of an activation to clip, as min(max(x, -clip), clip) does",
        "D02",
        _clip_is_negative,
        case=_absolute_clip,
        semantics={"clamp": lambda x, clip: np.full_like(x, -clip)},
    ),
    Reading(
        "clip-negative-upper",
        "a negative clip sets every input of an activation to -clip, as max(min(x, clip), -clip) does",
        "D02",
        _clip_is_negative,
        case=_absolute_clip,
        semantics={"clamp": np.full_like},
    ),
    Reading(
        "clip-nan-spreads",
        "clip = NaN makes every input of an activation NaN",
        "D02",
        _clip_is_nan,
        layer=lambda layer: _with_clip(layer, float("nan")),
    ),
    Reading(
        "nan-becomes-clip",
        "clip turns NaN into +clip",
        "D03",
        _clamps,
        semantics={"clamp": _nan_to_upper},
    ),
    Reading(
        "nan-becomes-minus-clip",
        "clip turns NaN into -clip",
        "D03",
        _clamps,
        semantics={"clamp": _nan_to_lower},
    ),
    Reading(
        "nan-becomes-infinity",
        "an infinite clip turns NaN into infinity",
        "D03",
        _clip_is_infinite,
        semantics={"clamp": _nan_to_infinity},
    ),
    Reading(
        "largest-float-is-the-clip",
        "without a clip, NaN and infinities become the largest float32",
        "D03",
        _clamps_nothing,
        semantics={"clamp": _largest_as_clip},
    ),
    Reading(
        "largest-float-bounds-infinities",
        "without a clip, infinities become the largest float32, and NaN passes",
        "D03",
        _clamps_nothing,
        semantics={"clamp": _largest_for_infinities},
    ),
    Reading(
        "clip-on-cell",
        "clip clamps the new cell state as well",
        "D04",
        _clips_cell,
        semantics={"clips_cell": True},
    ),
    Reading(
        "clip-on-input-of-h",
        "clip clamps the input of h as well",
        "D04",
        _clips_cell,
        semantics={"clips_input_of_h": True},
    ),
    Reading(
        "relu-drops-nan",
        "Relu of NaN is 0",
        "D05",
        lambda case, layer: _uses(layer, "Relu") and _may_overflow(case, layer),
        functions={"Relu": _relu_without_nan},
    ),
    Reading(
        "hard-sigmoid-drops-nan",
        "HardSigmoid of NaN is 0",
        "D05",
        lambda case, layer: _uses(layer, "HardSigmoid") and _may_overflow(case, layer),
        functions={"HardSigmoid": _hard_sigmoid_without_nan},
    ),
    Reading(
        "thresholded-relu-keeps-nan",
        "ThresholdedRelu of NaN is NaN",
        "D05",
        lambda case, layer: _uses(layer, "ThresholdedRelu") and _may_overflow(case, layer),
        functions={"ThresholdedRelu": _thresholded_relu_with_nan},
    ),
    Reading(
        "thresholded-relu-inclusive",
        "ThresholdedRelu keeps x = alpha",
        "D06",
        lambda _, layer: _uses(layer, "ThresholdedRelu"),
        functions={"ThresholdedRelu": _inclusive_thresholded_relu},
    ),
    Reading(
        "zero-defaults",
        "a missing alpha or beta of Affine, ScaledTanh or ThresholdedRelu is 0",
        "D07",
        _lacks_parameters,
        case=_zero_parameters,
    ),
    Reading(
        "empty-row-keeps-state",
        "the final state of a row of length 0 is its initial state",
        "D14",
        _has_empty_row,
        semantics={"empty_row": "initial"},
    ),
    Reading(
        "no-steps-give-zeros",
        "with seq = 0 the final states are zeros",
        "D15",
        _has_no_steps,
        semantics={"no_steps": "zero"},
    ),
    Reading(
        "padding-carries-last-state",
        "Y past the length of a row carries the row's last state",
        "D18",
        _has_padding,
        semantics={"padding": "last"},
    ),
    Reading(
        "reverse-in-processing-order",
        "Y of the reverse direction stands in the order of processing",
        "D19",
        _has_reverse,
        semantics={"reverse_order": "processing"},
    ),
    Reading(
        "only-one-is-true",
        "linear_before_reset and input_forget count only where they are exactly 1",
        "D21",
        _odd_switch,
        case=_only_one_is_true,
    ),
    Reading(
        "omitted-state-skips-product",
        "without initial_h the first step has no recurrent product",
        "D23",
        _omits_state,
        semantics={"multiplies_omitted_state": False},
    ),
    Reading(
        "results-flushed",
        "subnormal results are flushed to zero",
        "D26",
        _tiny_values,
        semantics={"tiny": SMALLEST_NORMAL},
    ),
    Reading(
        "subnormals-flushed",
        "subnormal inputs and results are flushed to zero",
        "D26",
        _tiny_values,
        case=_flushed,
        semantics={"tiny": SMALLEST_NORMAL},
    ),
    Reading(
        "layout-ignored",
        "layout = 1 is read as layout = 0",
        "D28",
        _layout_is_one,
        case=lambda case: case.with_attributes(layout=None),
    ),
    Reading(
        "elu-literal",
        "Elu is alpha * (e^x - 1) in float32 operations",
        "D35",
        lambda _, layer: _uses(layer, "Elu"),
        functions={"Elu": _literal_elu},
    ),
    Reading(
        "softplus-literal",
        "Softplus is log(1 + e^x) in float32 operations, infinite above 88.7",
        "D35",
        lambda _, layer: _uses(layer, "Softplus"),
        functions={"Softplus": _literal_softplus},
    ),
)
"""One reading a line of the table of decisions on which public runtimes differ."""
