"""Cases with all sizes different, and a literal float32 evaluation of the note, one row and one step at a time."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gatewise.packed_corpus import write_packed
from gatewise_corpus.case import Array, Case
from gatewise_corpus.store import cases_root

# Modules beside the tests, and the script that builds for emulated machines.
ROOT = Path(__file__).parents[3]
REFERENCE = ROOT / "implementations" / "reference"
sys.path[:0] = [str(Path(__file__).parent), str(REFERENCE / "tools")]

f32 = np.float32
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def make(
    operator: str,
    *,
    t: int = 6,
    n: int = 5,
    i: int = 4,
    h: int = 3,
    omit: tuple[str, ...] = (),
    lengths: tuple[int, ...] | None = None,
    outputs: tuple[str, ...] | None = None,
    constants: tuple[str, ...] = (),
    dtype: Any = np.float32,
    seed: int = 0,
    **attributes: Any,
) -> Case:
    """A case with every optional input but those in ``omit``, and random values of unit scale."""
    rng = np.random.default_rng([seed, t, n, i, h])
    dirs = 2 if attributes.get("direction") == "bidirectional" else 1
    gates = GATES[operator]
    shapes = {
        "X": (t, n, i),
        "W": (dirs, gates * h, i),
        "R": (dirs, gates * h, h),
        "B": (dirs, 2 * gates * h),
        "initial_h": (dirs, n, h),
    }
    if operator == "LSTM":
        shapes |= {"initial_c": (dirs, n, h), "P": (dirs, 3 * h)}
    inputs = {name: rng.standard_normal(shape).astype(dtype) for name, shape in shapes.items() if name not in omit}
    if lengths is not None:
        inputs["sequence_lens"] = np.array(lengths, np.int32)
    if attributes.get("layout") == 1:
        for name in {"X", "initial_h", "initial_c"} & inputs.keys():
            inputs[name] = np.ascontiguousarray(inputs[name].swapaxes(0, 1))
    if outputs is None:
        outputs = ("Y", "Y_h", "Y_c") if operator == "LSTM" else ("Y", "Y_h")
    return Case(operator, 22, attributes, inputs, outputs, frozenset(constants))


def sigmoid(x: Array) -> Array:
    with np.errstate(over="ignore"):
        return (1 / (1 + np.exp(-x.astype(np.float64)))).astype(f32)


def tanh(x: Array) -> Array:
    return np.tanh(x.astype(np.float64)).astype(f32)


def dot(x: Array, weights: Array) -> Array:
    """One row times weights [outputs, K]: one accumulator each from +0, increasing k, every operation rounded."""
    total = np.zeros(len(weights), f32)
    for k, value in enumerate(x):
        total = total + value * weights[:, k]
    return total


class Row:
    """The parameters of one direction and the state of one row, for Sigmoid and Tanh, the default activations."""

    def __init__(self, case: Case, direction: int, row: int) -> None:
        gates, attributes = GATES[case.operator], case.attributes
        inputs = {name: array for name, array in case.inputs.items() if name != "sequence_lens"}
        if attributes.get("layout") == 1:
            for name in {"X", "initial_h", "initial_c"} & inputs.keys():
                inputs[name] = inputs[name].swapaxes(0, 1)
        hidden = inputs["R"].shape[2]
        self.W = np.split(inputs["W"][direction], gates)
        self.R = np.split(inputs["R"][direction], gates)
        self.B = np.split(inputs["B"][direction], 2 * gates) if "B" in inputs else None
        self.P = np.split(inputs["P"][direction], 3) if "P" in inputs else None
        zeros = np.zeros(hidden, f32)
        self.h = inputs["initial_h"][direction, row] if "initial_h" in inputs else zeros
        self.c = inputs["initial_c"][direction, row] if "initial_c" in inputs else zeros
        self.gates = gates
        clip = attributes.get("clip", 0.0)
        self.clip = f32(clip) if clip > 0 else f32(np.inf)
        self.before = bool(attributes.get("linear_before_reset", 0))
        self.couple = bool(attributes.get("input_forget", 0))

    def biased(self, value: Array, *blocks: int) -> Array:
        for block in blocks:
            value = value if self.B is None else value + self.B[block]
        return value

    def gate(self, x: Array, gate: int, h: Array | None = None) -> Array:
        """((xw + rec) + Wb) + Rb"""
        rec = dot(self.h if h is None else h, self.R[gate])
        return self.biased(dot(x, self.W[gate]) + rec, gate, self.gates + gate)

    def clipped(self, value: Array) -> Array:
        return np.minimum(np.maximum(value, -self.clip), self.clip)

    def peeped(self, value: Array, block: int, cell: Array) -> Array:
        return value if self.P is None else value + self.P[block] * cell

    def step_rnn(self, x: Array) -> None:
        self.h = tanh(self.clipped(self.gate(x, 0)))

    def step_gru(self, x: Array) -> None:
        z = sigmoid(self.clipped(self.gate(x, 0)))
        r = sigmoid(self.clipped(self.gate(x, 1)))
        if self.before:
            rec = self.biased(dot(self.h, self.R[2]), 5)
            pre = self.biased(dot(x, self.W[2]) + r * rec, 2)
        else:
            pre = self.gate(x, 2, r * self.h)
        candidate = tanh(self.clipped(pre))
        self.h = (f32(1) - z) * candidate + z * self.h

    def step_lstm(self, x: Array) -> None:
        i = sigmoid(self.clipped(self.peeped(self.gate(x, 0), 0, self.c)))
        f = f32(1) - i if self.couple else sigmoid(self.clipped(self.peeped(self.gate(x, 2), 2, self.c)))
        candidate = tanh(self.clipped(self.gate(x, 3)))
        self.c = f * self.c + i * candidate
        o = sigmoid(self.clipped(self.peeped(self.gate(x, 1), 1, self.c)))
        self.h = o * tanh(self.c)


def literal(case: Case) -> dict[str, Array]:
    """Every output of a float32 case with the default activations, as the note writes it."""
    layout = case.attributes.get("layout") == 1
    X = case.inputs["X"].swapaxes(0, 1) if layout else case.inputs["X"]
    (seq, batch, _), (dirs, _, hidden) = X.shape, case.inputs["R"].shape
    lengths = case.inputs.get("sequence_lens", np.full(batch, seq))
    Y = np.zeros((seq, dirs, batch, hidden), f32)
    Y_h, Y_c = np.zeros((dirs, batch, hidden), f32), np.zeros((dirs, batch, hidden), f32)
    for d in range(dirs):
        backwards = d == 1 or case.attributes.get("direction") == "reverse"
        for b in range(batch):
            row = Row(case, d, b)
            times = range(lengths[b])
            for t in reversed(times) if backwards else times:
                getattr(row, f"step_{case.operator.lower()}")(X[t, b])
                Y[t, d, b] = row.h
            if lengths[b] > 0 or "sequence_lens" not in case.inputs:
                Y_h[d, b], Y_c[d, b] = row.h, row.c
    if layout:
        Y, Y_h, Y_c = Y.transpose(2, 0, 1, 3), Y_h.swapaxes(0, 1), Y_c.swapaxes(0, 1)
    return {"Y": Y, "Y_h": Y_h, "Y_c": Y_c}


def bits(array: Array) -> Array:
    """The words of a float array, so that signs of zero and NaN bits compare too."""
    return array.view(f"u{array.dtype.itemsize}")


def assert_same_bits(actual: dict[str, Array], expected: dict[str, Array]) -> None:
    assert actual
    for name, array in actual.items():
        assert array.dtype == expected[name].dtype
        np.testing.assert_array_equal(bits(array), bits(np.ascontiguousarray(expected[name])), err_msg=name)


def cmake(*words: str | Path) -> None:
    command = [Path(sys.executable).with_name("cmake"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def build_project(folder: Path, *definitions: str, source: Path = REFERENCE, targets: Sequence[str] = ()) -> None:
    """Builds a CMake project in ``folder``, or what of it has changed."""
    cmake("-S", source, "-B", folder, *(f"-D{definition}" for definition in definitions))
    cmake("--build", folder, "--parallel", "2", *(["--target", *targets] if targets else []))


@pytest.fixture(scope="session")
def build() -> Callable[..., None]:
    return build_project


@pytest.fixture(scope="session")
def runner(worker_id: str) -> Path:
    """The runner of this machine; its build stays for the next time."""
    folder = ROOT / "build" / "tests" / worker_id
    build_project(folder, "GATEWISE_TOOLS=ON", "GATEWISE_WERROR=ON", targets=["runner"])
    return folder / "tools" / "runner"


@pytest.fixture(scope="session")
def corpus_cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus as a packed file."""
    path = tmp_path_factory.mktemp("packed") / "corpus.cases"
    assert write_packed(cases_root(), path) > 800
    return path


@pytest.fixture
def make_case() -> Callable[..., Case]:
    return make


@pytest.fixture
def evaluate() -> Callable[[Case], dict[str, Array]]:
    return literal


@pytest.fixture
def same_bits() -> Callable[[dict[str, Array], dict[str, Array]], None]:
    return assert_same_bits
