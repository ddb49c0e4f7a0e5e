"""Cases and planted implementations for the tests of this folder."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gatewise_corpus.case import AttributeValue, Case

PLANTED = Path(__file__).parent / "planted"


@pytest.fixture
def rnn() -> Case:
    """Affine RNN of small integers, whose every result is exact: T=4, N=2, I=5, H=3, one direction."""
    X = np.zeros((4, 2, 5), np.float32)
    X[0, 0] = [1, 2, 3, 4, 5]
    X[1, 0] = [0, 1, 0, 0, 0]
    X[2, 1] = [0, 0, 0, 2, 1]
    W = np.array([[[1, 0, 0, 0, 2], [0, 1, 0, -1, 0], [0, 0, 3, 0, 0]]], np.float32)
    R = np.array([[[1, 2, 0], [0, 0, -1], [3, 0, 0]]], np.float32)
    B = np.array([[1, 0, 2, 0, -1, 0]], np.float32)
    attributes: dict[str, AttributeValue] = {
        "activations": ("Affine",),
        "activation_alpha": (1.0,),
        "activation_beta": (0.0,),
        "hidden_size": 3,
    }
    return Case("RNN", 14, attributes, {"X": X, "W": W, "R": R, "B": B}, ("Y", "Y_h"))


@pytest.fixture
def rnn_states() -> np.ndarray:
    """The states of ``rnn``, worked out by hand: [T, N, H].

    Row 0: xw = [11, -2, 9], then [0, 1, 0], then 0; row 1: xw = [2, -2, 0] at step 2; the biases sum to [1, -1, 2].
    h = xw + [h0 + 2 h1, -h2, 3 h0] + [1, -1, 2].
    """
    return np.array(
        [
            [[12, -3, 11], [1, -1, 2]],
            [[7, -11, 38], [0, -3, 5]],
            [[-14, -39, 23], [-3, -8, 2]],
            [[-91, -24, -40], [-18, -3, -7]],
        ],
        np.float32,
    )


@pytest.fixture
def with_fault() -> Callable[[Case, str], Case]:
    """The case that makes a planted implementation show the fault of this name."""
    return lambda case, fault: case.with_attributes(direction=fault)


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the planted implementations, importable by workers."""
    monkeypatch.setenv("PYTHONPATH", str(PLANTED))
    return PLANTED


def random_case(operator: str, rows: int, seed: int, **shapes: tuple[int, ...]) -> Case:
    """T=3, N=2, I=4, H=5, one direction, weights without symmetry."""
    generator = np.random.default_rng(seed)
    shapes = {"X": (3, 2, 4), "W": (1, rows, 4), "R": (1, rows, 5), "B": (1, 2 * rows), **shapes}
    inputs = {name: generator.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}
    outputs = ("Y", "Y_h", "Y_c") if operator == "LSTM" else ("Y", "Y_h")
    return Case(operator, 14, {"hidden_size": 5}, inputs, outputs)


@pytest.fixture
def lstm() -> Case:
    """An LSTM with every input but sequence_lens."""
    return random_case("LSTM", 20, 1, initial_h=(1, 2, 5), initial_c=(1, 2, 5), P=(1, 15))


@pytest.fixture
def gru() -> Case:
    """A GRU with linear_before_reset = 0."""
    return random_case("GRU", 15, 2, initial_h=(1, 2, 5))


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def projected(case: Case, block: int, unit: int, x: np.ndarray, h: list[float]) -> tuple[float, float]:
    """W x + Wb and R h + Rb of one unit in one gate's block, number by number."""
    row = 5 * block + unit
    inputs = {name: array[0].tolist() for name, array in case.inputs.items() if name in {"W", "R", "B"}}
    from_x = sum(w * value for w, value in zip(inputs["W"][row], x.tolist(), strict=True)) + inputs["B"][row]
    half = len(inputs["B"]) // 2
    from_h = sum(r * value for r, value in zip(inputs["R"][row], h, strict=True)) + inputs["B"][half + row]
    return from_x, from_h


@pytest.fixture
def lstm_outputs(lstm: Case) -> dict[str, np.ndarray]:
    """The outputs of ``lstm`` by the formulas of the operator's text, unit by unit."""
    Y = np.zeros((3, 1, 2, 5))
    Y_c = np.zeros((1, 2, 5))
    Pi, Po, Pf = lstm.inputs["P"][0].reshape(3, 5).tolist()
    for n in range(2):
        h, c = (lstm.inputs[name][0, n].tolist() for name in ("initial_h", "initial_c"))
        for t in range(3):
            before = list(h)
            for k in range(5):
                i, o, f, g = (sum(projected(lstm, block, k, lstm.inputs["X"][t, n], before)) for block in range(4))
                old = c[k]
                c[k] = sigmoid(f + Pf[k] * old) * old + sigmoid(i + Pi[k] * old) * math.tanh(g)
                h[k] = sigmoid(o + Po[k] * c[k]) * math.tanh(c[k])
            Y[t, 0, n] = h
        Y_c[0, n] = c
    return {"Y": Y, "Y_h": Y[-1], "Y_c": Y_c}


@pytest.fixture
def gru_outputs(gru: Case) -> dict[str, np.ndarray]:
    """The outputs of ``gru`` by the formulas of the operator's text, unit by unit."""
    Y = np.zeros((3, 1, 2, 5))
    for n in range(2):
        h = gru.inputs["initial_h"][0, n].tolist()
        for t in range(3):
            x = gru.inputs["X"][t, n]
            reset = [sigmoid(sum(projected(gru, 1, k, x, h))) * h[k] for k in range(5)]
            update = [sigmoid(sum(projected(gru, 0, k, x, h))) for k in range(5)]
            candidate = [math.tanh(sum(projected(gru, 2, k, x, reset))) for k in range(5)]
            h = [(1 - z) * new + z * old for z, new, old in zip(update, candidate, h, strict=True)]
            Y[t, 0, n] = h
    return {"Y": Y, "Y_h": Y[-1]}
