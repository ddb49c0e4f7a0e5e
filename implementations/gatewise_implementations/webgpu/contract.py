"""The contract as functions: ``run_rnn`` is the WebGPU kernel ai.onnx.RNN, with that document's names and defaults.

``run_gru`` and ``run_lstm`` say the same of ONNX's GRU and LSTM. All tensors are float32, ``sequence_lens`` is int32.
T steps, N rows, I inputs, H units, D directions; a second layout puts the rows first.
"""

from collections.abc import Sequence

from gatewise_corpus.case import Array
from gatewise_implementations.webgpu.device import open_device
from gatewise_implementations.webgpu.network import Network
from gatewise_implementations.webgpu.request import Request, make_request

RNN_ACTIVATIONS = ("Tanh",) * 2
GRU_ACTIVATIONS = ("Sigmoid", "Tanh") * 2
LSTM_ACTIVATIONS = ("Sigmoid", "Tanh", "Tanh") * 2


def run_rnn(
    x: Array,
    w: Array,
    r: Array,
    b: Array,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    *,
    activation_alpha: Sequence[float] | None = None,
    activation_beta: Sequence[float] | None = None,
    activations: Sequence[str] = RNN_ACTIVATIONS,
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
) -> tuple[Array, Array]:
    """ai.onnx.RNN.

    Args:
        x: [T, N, I], or with layout 1 [N, T, I].
        w, r: [D, H, I] and [D, H, H].
        b: [D, 2*H]; zeros stand for an omitted bias.
        sequence_lens: [N]; by default every row has T steps.
        initial_h: [D, N, H], or with layout 1 [N, D, H]; by default zeros.
        activation_alpha, activation_beta: consumed in the order of the activations that take them; behind the end
            the activation's default holds.
        activations: one for each direction; one direction uses the first.
        clip: not negative; 0 clamps to 0; None does not clamp.
        direction: "forward", "reverse" or "bidirectional".
        hidden_size: H, if it is given.
        layout: 0 puts the steps first, 1 the rows.

    Returns:
        y [T, D, N, H] and y_h [D, N, H], or with layout 1 [N, T, D, H] and [N, D, H].

    Raises:
        ContractError: if the call does not keep the contract, or the device has no room for it.
        SetupError: if there is no device.
    """
    request = make_request(
        "RNN",
        {"X": x, "W": w, "R": r, "B": b, "sequence_lens": sequence_lens, "initial_h": initial_h},
        activation_alpha=activation_alpha,
        activation_beta=activation_beta,
        activations=activations,
        clip=clip,
        direction=direction,
        hidden_size=hidden_size,
        layout=layout,
    )
    y, y_h = _run(request)
    return y, y_h


def run_gru(
    x: Array,
    w: Array,
    r: Array,
    b: Array,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    *,
    activation_alpha: Sequence[float] | None = None,
    activation_beta: Sequence[float] | None = None,
    activations: Sequence[str] = GRU_ACTIVATIONS,
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
    linear_before_reset: int = 0,
) -> tuple[Array, Array]:
    """GRU on the same contract as ``run_rnn``.

    Args:
        x, sequence_lens, initial_h, activation_alpha, activation_beta, clip, direction, hidden_size, layout: as there.
        w, r: [D, 3*H, I] and [D, 3*H, H], gates in the order z, r, h.
        b: [D, 6*H]; zeros stand for an omitted bias.
        activations: f and g for each direction; one direction uses the first two.
        linear_before_reset: if not 0, the reset gate multiplies the recurrent product rather than the state.

    Returns:
        y and y_h, as there.

    Raises:
        ContractError: if the call does not keep the contract, or the device has no room for it.
        SetupError: if there is no device.
    """
    request = make_request(
        "GRU",
        {"X": x, "W": w, "R": r, "B": b, "sequence_lens": sequence_lens, "initial_h": initial_h},
        activation_alpha=activation_alpha,
        activation_beta=activation_beta,
        activations=activations,
        clip=clip,
        direction=direction,
        hidden_size=hidden_size,
        layout=layout,
        linear_before_reset=linear_before_reset,
    )
    y, y_h = _run(request)
    return y, y_h


def run_lstm(
    x: Array,
    w: Array,
    r: Array,
    b: Array,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    initial_c: Array | None = None,
    p: Array | None = None,
    *,
    activation_alpha: Sequence[float] | None = None,
    activation_beta: Sequence[float] | None = None,
    activations: Sequence[str] = LSTM_ACTIVATIONS,
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
    input_forget: int = 0,
) -> tuple[Array, Array, Array]:
    """LSTM on the same contract as ``run_rnn``.

    Args:
        x, sequence_lens, initial_h, activation_alpha, activation_beta, clip, direction, hidden_size, layout: as there.
        w, r: [D, 4*H, I] and [D, 4*H, H], gates in the order i, o, f, c.
        b: [D, 8*H]; zeros stand for an omitted bias.
        initial_c: as initial_h.
        p: [D, 3*H], peepholes in the order i, o, f; by default there are none.
        activations: f, g and h for each direction; one direction uses the first three.
        input_forget: if not 0, f = 1 - i.

    Returns:
        y and y_h as there, and y_c with the shape of y_h.

    Raises:
        ContractError: if the call does not keep the contract, or the device has no room for it.
        SetupError: if there is no device.
    """
    states = {"initial_h": initial_h, "initial_c": initial_c}
    request = make_request(
        "LSTM",
        {"X": x, "W": w, "R": r, "B": b, "sequence_lens": sequence_lens, **states, "P": p},
        activation_alpha=activation_alpha,
        activation_beta=activation_beta,
        activations=activations,
        clip=clip,
        direction=direction,
        hidden_size=hidden_size,
        layout=layout,
        input_forget=input_forget,
    )
    y, y_h, y_c = _run(request)
    return y, y_h, y_c


def _run(request: Request) -> tuple[Array, ...]:
    return tuple(Network(open_device(), request).run().values())
