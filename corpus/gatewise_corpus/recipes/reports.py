"""Faults that were reported in public, restated: each a case of its own, or one of another recipe that shows it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gatewise_corpus.case import Array, AttributeValues, Case
from gatewise_corpus.recipes.recipe import Recipe, Sizes, draw
from gatewise_corpus.store import About

_SMALL = Sizes(seq=3, batch=2, input=2, hidden=3)


@dataclass(frozen=True)
class Report:
    """A public report and the case that shows its fault.

    Attributes:
        name: what the report is about.
        links: where it was reported; "measured" where a fault of a public runtime was found by running it.
        case: name of the case in the corpus.
    """

    name: str
    links: str
    case: str


def _of_each(name: str, links: str, case: str, *operators: str) -> Iterator[Report]:
    for operator in operators:
        yield Report(f"{name}_{operator}", links, f"{operator.lower()}/{case}")


REPORTS = (
    *_of_each("nan_row_bias", "measured", "nan-in-x", "RNN", "LSTM"),
    Report("lstm_saturating_cell", "pytorch#172406", "lstm/cell-accumulates"),
    *_of_each("x_rank2", "onnxruntime#32348, onnxruntime#28653, onnx#7879", "invalid-x-rank", "RNN", "LSTM"),
    Report("rnn_relu_forward", "onnxruntime#4034", "rnn/activation-f-relu"),
    Report("gru_bidir_mixed_act", "TensorRT#1417", "gru/report-activations-by-direction"),
    Report("rnn_leaky_alpha_cursor_bidir", "onnx2tf#300", "rnn/report-alpha-of-second-direction"),
    Report("lstm_hardsig_affine_beta", "measured", "lstm/report-beta-in-closed-form"),
    *_of_each("batch_permute", "ncnn#3665, tract#286", "report-rows-of-all-lengths", "RNN", "LSTM"),
    Report(
        "gru_lbr1_bias_split", "coremltools#1124, onnxscript#2852, pytorch#189225", "gru/report-bias-outside-reset"
    ),
    Report("rnn_clip_zero", "openvino#37068", "rnn/clip-zero"),
    Report("lstm_clip_cell", "onnxruntime#27224", "lstm/cell-beyond-clip"),
    Report("lstm_static_state_batch", "torch-mlir#4741", "lstm/invalid-initial-h-one-row"),
    *_of_each("empty_time", "onnxruntime#28003, pytorch#50192", "no-steps", "RNN", "GRU"),
    *_of_each("empty_batch", "onnxruntime#1879", "no-rows", "GRU", "LSTM"),
    *_of_each("double", "onnxruntime#28339", "float64", "RNN", "LSTM"),
    Report("gru_gate_probe", "onnxscript#2674, openvino#17651", "gru/report-gates-in-closed-form"),
    *_of_each("hidden_size_absent", "onnx#2443, onnx-mlir#1651", "hidden-size-absent", "RNN", "LSTM"),
    Report("lstm_huge_hidden", "webnn#625, webnn#949, onnxruntime#28003", "lstm/invalid-hidden-size-huge"),
    Report("rnn_bidir_init_relu", "onnxruntime#1607", "rnn/report-state-of-second-direction"),
    Report("lstm_input_forget", "tract#2751, onnx#149", "lstm/coupled-gate-poisoned"),
    *_of_each("layout1", "openvino#37820, onnx#5218, torch-mlir#3620", "layout-1-forward", "RNN", "GRU"),
    *_of_each("layout1_bidir_lens", "AMDMIGraphX#2441", "layout-1-bidirectional", "GRU", "LSTM"),
    Report("gru_lbr_nobias_n3", "onnxruntime#3893", "gru/reset-after-without-bias"),
    Report("gru_lbr_two", "the text says 'not 0'", "gru/linear-before-reset-is-2"),
    *_of_each("runtime_weights", "openvino#2035, opencv#23542, burn-onnx#466", "hidden-17", "RNN", "LSTM"),
    Report("lstm_repeat_session", "onnxruntime#18672", "lstm/weights-constant"),
    *_of_each("no_bias", "pytorch#34800, onnxruntime#3797", "report-without-bias", "RNN", "LSTM"),
    Report("lstm_only_initial_h", "onnx-tensorflow#408", "lstm/only-initial-h"),
    Report("lstm_P_without_others", "onnx-mlir#1372, tvm#4825", "lstm/only-p"),
    *_of_each("only_Yh", "opencv#29931, torch-mlir#3771, onnx#373", "outputs-yh", "RNN", "LSTM"),
    Report("lstm_Y_and_Yc", "onnx#6425, onnx#373", "lstm/outputs-y-yc"),
    *_of_each("pad_tail", "onnxruntime#1193, onnxruntime#12492", "lengths-mixed-forward", "RNN", "LSTM"),
    Report("gru_short_row_Yh", "onnx-mlir#2479", "gru/lengths-mixed-forward"),
    Report("lstm_peephole_order", "opencv#29931", "lstm/report-peepholes-apart"),
    *_of_each(
        "reverse_lens", "ngraph#3176, onnx-tensorflow#342, openvino#2788", "lengths-mixed-reverse", "RNN", "GRU"
    ),
    *_of_each("bidir_lens", "onnxruntime#1400, mxnet#19323", "lengths-mixed-bidirectional", "GRU", "LSTM"),
    *_of_each("lens_negative", "onnxruntime#10768, openvino#21054", "invalid-length-negative", "RNN", "GRU"),
    *_of_each("lens_too_long", "onnxruntime#10768, onnxruntime#1360", "invalid-length-too-long", "GRU", "LSTM"),
    Report("lstm_threads", "tf2onnx#245", "lstm/report-many-threads"),
    *_of_each("hidden_size_mismatch", "onnxruntime#29595", "invalid-hidden-size-larger", "RNN", "GRU"),
    *_of_each("hidden_size_negative", "onnxruntime#28189", "invalid-hidden-size-negative", "GRU", "LSTM"),
    Report("lstm_opset7_layout", "onnxruntime#29840", "lstm/invalid-layout-in-opset-13"),
    *_of_each(
        "zero_row_mixed", "onnxruntime#28052, onnxruntime#749, onnx#1674", "lengths-some-empty-forward", "RNN", "GRU"
    ),
    *_of_each("zero_row_all_bidir", "onnxruntime#749", "lengths-all-empty-bidirectional", "RNN", "GRU", "LSTM"),
    Report("zero_row_reverse_LSTM", "onnxruntime#28052, onnxruntime#28189", "lstm/lengths-some-empty-reverse"),
)
"""Every report with the case that shows its fault."""


def recipes() -> Iterator[Recipe]:
    """The cases that no other recipe has."""
    yield from _activations()
    yield from _closed_forms()
    yield from _rows()
    yield from _biases()
    yield _second_state()
    yield _peepholes_apart()


def _about(why: str, *flags: str) -> About:
    return About(why=why, origin="report", flags=("report", *flags))


def _activations() -> Iterator[Recipe]:
    name = "gru/report-activations-by-direction"
    attributes: AttributeValues = {
        "direction": "bidirectional",
        "activations": ("Sigmoid", "Tanh", "HardSigmoid", "Relu"),
    }
    why = "The reverse direction has activations of its own, with default parameters."
    yield Recipe(name, draw(name, "GRU", _SMALL, attributes=attributes), _about(why, "activations"))

    name = "rnn/report-alpha-of-second-direction"
    attributes = {
        "direction": "bidirectional",
        "activations": ("Tanh", "LeakyRelu"),
        "activation_alpha": (0.3,),
    }
    why = "The only alpha belongs to the second direction's LeakyRelu, since Tanh takes none."
    yield Recipe(name, draw(name, "RNN", _SMALL, attributes=attributes), _about(why, "activations"))


def _filled(case: Case, **values: float) -> Case:
    return case.with_inputs(**{name: np.full_like(case.inputs[name], value) for name, value in values.items()})


def _closed_forms() -> Iterator[Recipe]:
    one = Sizes(1, 1, 1, 1)
    name = "lstm/report-beta-in-closed-form"
    attributes: AttributeValues = {
        "activations": ("HardSigmoid", "Affine", "Affine"),
        "activation_alpha": (0.2, 2.0, 3.0),
        "activation_beta": (0.4, 1.0, 5.0),
    }
    case = _filled(draw(name, "LSTM", one, attributes=attributes, optional=()), X=1.0, W=0.0, R=0.0)
    why = "With all sums 0: i = o = f = 0.4, cell 0.4 * 1 and state 0.4 * (3 * 0.4 + 5) = 2.48."
    yield Recipe(name, case, _about(why, "activations"))

    name = "gru/report-gates-in-closed-form"
    case = _filled(draw(name, "GRU", one, optional=("B", "initial_h")), W=0.0, R=0.0, initial_h=1.0)
    case = case.with_inputs(B=np.array([[0.1, 0.2, 0.3, 0, 0, 0]], np.float32))
    why = "Only biases: the state is (1 - z) * tanh(0.3) + z with z = sigmoid(0.1), so z, r and h cannot be mistaken."
    yield Recipe(name, case, _about(why))


def _rows() -> Iterator[Recipe]:
    for operator in ("RNN", "LSTM"):
        name = f"{operator.lower()}/report-rows-of-all-lengths"
        case = draw(name, operator, Sizes(4, 5, 3, 6), lengths=[4, 1, 3, 0, 2])
        why = "Five rows, none as long as another: each is computed as if alone, in its place."
        yield Recipe(name, case, _about(why, "lengths"))
    name = "lstm/report-many-threads"
    case = draw(name, "LSTM", Sizes(7, 8, 33, 65), lengths=[0, 1, 7, 3, 0, 5, 7, 2])
    why = "Enough rows and units to be shared among threads, with rows of all lengths between them."
    yield Recipe(name, case, _about(why, "lengths", "sizes"))


def _biases() -> Iterator[Recipe]:
    for word, Wb, Rb in (("outside", 1.0, -1.0), ("inside", -1.0, 1.0)):
        name = f"gru/report-bias-{word}-reset"
        case = draw(name, "GRU", _SMALL, attributes={"linear_before_reset": 1})
        B = case.inputs["B"].copy()
        B[:, 6:9], B[:, 15:18] = Wb, Rb
        why = f"The candidate's biases are {Wb:g} of W, outside the product with r, and {Rb:g} of R, inside."
        yield Recipe(name, case.with_inputs(B=B), _about(why))
    for operator in ("RNN", "LSTM"):
        name = f"{operator.lower()}/report-without-bias"
        case = draw(name, operator, Sizes(3, 4, 2, 5), optional=())
        yield Recipe(name, case, _about("Only X, W and R: an omitted B is zeros."))


def _second_state() -> Recipe:
    name = "rnn/report-state-of-second-direction"
    attributes: AttributeValues = {"direction": "bidirectional", "activations": ("Relu", "Relu")}
    case = draw(name, "RNN", Sizes(2, 3, 2, 4), opset=7, attributes=attributes)
    return Recipe(name, case, _about("The reverse direction starts at the last step, from its own initial state."))


def _peepholes_apart() -> Recipe:
    name = "lstm/report-peepholes-apart"
    case = draw(name, "LSTM", _SMALL)
    P: Array = np.repeat(np.array([[0.1, -0.7, 0.9]], np.float32), _SMALL.hidden, axis=1)
    why = "The blocks of P, i, o and f, differ by far; those of i and f see the previous cell, that of o the new one."
    return Recipe(name, case.with_inputs(P=P), _about(why))
