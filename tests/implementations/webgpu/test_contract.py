"""The contract's functions on the device: values, masks, directions, layouts, and sizes around the tiles."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("wgpu", reason="wgpu is not installed")

from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import Layer, output_to_layout, read_layer, turned
from gatewise_corpus.operators import OPERATORS
from gatewise_implementations.webgpu import network
from gatewise_implementations.webgpu.contract import run_gru, run_lstm, run_rnn
from gatewise_implementations.webgpu.device import open_device
from gatewise_implementations.webgpu.kernels import TILE
from gatewise_implementations.webgpu.network import UNIFORMS
from gatewise_implementations.webgpu.request import ContractError, make_request
from gatewise_oracle.model import evaluate

pytestmark = pytest.mark.webgpu

FUNCTIONS: dict[str, Any] = {"RNN": run_rnn, "GRU": run_gru, "LSTM": run_lstm}
SEQ, BATCH, INPUTS, HIDDEN = 5, 4, 3, 6
LENGTHS = np.array([3, 5, 0, 1], np.int32)
SIZES = (
    (1, 31, 16, 33),
    (2, 16, 15, 32),
    (3, 11, 17, 31),
    (4, 8, 1, 64),
    (2, 3, 33, 65),
    (1, 1, 31, 129),
    (5, 13, 32, 63),
)
"""T, N, I and H: T·N positions and H units around tiles of TILE, I inputs around those of DEPTH (project.wgsl)."""
DEPTH = 16


def make_case(operator: str, direction: str, layout: int, **attributes: Any) -> Case:
    """Every input, the rows of different lengths, no matrix symmetric."""
    table = OPERATORS[operator]
    dirs, rows = 2 if direction == "bidirectional" else 1, len(table.gates) * HIDDEN
    shapes: dict[str, tuple[int, ...]] = {
        "X": (SEQ, BATCH, INPUTS),
        "W": (dirs, rows, INPUTS),
        "R": (dirs, rows, HIDDEN),
    }
    shapes |= {"B": (dirs, 2 * rows), "initial_h": (dirs, BATCH, HIDDEN)}
    if operator == "LSTM":
        shapes |= {"initial_c": (dirs, BATCH, HIDDEN), "P": (dirs, 3 * HIDDEN)}
    rng = np.random.default_rng(7)
    inputs = {name: rng.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}
    if layout:
        inputs = {name: np.ascontiguousarray(turned(name, array)) for name, array in inputs.items()}
    inputs["sequence_lens"] = LENGTHS
    attributes |= {"direction": direction, "layout": layout}
    return Case(operator, 22, attributes, inputs, table.output_names)


def run(case: Case) -> dict[str, Array]:
    inputs = {name.lower(): array for name, array in case.inputs.items()}
    return dict(zip(case.outputs, FUNCTIONS[case.operator](**inputs, **case.attributes), strict=True))


def expected(layer: Layer) -> dict[str, Array]:
    return {
        name: output_to_layout(name, array, layer.attributes.layout)
        for name, array in evaluate(layer).items()
        if name in layer.outputs
    }


def assert_right(case: Case) -> dict[str, Array]:
    outputs = run(case)
    for name, wanted in expected(read_layer(case)).items():
        assert (outputs[name].dtype, outputs[name].shape) == (np.float32, wanted.shape)
        np.testing.assert_allclose(outputs[name], wanted, rtol=0, atol=2e-6)
    return outputs


@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize(
    ("operator", "attributes"),
    [
        ("RNN", {}),
        ("RNN", {"clip": 0.4}),
        ("GRU", {"linear_before_reset": 0}),
        ("GRU", {"linear_before_reset": 1, "clip": 0.4}),
        ("LSTM", {}),
        ("LSTM", {"input_forget": 1, "clip": 0.4}),
    ],
)
def test_values_are_those_of_the_model(
    operator: str, attributes: dict[str, Any], direction: str, layout: int
) -> None:
    assert_right(make_case(operator, direction, layout, **attributes))


@pytest.mark.parametrize(
    ("operator", "activations"),
    [
        ("RNN", ("Softsign", "LeakyRelu")),
        ("GRU", ("HardSigmoid", "Softsign", "Sigmoid", "Elu")),
        ("LSTM", ("Sigmoid", "Relu", "Softsign", "HardSigmoid", "LeakyRelu", "Tanh")),
    ],
)
def test_each_direction_has_activations_of_its_own(operator: str, activations: tuple[str, ...]) -> None:
    parameters = {"activation_alpha": (0.3, 0.4), "activation_beta": (0.6,)}
    assert_right(make_case(operator, "bidirectional", 0, activations=activations, **parameters))


@pytest.mark.parametrize("operator", FUNCTIONS)
def test_padding_is_zero_and_leaks_nowhere(operator: str) -> None:
    case = make_case(operator, "bidirectional", 0)
    outputs = run(case)
    past = np.arange(SEQ)[:, np.newaxis] >= LENGTHS
    assert not outputs.pop("Y").swapaxes(1, 2)[past].any()
    for final in outputs.values():
        assert not final[:, LENGTHS == 0].any()
        assert final[:, LENGTHS > 0].all()
    X, start = case.inputs["X"].copy(), case.inputs["initial_h"].copy()
    X[past], start[:, LENGTHS == 0] = np.nan, np.inf
    leaky = run(case.with_inputs(X=X, initial_h=start))
    for name, array in run(case).items():
        np.testing.assert_array_equal(leaky[name], array)


@pytest.mark.parametrize("operator", FUNCTIONS)
def test_every_element_is_written(operator: str) -> None:
    """A device clears its buffers; here they hold NaN before the run."""
    case = make_case(operator, "bidirectional", 0)
    device = open_device()
    loaded = network.Network(device, make_request(operator, dict(case.inputs), **case.attributes))
    for tensor in ("Y", "Y_h", "projection", "reset_h"):
        buffer = loaded.tensors[tensor]
        device.write(buffer, np.full(buffer.size // 4, np.nan, np.float32))
    outputs = loaded.run()
    for name, array in run(case).items():
        np.testing.assert_array_equal(outputs[name], array)


def test_small_integers_give_exact_states(rnn: Case, rnn_states: Array) -> None:
    outputs = run(rnn)
    np.testing.assert_array_equal(outputs["Y"][:, 0], rnn_states)
    np.testing.assert_array_equal(outputs["Y_h"][0], rnn_states[-1])


def test_the_sizes_lie_around_the_tiles() -> None:
    around = {TILE - 1, 0, 1}
    assert {seq * batch % TILE for seq, batch, _, _ in SIZES} >= around
    assert {hidden % TILE for *_, hidden in SIZES} >= around
    assert {inputs % DEPTH for _, _, inputs, _ in SIZES} >= {DEPTH - 1, 0, 1}


@pytest.mark.parametrize(("seq", "batch", "inputs", "hidden"), SIZES)
def test_sizes_around_the_tiles_give_exact_sums(seq: int, batch: int, inputs: int, hidden: int) -> None:
    """Sums of small integers are exact in any order."""
    rng = np.random.default_rng(hidden)
    X, W, R, B = (
        rng.integers(-2, 3, shape)
        for shape in ((seq, batch, inputs), (2, hidden, inputs), (2, hidden, hidden), (2, 2 * hidden))
    )
    tensors = {name: array.astype(np.float32) for name, array in {"x": X, "w": W, "r": R, "b": B}.items()}
    y, y_h = run_rnn(**tensors, activations=("Affine", "Affine"), direction="bidirectional")
    for direction, times in enumerate((range(seq), range(seq - 1, -1, -1))):
        state = np.zeros((batch, hidden), np.int64)
        for time in times:
            state = X[time] @ W[direction].T + state @ R[direction].T + B[direction].reshape(2, hidden).sum(axis=0)
            np.testing.assert_array_equal(y[time, direction], state)
        np.testing.assert_array_equal(y_h[direction], state)
        assert np.abs(state).max() < 2**24


@pytest.mark.parametrize("operator", FUNCTIONS)
@pytest.mark.parametrize("size", ["seq", "batch", "input"])
def test_a_size_of_0_gives_the_natural_result(operator: str, size: str) -> None:
    case = make_case(operator, "reverse", 0).with_inputs(sequence_lens=None)
    places = {"seq": {"X": 0}, "batch": {"X": 1, "initial_h": 1, "initial_c": 1}, "input": {"X": 2, "W": 2}}
    shorter = {
        name: np.take(array, [], axis=places[size][name])
        for name, array in case.inputs.items()
        if name in places[size]
    }
    outputs = assert_right(case.with_inputs(**shorter))
    if size == "seq":
        np.testing.assert_array_equal(outputs["Y_h"], case.inputs["initial_h"])


def test_without_steps_rows_of_length_0_end_in_zeros() -> None:
    case = make_case("LSTM", "forward", 0)
    outputs = run(case.with_inputs(X=case.inputs["X"][:0], sequence_lens=np.zeros(BATCH, np.int32)))
    assert not outputs["Y_h"].any()
    assert not outputs["Y_c"].any()


def test_clip_0_clamps_every_input_of_an_activation_to_0() -> None:
    y, _ = run_rnn(**_plain(), activations=("Sigmoid",), clip=0.0)
    assert (y == 0.5).all()
    unclipped, _ = run_rnn(**_plain(), activations=("Sigmoid",))
    assert (unclipped != 0.5).all()


def test_an_infinite_clip_is_none() -> None:
    np.testing.assert_array_equal(run_rnn(**_plain(), clip=np.inf)[0], run_rnn(**_plain())[0])


def test_b_is_required() -> None:
    tensors = _plain()
    del tensors["b"]
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'b'"):
        run_rnn(**tensors)


def test_one_direction_uses_the_first_activation() -> None:
    y, _ = run_rnn(**_plain(), activations=("Relu", "Softsign"))
    np.testing.assert_array_equal(y, run_rnn(**_plain(), activations=("Relu",))[0])
    assert (y != run_rnn(**_plain(), activations=("Softsign",))[0]).any()


def test_what_the_device_has_no_room_for_is_refused() -> None:
    rows = 2**21
    with pytest.raises(ContractError, match=r"^project needs 65536 workgroups, but the device has 65535 at most$"):
        run_rnn(**_plain(X=(1, rows, 1), W=(1, 1, 1), R=(1, 1, 1), B=(1, 2)))
    with pytest.raises(ContractError, match=r"^projection takes \d+ bytes, but the device binds 134217728 at most$"):
        run_rnn(**_plain(X=(2**15, 1, 1), W=(1, 1025, 1), R=(1, 1025, 1025), B=(1, 2050)))


def test_the_uniform_has_the_layout_of_the_shader() -> None:
    """An array of structs begins at a multiple of 16 bytes, and its elements have 16 (WGSL, "Memory layout")."""
    assert UNIFORMS.fields is not None
    kind, offset = UNIFORMS.fields["activations"][:2]
    assert offset % 16 == 0
    assert kind.base.itemsize == 16


def _plain(**shapes: tuple[int, ...]) -> dict[str, Array]:
    """T=3, N=2, I=4, H=5, or the shapes given by ONNX's names."""
    shapes = {"X": (3, 2, 4), "W": (1, 5, 4), "R": (1, 5, 5), "B": (1, 10), **shapes}
    rng = np.random.default_rng(3)
    return {name.lower(): rng.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}
