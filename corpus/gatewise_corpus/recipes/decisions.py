"""One or more cases for each decision (D01 ...) that concerns a valid case and that no other recipe tests."""

from collections.abc import Iterator

import numpy as np

from gatewise_corpus.case import AttributeValues
from gatewise_corpus.operators import OPERATORS
from gatewise_corpus.recipes.recipe import ALL_INPUTS, ALL_INPUTS_BUT_P, Recipe, Sizes, draw
from gatewise_corpus.store import About

_SIZES = Sizes(seq=4, batch=3, input=2, hidden=5)
_OPSETS = (7, 8, 13, 14, 15, 21, 22, 23, 24, 25)


def recipes() -> Iterator[Recipe]:
    """The cases of all decisions, for each operator that they concern."""
    for operator in OPERATORS:
        yield from _clip(operator)
        yield from _lengths(operator)
        yield from _empty(operator)
        yield from _hidden_size(operator)
        yield from _layouts(operator)
        yield from _opsets(operator)
        yield from _types(operator)
        yield from _outputs(operator)
        yield from _constants(operator)
        yield _threshold_met(operator)
        yield _reverse_alone(operator)
    yield from _flags()
    yield from _lstm_only()
    yield from _gru_only()


def _about(why: str, flag: str, *tests: str) -> About:
    return About(why=why, origin="decisions", flags=(flag,), tests=tests)


def _clip(operator: str) -> Iterator[Recipe]:
    folder = operator.lower()
    for word, clip in (("zero", 0.0), ("negative", -0.5), ("nan", np.nan), ("infinite", np.inf)):
        name = f"{folder}/clip-{word}"
        case = draw(name, operator, _SIZES, attributes={"clip": clip})
        yield Recipe(name, case, _about(f"clip = {clip} clamps nothing.", "options", "D02"))
    for clip in (0.125, 0.6):
        name = f"{folder}/clip-{str(clip).replace('.', '-')}"
        case = draw(name, operator, _SIZES, attributes={"clip": clip, "direction": "bidirectional"})
        why = f"clip = {clip} clamps the input of every gate's activation on both sides, and nothing else."
        yield Recipe(name, case, _about(why, "options", "D02", "D04"))


def _lengths(operator: str) -> Iterator[Recipe]:
    folder = operator.lower()
    sizes = Sizes(seq=6, batch=4, input=2, hidden=3)
    for direction in ("forward", "reverse", "bidirectional"):
        for word, lengths, tests in (
            ("mixed", [6, 1, 4, 3], ("D18", "D19")),
            ("some-empty", [0, 5, 0, 2], ("D14", "D18")),
            ("all-empty", [0, 0, 0, 0], ("D14",)),
            ("full", [6, 6, 6, 6], ("D19",)),
            ("one-step", [1, 1, 1, 1], ("D18",)),
        ):
            name = f"{folder}/lengths-{word}-{direction}"
            case = draw(name, operator, sizes, attributes={"direction": direction}, lengths=lengths)
            why = f"Rows of lengths {lengths} run {direction}: states, zeros behind the end, order of Y."
            yield Recipe(name, case, _about(why, "lengths", *tests))


def _empty(operator: str) -> Iterator[Recipe]:
    folder = operator.lower()
    for word, sizes, lengths, tests in (
        ("no-steps", Sizes(0, 3, 2, 5), None, ("D15",)),
        ("no-steps-with-lengths", Sizes(0, 3, 2, 5), [0, 0, 0], ("D15", "D14")),
        ("no-rows", Sizes(4, 0, 2, 5), None, ("D16",)),
        ("no-inputs", Sizes(4, 3, 0, 5), None, ("D16",)),
    ):
        name = f"{folder}/{word}"
        case = draw(name, operator, sizes, attributes={"direction": "bidirectional"}, lengths=lengths)
        why = f"seq, batch, input = {sizes.seq}, {sizes.batch}, {sizes.input}: the natural result."
        yield Recipe(name, case, _about(why, "empty", *tests))
        name = f"{folder}/{word}-without-state"
        case = draw(name, operator, sizes, lengths=lengths, optional=("B",))
        yield Recipe(name, case, _about(f"{why[:-1]}, from zeros.", "empty", *tests))


def _hidden_size(operator: str) -> Iterator[Recipe]:
    name = f"{operator.lower()}/hidden-size-absent"
    case = draw(name, operator, _SIZES, hidden_size=False)
    yield Recipe(name, case, _about("hidden_size left out is taken from R.", "options", "D20"))


def _layouts(operator: str) -> Iterator[Recipe]:
    folder = operator.lower()
    sizes = Sizes(seq=4, batch=3, input=2, hidden=5)
    for direction in ("forward", "reverse", "bidirectional"):
        name = f"{folder}/layout-1-{direction}"
        attributes: AttributeValues = {"layout": 1, "direction": direction}
        case = draw(name, operator, sizes, attributes=attributes, lengths=[4, 1, 3])
        why = "layout = 1 is layout 0 transposed; sequence_lens stays one length a row."
        yield Recipe(name, case, _about(why, "options", "D28"))
    name = f"{folder}/layout-0-explicit"
    case = draw(name, operator, sizes, attributes={"layout": 0})
    yield Recipe(name, case, _about("layout = 0 spelled out is the default.", "options", "D28"))


def _opsets(operator: str) -> Iterator[Recipe]:
    for opset in _OPSETS:
        name = f"{operator.lower()}/opset-{opset:02}"
        case = draw(name, operator, Sizes(3, 2, 4, 6), opset=opset)
        yield Recipe(name, case, _about(f"Opset {opset} means the same as the others.", "options", "D29"))


def _types(operator: str) -> Iterator[Recipe]:
    folder = operator.lower()
    for direction in ("forward", "reverse", "bidirectional"):
        name = f"{folder}/float16-{direction}"
        attributes: AttributeValues = {"direction": direction}
        case = draw(name, operator, _SIZES, attributes=attributes, dtype=np.float16, lengths=[2, 4, 3])
        why = "float16 is widened, computed in float32 and rounded once at the end."
        yield Recipe(name, case, _about(why, "precision", "D30"))
    name = f"{folder}/float64"
    case = draw(name, operator, _SIZES, dtype=np.float64)
    yield Recipe(name, case, _about("float64, where a runtime has it.", "precision", "D30"))


def _outputs(operator: str) -> Iterator[Recipe]:
    names = OPERATORS[operator].output_names
    for mask in range(1, 2 ** len(names) - 1):
        outputs = [output for index, output in enumerate(names) if mask >> index & 1]
        name = f"{operator.lower()}/outputs-{'-'.join(outputs).lower().replace('_', '')}"
        attributes: AttributeValues = {"direction": "bidirectional"}
        case = draw(name, operator, _SIZES, attributes=attributes, outputs=outputs, lengths=[2, 4, 3])
        why = f"Only {', '.join(outputs)}: the others are left out and nothing shifts."
        yield Recipe(name, case, _about(why, "options", "D31"))


def _constants(operator: str) -> Iterator[Recipe]:
    for word, constants in (
        ("constant", ("W", "R", "B", "P")),
        ("constant-w-only", ("W",)),
        ("constant-r-only", ("R",)),
        ("all-constant-but-x", ("W", "R", "B", "P", "initial_h", "initial_c", "sequence_lens")),
    ):
        name = f"{operator.lower()}/weights-{word}"
        case = draw(name, operator, _SIZES, constants=constants, lengths=[4, 2, 3])
        yield Recipe(name, case, _about("Initializers give the same as fed inputs.", "options", "D32"))


def _threshold_met(operator: str) -> Recipe:
    """The argument of ThresholdedRelu is exactly alpha: X = 0.5 and W = 1 for one input, R = 0, no bias."""
    name = f"{operator.lower()}/threshold-met"
    names = list(OPERATORS[operator].default_activations)
    names[min(1, len(names) - 1)] = "ThresholdedRelu"
    attributes: AttributeValues = {"activations": tuple(names), "activation_alpha": (0.5,)}
    case = draw(name, operator, _SIZES, attributes=attributes, optional=())
    inputs = {slot: np.zeros_like(case.inputs[slot]) for slot in ("X", "W", "R")}
    inputs["X"][..., 0] = 0.5
    inputs["X"][1] *= 2
    inputs["W"][..., 0] = 1.0
    why = "ThresholdedRelu at x = alpha gives 0."
    return Recipe(name, case.with_inputs(**inputs), _about(why, "activations", "D06"))


def _reverse_alone(operator: str) -> Recipe:
    name = f"{operator.lower()}/reverse-alone"
    case = draw(name, operator, _SIZES, attributes={"direction": "reverse"}, optional=("B",))
    why = "In reverse the last step in time comes first, and the final states are those at the first one."
    return Recipe(name, case, _about(why, "options"))


def _flags() -> Iterator[Recipe]:
    for operator, attribute in (("GRU", "linear_before_reset"), ("LSTM", "input_forget")):
        for value in (0, 1, 2, -1):
            name = f"{operator.lower()}/{attribute.replace('_', '-')}-is-{str(value).replace('-', 'minus-')}"
            case = draw(name, operator, _SIZES, attributes={attribute: value, "direction": "reverse"})
            word = "0" if value == 0 else "1"
            why = f"{attribute} = {value} means {word}."
            yield Recipe(name, case, _about(why, "options", "D21"))


def _lstm_only() -> Iterator[Recipe]:
    name = "lstm/coupled-gate-poisoned"
    case = draw(
        name, "LSTM", _SIZES, attributes={"input_forget": 1, "direction": "bidirectional"}, optional=ALL_INPUTS
    )
    hidden = _SIZES.hidden
    inputs = {slot: case.inputs[slot].copy() for slot in ("W", "R", "B", "P")}
    for slot, start in (
        ("W", 2 * hidden),
        ("R", 2 * hidden),
        ("B", 2 * hidden),
        ("B", 6 * hidden),
        ("P", 2 * hidden),
    ):
        inputs[slot][:, start : start + hidden] = np.nan
    why = "With input_forget the f gate's weights are not read, so NaN there does not leak."
    yield Recipe(name, case.with_inputs(**inputs), _about(why, "nan", "D22"))

    name = "lstm/input-forget-alone"
    case = draw(name, "LSTM", _SIZES, attributes={"input_forget": 1}, optional=ALL_INPUTS_BUT_P)
    yield Recipe(name, case, _about("With input_forget the gate f is 1 - i.", "options", "D21"))

    name = "lstm/cell-beyond-clip"
    attributes: AttributeValues = {
        "clip": 2.0,
        "activations": ("HardSigmoid", "Affine", "Affine"),
        "activation_alpha": (0.0, 1.0, 1.0),
        "activation_beta": (1.0, 0.0, 0.0),
    }
    case = draw(name, "LSTM", Sizes(5, 2, 3, 4), attributes=attributes, optional=())
    case = case.with_inputs(X=np.full_like(case.inputs["X"], 5.0), W=np.abs(case.inputs["W"]) + np.float32(0.5))
    why = "The cell grows beyond clip: neither the cell state nor the input of h is clamped."
    yield Recipe(name, case, _about(why, "options", "D04"))

    name = "lstm/cell-accumulates"
    case = draw(name, "LSTM", Sizes(40, 1, 2, 3), optional=("B",))
    B = np.zeros_like(case.inputs["B"])
    B[:, :12] = 20.0
    zeros = {slot: np.zeros_like(case.inputs[slot]) for slot in ("W", "R")}
    why = "Saturated gates add 1 to the cell in each step; h tends to 1 and never to NaN."
    yield Recipe(name, case.with_inputs(B=B, **zeros), _about(why, "extreme", "D34"))

    for optional in (("initial_h",), ("initial_c",), ("P",), ("B", "initial_c"), ("P", "initial_h")):
        name = f"lstm/only-{'-'.join(optional).lower().replace('_', '-')}"
        case = draw(name, "LSTM", _SIZES, optional=optional, attributes={"direction": "bidirectional"})
        why = f"Of the optional inputs only {' and '.join(optional)}; the others are zeros."
        yield Recipe(name, case, _about(why, "options", "D23"))


def _gru_only() -> Iterator[Recipe]:
    for direction in ("forward", "reverse", "bidirectional"):
        for before in (0, 1):
            name = f"gru/reset-{'after' if before else 'before'}-{direction}"
            attributes: AttributeValues = {"linear_before_reset": before, "direction": direction}
            case = draw(name, "GRU", Sizes(5, 3, 4, 6), attributes=attributes, lengths=[5, 2, 4])
            why = f"linear_before_reset = {before} decides where r is applied and which bias stands inside."
            yield Recipe(name, case, _about(why, "options"))
    name = "gru/reset-after-without-bias"
    case = draw(name, "GRU", _SIZES, attributes={"linear_before_reset": 1}, optional=("initial_h",))
    yield Recipe(name, case, _about("linear_before_reset = 1 without B.", "options"))
