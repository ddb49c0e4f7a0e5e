"""The bound is sound: float32 evaluations lie inside; and sharp: another formula lies far outside."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import onnxruntime
import pytest
from float32_model import Float32
from sample_cases import BATCH, SAMPLE, SEQ, make_case, with_activations

from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import Layer, read_layer
from gatewise_corpus.onnx_model import feeds, to_model
from gatewise_oracle.ball import distance
from gatewise_oracle.model import end_to_end, evaluate, stepwise

# ONNX Runtime has no layout 1, no RNN of float16, and its float64 kernels throw (D28, D30).
WITH_ONNX_RUNTIME = {
    name: case for name, case in SAMPLE.items() if not name.endswith(("layout", "float64")) and name != "RNN-float16"
}


def farthest(layer: Layer, outputs: dict[str, Array]) -> float:
    balls = stepwise(layer, outputs["Y"])
    return max(float(distance(balls[name], array).max()) for name, array in outputs.items())


@pytest.mark.parametrize("case", SAMPLE.values(), ids=SAMPLE.keys())
def test_float32_evaluations_in_any_order_lie_inside(case: Case) -> None:
    layer = read_layer(case)
    if layer.dtype == np.float64:
        outputs = {name: value.astype(np.float32) for name, value in evaluate(layer).items()}
        assert farthest(layer, {name: value.astype(np.float64) for name, value in outputs.items()}) < 1
        return
    for seed in range(6):
        outputs = Float32(seed).run(layer)
        assert farthest(layer, outputs) < 1
        for name, ball in end_to_end(layer).items():
            assert (distance(ball, outputs[name]) < 1).all()


def test_the_arithmetic_part_alone_is_sound_over_long_sums() -> None:
    # Relu has no error of its own, so that only gamma is left to cover the rounding of 60 terms.
    worst = []
    for seed in range(20):
        case = make_case("RNN", seed=seed, sizes=(3, 2, 40, 18), activations=("Relu",))
        worst.append(farthest(read_layer(case), Float32(seed).run(read_layer(case))))
    assert max(worst) < 1
    assert max(worst) > 0.02  # and not by accident: the bound is of the size of the error


def swapped(tensor: str, first: int, second: int) -> Callable[[Layer], Layer]:
    def change(layer: Layer) -> Layer:
        array = getattr(layer, tensor)
        order = list(range(array.shape[1]))
        order[first], order[second] = second, first
        return replace(layer, **{tensor: array[:, order]})

    return change


def all_swapped(first: int, second: int) -> Callable[[Layer], Layer]:
    def change(layer: Layer) -> Layer:
        for tensor in ("W", "R", "Wb", "Rb"):
            layer = swapped(tensor, first, second)(layer)
        return layer

    return change


def other_attributes(**changes: Any) -> Callable[[Layer], Layer]:
    return lambda layer: replace(layer, attributes=replace(layer.attributes, **changes))


WRONG = {
    "GRU: z and r": (make_case("GRU"), all_swapped(0, 1)),
    "GRU: r and h": (make_case("GRU"), all_swapped(1, 2)),
    "GRU: linear_before_reset": (make_case("GRU"), other_attributes(linear_before_reset=True)),
    "GRU: Wb as Rb": (
        make_case("GRU", linear_before_reset=1),
        lambda layer: replace(layer, Wb=layer.Rb, Rb=layer.Wb),
    ),
    "LSTM: i and o": (make_case("LSTM"), all_swapped(0, 1)),
    "LSTM: o and f": (make_case("LSTM"), all_swapped(1, 2)),
    "LSTM: f and c": (make_case("LSTM"), all_swapped(2, 3)),
    "LSTM: peepholes o and f": (make_case("LSTM"), swapped("P", 1, 2)),
    "LSTM: peepholes ignored": (make_case("LSTM"), lambda layer: replace(layer, P=None)),
    "LSTM: input_forget ignored": (make_case("LSTM", input_forget=1), other_attributes(input_forget=False)),
    "RNN: R transposed": (make_case("RNN"), lambda layer: replace(layer, R=layer.R.swapaxes(2, 3))),
    "RNN: no Rb": (make_case("RNN"), lambda layer: replace(layer, Rb=None)),
    "RNN: no initial state": (make_case("RNN"), lambda layer: replace(layer, initial_h=layer.initial_h * 0)),
    "RNN: reverse as forward": (make_case("RNN", direction="reverse"), other_attributes(direction="forward")),
    "RNN: one step more": (
        make_case("RNN", lengths=(SEQ, 2, 3)),
        lambda layer: replace(layer, lengths=np.minimum(layer.lengths + 1, SEQ)),
    ),
    "RNN: clip ignored": (make_case("RNN", clip=0.3), other_attributes(clip=None)),
    "RNN: rows mixed up": (make_case("RNN"), lambda layer: replace(layer, X=layer.X[:, np.arange(BATCH) - 1])),
    "RNN: Tanh for Softsign": (
        with_activations("RNN", ["Softsign"]),
        lambda layer: replace(layer, activations=read_layer(make_case("RNN")).activations),
    ),
}


@pytest.mark.parametrize(("case", "change"), WRONG.values(), ids=WRONG.keys())
def test_another_formula_lies_far_outside(case: Case, change: Callable[[Layer], Layer]) -> None:
    layer = read_layer(case)
    outputs = Float32(0).run(change(layer))
    assert farthest(layer, outputs) > 1000


@pytest.mark.parametrize("case", WITH_ONNX_RUNTIME.values(), ids=WITH_ONNX_RUNTIME.keys())
def test_onnx_runtime_lies_inside(case: Case) -> None:
    layer = read_layer(case)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    case = case.with_attributes(hidden_size=layer.hidden)
    session = onnxruntime.InferenceSession(to_model(case).SerializeToString(), options)
    outputs = dict(zip(case.outputs, session.run(list(case.outputs), feeds(case)), strict=True))
    assert farthest(layer, outputs) < 1


def test_a_float16_state_is_known_to_half_a_unit() -> None:
    layer = read_layer(make_case("RNN", dtype=np.float16))
    outputs = Float32(3).run(layer)
    single = stepwise(replace(layer, X=layer.X.astype(np.float32)), outputs["Y"].astype(np.float32))
    half = stepwise(layer, outputs["Y"])
    assert (distance(half["Y"], outputs["Y"]) < 1).all()
    # Rounding Y to float16 alone leaves the bound of float32 outputs.
    assert (distance(single["Y"], outputs["Y"]) > 10).any()


def test_swapping_gates_shows_in_float16_too() -> None:
    layer = read_layer(make_case("LSTM", dtype=np.float16))
    assert farthest(layer, Float32(0).run(all_swapped(0, 2)(layer))) > 50
