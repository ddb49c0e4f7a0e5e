"""What the contract does not allow is refused in a sentence that says what is allowed; no device is needed."""

from typing import Any

import numpy as np
import pytest

from gatewise_corpus.case import Array
from gatewise_corpus.operators import OPERATORS
from gatewise_implementations.webgpu.request import ContractError, Request, make_request, read_activations

TENSORS: dict[str, tuple[int, ...]] = {"X": (3, 2, 4), "W": (1, 5, 4), "R": (1, 5, 5), "B": (1, 10)}


def request(changes: dict[str, Array], **attributes: Any) -> Request:
    tensors = {name: np.zeros(shape, np.float32) for name, shape in TENSORS.items()}
    return make_request("RNN", tensors | changes, **attributes)


def told(operator: str, dirs: int, **given: tuple[Any, ...]) -> list[list[tuple[str, float, float]]]:
    bound = read_activations(
        OPERATORS[operator], dirs, given.get("names"), given.get("alphas", ()), given.get("betas", ())
    )
    return [[(each.name, each.alpha, each.beta) for each in own] for own in bound]


@pytest.mark.parametrize(
    ("attributes", "sentence"),
    [
        ({"clip": -0.5}, "clip is -0.5, but must be at least 0"),
        ({"clip": float("nan")}, "clip is nan, but must be at least 0"),
        ({"direction": "Forward"}, "direction is 'Forward', but must be one of forward, reverse, bidirectional"),
        ({"linear_before_reset": 1}, "RNN has no attribute linear_before_reset"),
        ({"input_forget": 1}, "RNN has no attribute input_forget"),
        ({"layout": 2}, "layout is 2, but must be 0 or 1"),
        ({"hidden_size": 4}, "hidden_size is 4, but r has 5 units"),
        ({"activations": ("Tanh",) * 3}, "3 activations are named, but must be 1 or 2"),
        ({"activations": ("Sine",)}, "activation 'Sine' is not one of Relu, Tanh"),
        ({"layout": 1, "direction": "bidirectional"}, r"w has shape \[1, 5, 4\], but must have \[2, 5, 4\]"),
    ],
)
def test_an_attribute_out_of_its_range_is_refused(attributes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ContractError, match=f"^{sentence}"):
        request({}, **attributes)


@pytest.mark.parametrize(
    ("name", "array", "sentence"),
    [
        ("X", np.zeros((3, 2, 4)), "x is float64, but must be float32"),
        ("W", np.zeros((1, 5, 4), np.float16), "w is float16, but must be float32"),
        ("B", np.zeros((1, 5), np.float32), r"b has shape \[1, 5\], but must have \[1, 10\]"),
        ("X", np.zeros((3, 2), np.float32), r"x has shape \[3, 2\], but must have \[seq, batch, input\]"),
        ("R", np.zeros((1, 0, 0), np.float32), "the last dimension of r, the hidden size, is 0"),
        ("sequence_lens", np.zeros(2, np.int64), "sequence_lens is int64, but must be int32"),
        ("sequence_lens", np.array([1, 4], np.int32), r"sequence_lens is \[1, 4\], but must lie in 0..3"),
        ("sequence_lens", np.array([-1, 3], np.int32), r"sequence_lens is \[-1, 3\], but must lie in 0..3"),
        ("initial_h", np.zeros((1, 2, 4), np.float32), r"initial_h has shape \[1, 2, 4\], but must have \[1, 2, 5\]"),
    ],
)
def test_a_tensor_that_does_not_fit_is_refused(name: str, array: Array, sentence: str) -> None:
    with pytest.raises(ContractError, match=f"^{sentence}"):
        request({name: array})


@pytest.mark.parametrize("name", ["X", "W", "R", "B"])
def test_a_tensor_that_is_required_is_missed(name: str) -> None:
    given = {slot: np.zeros(shape, np.float32) for slot, shape in TENSORS.items() if slot != name}
    with pytest.raises(ContractError, match=f"^{name.lower()} is missing, but is required$"):
        make_request("RNN", given)


def test_rows_come_first_in_layout_1() -> None:
    made = request({}, layout=1, hidden_size=5)
    assert (made.sizes["batch"], made.sizes["seq"], made.sizes["input"]) == (3, 2, 4)
    assert (made.shape("Y"), made.shape("Y_h")) == ((3, 2, 1, 5), (3, 1, 5))


def test_both_directions_are_named_by_default_and_one_uses_the_first() -> None:
    assert told("RNN", 1) == [[("Tanh", 0, 0)]]
    assert told("RNN", 2) == [[("Tanh", 0, 0)], [("Tanh", 0, 0)]]
    assert told("RNN", 1, names=("Relu", "Softsign")) == [[("Relu", 0, 0)]]
    assert told("RNN", 2, names=("Relu", "Softsign")) == [[("Relu", 0, 0)], [("Softsign", 0, 0)]]
    assert [[name for name, *_ in own] for own in told("LSTM", 2)] == [["Sigmoid", "Tanh", "Tanh"]] * 2
    assert [name for name, *_ in told("GRU", 1)[0]] == ["Sigmoid", "Tanh"]


def test_two_directions_need_two_sets() -> None:
    with pytest.raises(ContractError, match=r"^1 activations are named, but must be 2$"):
        told("RNN", 2, names=("Relu",))


def test_alpha_and_beta_are_consumed_in_order_by_what_takes_them() -> None:
    names = ("HardSigmoid", "Relu", "LeakyRelu", "ScaledTanh", "Affine", "Elu")
    assert told("LSTM", 2, names=names, alphas=(0.3, 0.4, 0.6), betas=(0.7,)) == [
        [("HardSigmoid", 0.3, 0.7), ("Relu", 0, 0), ("LeakyRelu", 0.4, 0)],
        [("ScaledTanh", 0.6, 0), ("Affine", 1, 0), ("Elu", 1, 0)],
    ]
