"""The contract as functions: ``run_rnn`` is the WebGPU kernel ai.onnx.RNN, with that document's names and defaults.

``run_gru`` and ``run_lstm`` say the same of ONNX's GRU and LSTM. All floats are float32. T steps, N rows,
I inputs, H units, D directions.
"""

from collections.abc import Sequence
from typing import TypedDict, Unpack

from gatewise_corpus.case import Array
from gatewise_implementations.webgpu.device import open_device
from gatewise_implementations.webgpu.network import Network
from gatewise_implementations.webgpu.request import Request, make_request


class Attributes(TypedDict, total=False):
    """The attributes of every operator; each may be left out.

    Attributes:
        activation_alpha, activation_beta: consumed in the order of the activations that take them; behind the end of
            a list the activation's own default holds.
        activations: f of an RNN, f and g of a GRU, f, g and h of an LSTM, for each direction; one direction uses the
            first set. By default Tanh; Sigmoid, Tanh; Sigmoid, Tanh, Tanh, for both.
        clip: bounds the inputs of the activations of gates and candidates to [-clip, clip]. Not negative; 0 clamps
            to 0; by default nothing is clamped.
        direction: "forward" (the default), "reverse" or "bidirectional".
        hidden_size: H, which w and r tell as well.
        layout: 0 (the default) puts the steps first, 1 the rows.
    """

    activation_alpha: Sequence[float]
    activation_beta: Sequence[float]
    activations: Sequence[str]
    clip: float
    direction: str
    hidden_size: int
    layout: int


class GruAttributes(Attributes, total=False):
    """The attributes of a GRU.

    Attributes:
        linear_before_reset: unless it is 0, the default, the reset gate multiplies the recurrent product of the
            candidate and not the state.
    """

    linear_before_reset: int


class LstmAttributes(Attributes, total=False):
    """The attributes of an LSTM.

    Attributes:
        input_forget: unless it is 0, the default, f = 1 - i.
    """

    input_forget: int


def run_rnn(
    *,
    x: Array,
    w: Array,
    r: Array,
    b: Array,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    **attributes: Unpack[Attributes],
) -> tuple[Array, Array]:
    """ai.onnx.RNN.

    Args:
        x: [T, N, I], or with layout 1 [N, T, I].
        w: [D, H, I].
        r: [D, H, H].
        b: [D, 2*H], the biases of w, then those of r; zeros stand for an omitted bias.
        sequence_lens: [N], int32; by default every row has T steps.
        initial_h: [D, N, H], or with layout 1 [N, D, H]; by default zeros.
        **attributes: see ``Attributes``.

    Returns:
        y [T, D, N, H] and y_h [D, N, H], or with layout 1 [N, T, D, H] and [N, D, H].

    Raises:
        ContractError: if the call does not keep the contract, or the device has no room for it.
        SetupError: if there is no device.
    """
    tensors = {"X": x, "W": w, "R": r, "B": b, "sequence_lens": sequence_lens, "initial_h": initial_h}
    y, y_h = _run(make_request("RNN", tensors, **attributes))
    return y, y_h


def run_gru(
    *,
    x: Array,
    w: Array,
    r: Array,
    b: Array,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    **attributes: Unpack[GruAttributes],
) -> tuple[Array, Array]:
    """GRU on the contract of ``run_rnn``.

    Args:
        x: as there.
        w: [D, 3*H, I], gates in the order z, r, h.
        r: [D, 3*H, H], likewise.
        b: [D, 6*H], the biases of w, then those of r; zeros stand for an omitted bias.
        sequence_lens: as there.
        initial_h: as there.
        **attributes: see ``GruAttributes``.

    Returns:
        y and y_h, as there.

    Raises:
        ContractError: if the call does not keep the contract, or the device has no room for it.
        SetupError: if there is no device.
    """
    tensors = {"X": x, "W": w, "R": r, "B": b, "sequence_lens": sequence_lens, "initial_h": initial_h}
    y, y_h = _run(make_request("GRU", tensors, **attributes))
    return y, y_h


def run_lstm(
    *,
    x: Array,
    w: Array,
    r: Array,
    b: Array,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    initial_c: Array | None = None,
    p: Array | None = None,
    **attributes: Unpack[LstmAttributes],
) -> tuple[Array, Array, Array]:
    """LSTM on the contract of ``run_rnn``.

    Args:
        x: as there.
        w: [D, 4*H, I], gates in the order i, o, f, c.
        r: [D, 4*H, H], likewise.
        b: [D, 8*H], the biases of w, then those of r; zeros stand for an omitted bias.
        sequence_lens: as there.
        initial_h: as there.
        initial_c: as initial_h.
        p: [D, 3*H], peepholes in the order i, o, f; by default there are none.
        **attributes: see ``LstmAttributes``.

    Returns:
        y and y_h as there, and y_c with the shape of y_h.

    Raises:
        ContractError: if the call does not keep the contract, or the device has no room for it.
        SetupError: if there is no device.
    """
    tensors = {"X": x, "W": w, "R": r, "B": b, "sequence_lens": sequence_lens, "initial_h": initial_h}
    y, y_h, y_c = _run(make_request("LSTM", tensors | {"initial_c": initial_c, "P": p}, **attributes))
    return y, y_h, y_c


def _run(request: Request) -> tuple[Array, ...]:
    return tuple(Network(open_device(), request).run().values())
