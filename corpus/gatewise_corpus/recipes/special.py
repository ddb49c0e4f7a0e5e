"""NaN, infinities, subnormals, negative zero and huge values, where the decisions say what happens."""

from collections.abc import Iterator

import numpy as np

from gatewise_corpus.case import Array, AttributeValues, Case
from gatewise_corpus.operators import OPERATORS
from gatewise_corpus.recipes.recipe import ALL_INPUTS, Recipe, Sizes, draw
from gatewise_corpus.store import About

_SIZES = Sizes(seq=4, batch=3, input=2, hidden=5)
_SUBNORMAL = float(np.float32(2.0**-135))


def recipes() -> Iterator[Recipe]:
    """Special values in each input of each operator, and in its options."""
    for operator, table in OPERATORS.items():
        float_inputs = [slot.name for slot in table.inputs if slot.name != "sequence_lens"]
        for slot in float_inputs:
            yield _one_value(operator, slot, np.nan, "nan", ("D24",))
        for slot in ("X", "W", "initial_h"):
            yield _one_value(operator, slot, np.inf, "infinity", ())
            yield _one_value(operator, slot, -np.inf, "infinity", ())
        yield _infinity_times_zero(operator)
        yield from _nan_rules(operator)
        yield from _padding(operator)
        yield from _magnitudes(operator)


def _about(why: str, flags: tuple[str, ...], tests: tuple[str, ...] = ()) -> About:
    return About(why=why, origin="special", flags=flags, tests=tests)


def put(array: Array, where: tuple[int, ...], value: float) -> Array:
    """A copy of ``array`` with ``value`` at ``where``."""
    copy = array.copy()
    copy[where] = value
    return copy


def _one_value(operator: str, slot: str, value: float, flag: str, tests: tuple[str, ...]) -> Recipe:
    word = {"nan": "nan", "infinity": "plus-infinity" if value > 0 else "minus-infinity"}[flag]
    name = f"{operator.lower()}/{word}-in-{slot.lower().replace('_', '-')}"
    case = draw(name, operator, _SIZES, optional=ALL_INPUTS)
    array = case.inputs[slot]
    where = tuple(size // 2 for size in array.shape)
    why = f"{value} in {slot} reaches the values that depend on it, and no others."
    return Recipe(name, case.with_inputs(**{slot: put(array, where, value)}), _about(why, (flag,), tests))


def _infinity_times_zero(operator: str) -> Recipe:
    name = f"{operator.lower()}/infinity-times-zero"
    case = draw(name, operator, _SIZES)
    X, W = put(case.inputs["X"], (1, 2, 0), np.inf), case.inputs["W"].copy()
    W[:, 1::2, 0] = 0
    why = "An infinity times a weight of 0 is NaN, which the largest float32 in its place would not be."
    return Recipe(name, case.with_inputs(X=X, W=W), _about(why, ("infinity", "nan")))


def _with_nan_row(case: Case) -> Case:
    return case.with_inputs(X=put(case.inputs["X"], (1, 1, 0), np.nan))


def _nan_rules(operator: str) -> Iterator[Recipe]:
    folder = operator.lower()
    last = len(OPERATORS[operator].default_activations) - 1
    for clip in (0.75, 3.0e38):
        name = f"{folder}/nan-through-clip-{'tight' if clip < 1 else 'huge'}"
        case = _with_nan_row(draw(name, operator, _SIZES, attributes={"clip": clip}))
        yield Recipe(name, case, _about("A NaN passes through clip, for its own row only.", ("nan",), ("D03",)))
    without_bias = _with_nan_row(draw(f"{folder}/nan-without-b", operator, _SIZES, optional=("initial_h",)))
    why = "A NaN in one row stays there, also where B is omitted."
    yield Recipe(f"{folder}/nan-without-b", without_bias, _about(why, ("nan",), ("D03",)))
    for kind in ("Relu", "HardSigmoid", "ThresholdedRelu", "LeakyRelu", "Elu", "Softplus", "Softsign", "Affine"):
        for place in {0, last}:
            names = list(OPERATORS[operator].default_activations)
            names[place] = kind
            attributes: AttributeValues = {
                "activations": tuple(names),
                "activation_alpha": (0.4,),
                "activation_beta": (0.3,),
            }
            name = f"{folder}/nan-{kind.lower()}-{'fgh'[place]}"
            case = _with_nan_row(draw(name, operator, _SIZES, attributes=attributes))
            rule = "gives 0 for a NaN" if kind == "ThresholdedRelu" else "keeps a NaN"
            yield Recipe(name, case, _about(f"{kind} {rule}.", ("nan", "activations"), ("D05",)))
    if operator != "RNN":
        for kind in ("Relu", "HardSigmoid", "ThresholdedRelu"):
            yield _nan_in_candidate(operator, kind)
    name = f"{folder}/infinite-r-no-state"
    case = draw(name, operator, _SIZES, optional=("B",))
    R = case.inputs["R"]
    case = case.with_inputs(R=put(R, (0, R.shape[1] - 1, 1), np.inf))
    why = "An omitted initial_h is zeros, and 0 times an infinity is NaN."
    yield Recipe(name, case, _about(why, ("infinity", "nan"), ("D23",)))


def _nan_in_candidate(operator: str, kind: str) -> Recipe:
    """A NaN in X reaches every gate, whose NaN would hide what the candidate's function makes of it."""
    name = f"{operator.lower()}/nan-bias-{kind.lower()}-g"
    names = list(OPERATORS[operator].default_activations)
    names[1] = kind
    attributes: AttributeValues = {
        "activations": tuple(names),
        "activation_alpha": (0.4,),
        "activation_beta": (0.3,),
    }
    case = draw(name, operator, _SIZES, attributes=attributes, optional=("B", "initial_h"))
    last_gate = (len(OPERATORS[operator].gates) - 1) * _SIZES.hidden
    B = put(case.inputs["B"], (0, last_gate + 2), np.nan)
    rule = "gives 0 for a NaN" if kind == "ThresholdedRelu" else "keeps a NaN"
    about = _about(f"{kind} {rule}, also where the NaN is the candidate's alone.", ("nan", "activations"), ("D05",))
    return Recipe(name, case.with_inputs(B=B), about)


def _padding(operator: str) -> Iterator[Recipe]:
    folder = operator.lower()
    sizes = Sizes(seq=5, batch=4, input=2, hidden=3)
    for direction in ("forward", "reverse", "bidirectional"):
        name = f"{folder}/poisoned-padding-{direction}"
        case = draw(name, operator, sizes, attributes={"direction": direction}, lengths=[3, 5, 0, 1])
        X = case.inputs["X"].copy()
        changed = {}
        for row, length in enumerate([3, 5, 0, 1]):
            X[length:, row] = (np.nan, np.inf, -np.inf, 3.0e38)[row]
        for state in ("initial_h", "initial_c"):
            if state in case.inputs:
                changed[state] = case.inputs[state].copy()
                changed[state][:, 2] = np.nan
        why = "NaN and infinities behind a row's length, and in the state of an empty row, change no output."
        about = _about(why, ("lengths", "nan", "infinity"), ("D17", "D14", "D18"))
        yield Recipe(name, case.with_inputs(X=X, **changed), about)


def _magnitudes(operator: str) -> Iterator[Recipe]:
    folder = operator.lower()
    name = f"{folder}/subnormal-inputs"
    case = draw(name, operator, _SIZES, optional=("initial_h",))
    scaled = {slot: case.inputs[slot] * np.float32(_SUBNORMAL) for slot in ("X", "initial_h")}
    why = "Subnormal inputs are not flushed."
    yield Recipe(name, case.with_inputs(**scaled), _about(why, ("subnormal",), ("D26",)))
    if operator == "RNN":
        name = "rnn/subnormal-results"
        attributes: AttributeValues = {
            "activations": ("Affine",),
            "activation_alpha": (1.0,),
            "activation_beta": (0.0,),
        }
        case = draw(name, operator, _SIZES, attributes=attributes, optional=())
        case = case.with_inputs(X=case.inputs["X"] * np.float32(2.0**-128))
        yield Recipe(name, case, _about("Subnormal results are kept.", ("subnormal",), ("D26",)))
    name = f"{folder}/negative-zero"
    case = draw(name, operator, _SIZES, optional=("B", "initial_h"))
    zeros = {slot: np.full_like(case.inputs[slot], -0.0) for slot in ("X", "B", "initial_h")}
    yield Recipe(name, case.with_inputs(**zeros), _about("Negative zeros as inputs.", ("signed-zero",), ("D25",)))
    name = f"{folder}/saturated"
    case = draw(name, operator, _SIZES)
    case = case.with_inputs(X=case.inputs["X"] * np.float32(1.0e4))
    why = "Saturated gates reach the ends of their range and do not leave it."
    yield Recipe(name, case, _about(why, ("extreme",), ("D34",)))
    name = f"{folder}/tiny-weights"
    case = draw(name, operator, _SIZES, optional=("initial_h",))
    scaled = {slot: case.inputs[slot] * np.float32(1.0e-20) for slot in ("X", "W", "R")}
    why = "Pre-activations far below 1 keep their relative accuracy or at least their absolute one."
    yield Recipe(name, case.with_inputs(**scaled), _about(why, ("extreme",)))
    name = f"{folder}/huge-inputs"
    case = draw(name, operator, _SIZES)
    case = case.with_inputs(X=case.inputs["X"] * np.float32(1.0e30))
    yield Recipe(name, case, _about("Finite inputs near the end of float32.", ("extreme",)))
    for kind in ("Elu", "Softplus"):
        for sign, word in ((1, "large"), (-1, "small")):
            yield _pre_activation_sweep(operator, kind, sign, word)
    for kind in ("Sigmoid", "Tanh"):
        yield _saturation(operator, kind)
    yield _whole_range(operator)


def _pre_activation_sweep(operator: str, kind: str, sign: int, word: str) -> Recipe:
    """W = 1 for one input and R = 0: the argument of ``kind``, which computes the candidate, runs over magnitudes."""
    name = f"{operator.lower()}/{kind.lower()}-of-{word}"
    sizes = Sizes(seq=24, batch=1, input=2, hidden=3)
    names = list(OPERATORS[operator].default_activations)
    names[min(1, len(names) - 1)] = kind
    case = draw(name, operator, sizes, attributes={"activations": tuple(names)}, optional=())
    X = np.zeros_like(case.inputs["X"])
    X[:, 0, 0] = sign * np.ldexp(1.0, np.arange(24) - 16)
    W = np.full_like(case.inputs["W"], 0.5)
    W[..., 0] = 1.0
    R = case.inputs["R"] * np.float32(0.0)
    why = f"{kind} from 2^-16 to 2^7 in magnitude: accurate near 0, no overflow, no early 0."
    return Recipe(name, case.with_inputs(X=X, W=W, R=R), _about(why, ("activations", "extreme"), ("D35",)))


def _whole_range(operator: str) -> Recipe:
    """The default activations; W = 1 for one gate, less for the next ones, and R = 0."""
    name = f"{operator.lower()}/arguments-from-minus-8-to-8"
    case = draw(name, operator, Sizes(seq=31, batch=2, input=1, hidden=4), optional=())
    ramp = np.linspace(-8, 8, 31, dtype=np.float32)
    X = np.stack([ramp, ramp[::-1] * np.float32(0.77)], axis=1)[..., np.newaxis]
    W = np.resize(np.array([1.0, 0.83, 0.71, 0.59, 0.47], np.float32), case.inputs["W"].shape)
    R = case.inputs["R"] * np.float32(0.0)
    why = "Arguments from -8 to 8: an approximation of Sigmoid or Tanh that is poor anywhere there shows."
    return Recipe(name, case.with_inputs(X=X, W=W, R=R), _about(why, ("activations",)))


def _saturation(operator: str, kind: str) -> Recipe:
    """W differs by unit and R = 0: the argument of ``kind``, which computes the candidate, runs through its tails."""
    name = f"{operator.lower()}/{kind.lower()}-in-its-tails"
    sizes = Sizes(seq=30, batch=2, input=1, hidden=3)
    names = list(OPERATORS[operator].default_activations)
    names[min(1, len(names) - 1)] = kind
    case = draw(name, operator, sizes, attributes={"activations": tuple(names)}, optional=())
    X = np.stack([np.linspace(1, 59, 30), np.linspace(-2, -118, 30)], axis=1).astype(np.float32)
    W = np.resize(np.array([1.0, 0.7, 1.6], np.float32), case.inputs["W"].shape)
    R = case.inputs["R"] * np.float32(0.0)
    why = f"{kind} from 0.7 to 190 in magnitude: it approaches its limits in time, and is no NaN there."
    about = _about(why, ("activations", "extreme"), ("D34",))
    return Recipe(name, case.with_inputs(X=X[..., np.newaxis], W=W, R=R), about)
