"""A request on the device: its buffers, and the dispatches of one run."""

from typing import Any

import numpy as np

from gatewise_corpus.case import Array
from gatewise_implementations.webgpu.device import STEP_STRIDE, Device
from gatewise_implementations.webgpu.kernels import KINDS, TILE, UNITS
from gatewise_implementations.webgpu.request import ContractError, Request

STEPS = {"RNN": ("rnn_step",), "GRU": ("gru_reset", "gru_step"), "LSTM": ("lstm_step",)}
"""The kernels of one step; linear_before_reset = 1 needs no ``gru_reset``."""
UNIFORMS = np.dtype(
    [
        *(
            (name, np.uint32)
            for name in (
                *("seq", "batch", "input", "hidden", "gates"),
                *("x_step", "x_row", "y_step", "y_direction", "y_row", "state_direction", "state_row"),
                *("reverse", "has_lengths", "has_clip", "has_peepholes", "has_cell"),
                *("linear_before_reset", "input_forget"),
            )
        ),
        ("clip", np.float32),
        (
            "activations",
            [("kind", np.uint32), ("alpha", np.float32), ("beta", np.float32), ("unused", np.uint32)],
            (2, 3),
        ),
    ]
)
"""``Layer`` in layer.wgsl."""


class Network:
    """The buffers of a request, loaded; it can run many times.

    Attributes:
        tensors: the buffers on the device, by the names of ``kernels.TENSORS``.

    Args:
        device: where it runs.
        request: what is computed.

    Raises:
        ContractError: if a tensor is larger than the device allows.
    """

    def __init__(self, device: Device, request: Request) -> None:
        self._device = device
        self._request = request
        self._names = STEPS[request.operator.name][int(request.linear_before_reset) :]
        self._check_limits()
        self._layer = device.filled(uniforms(request), uniform=True)
        self._initial_c = device.filled(self._state("initial_c"))
        self.tensors = self._make_tensors()
        self._groups = {
            name: device.bind(name, self._layer, self.tensors) for name in ("project", *self._names, "sequence_mask")
        }
        self._steps = device.bind_steps(max(request.sizes["seq"], 1))

    def load(self, X: Array) -> None:
        """Another X of the same shape."""
        self._device.write(self.tensors["X"], X)

    def run(self) -> dict[str, Array]:
        """All outputs of the operator, in the layout of the request."""
        encoder = self._device.encoder()
        if _has_cell(self._request):
            cell = self.tensors["cell"]
            encoder.copy_buffer_to_buffer(self._initial_c, 0, cell, 0, cell.size)
        compute = encoder.begin_compute_pass()
        grids = self._grids()
        self._dispatch(compute, "project", grids["project"])
        for step in range(self._request.sizes["seq"]):
            for name in self._names:
                self._dispatch(compute, name, grids["step"], step)
        self._dispatch(compute, "sequence_mask", grids["sequence_mask"])
        compute.end()
        self._device.queue.submit([encoder.finish()])
        buffers = {"Y": "Y", "Y_h": "Y_h", "Y_c": "cell"}
        return {
            name: self._device.read(self.tensors[buffers[name]], self._request.shape(name))
            for name in self._request.operator.output_names
        }

    def _dispatch(self, compute: Any, name: str, grid: tuple[int, ...], step: int | None = None) -> None:
        compute.set_pipeline(self._device.pipeline(name))
        compute.set_bind_group(0, self._groups[name])
        if step is not None:
            compute.set_bind_group(1, self._steps, [step * STEP_STRIDE])
        compute.dispatch_workgroups(*grid)

    def _grids(self) -> dict[str, tuple[int, ...]]:
        """The workgroups of each kind of dispatch along x, y, z."""
        sizes = self._request.sizes
        units = _ceil(sizes["batch"] * sizes["hidden"], UNITS)
        columns = _ceil(len(self._request.operator.gates) * sizes["hidden"], TILE)
        return {
            "project": (columns, _ceil(sizes["seq"] * sizes["batch"], TILE), sizes["dirs"]),
            "step": (units, sizes["dirs"]),
            "sequence_mask": (units, max(sizes["seq"], 1), sizes["dirs"]),
        }

    def _make_tensors(self) -> dict[str, Any]:
        given = self._request.tensors
        arrays = {name: given[name] for name in ("X", "W", "B")}
        arrays["R"] = _transposed(given["R"])
        arrays["P"] = given.get("P", np.zeros(0, np.float32))
        arrays["lengths"] = _lengths(self._request)
        arrays["initial_h"] = self._state("initial_h")
        made = {name: self._device.filled(array) for name, array in arrays.items()}
        sizes = self._sizes()
        return made | {name: self._device.buffer(size) for name, size in sizes.items()}

    def _sizes(self) -> dict[str, int]:
        """The bytes of the tensors that the kernels write."""
        request = self._request
        sizes = request.sizes
        state = sizes["dirs"] * sizes["batch"] * sizes["hidden"] * 4
        return {
            "projection": state * sizes["seq"] * len(request.operator.gates),
            "reset_h": state if "gru_reset" in self._names else 0,
            "cell": state if _has_cell(request) else 0,
            "Y": state * sizes["seq"],
            "Y_h": state,
        }

    def _state(self, name: str) -> Array:
        """An initial state in the layout of the request; zeros where it is not given."""
        given = self._request.tensors.get(name)
        return np.zeros(self._request.shape("Y_h"), np.float32) if given is None else given

    def _check_limits(self) -> None:
        limits = self._device.limits
        sizes = {name: array.nbytes for name, array in self._request.tensors.items()} | self._sizes()
        most = limits["max-storage-buffer-binding-size"]
        for name, size in sizes.items():
            if size > most:
                raise ContractError(f"{name} takes {size} bytes, but the device binds {most} at most")
        most = limits["max-compute-workgroups-per-dimension"]
        for name, grid in self._grids().items():
            if max(grid) > most:
                raise ContractError(f"{name} needs {max(grid)} workgroups, but the device has {most} at most")


def uniforms(request: Request) -> Array:
    """The uniform ``layer`` of a request."""
    sizes = request.sizes
    seq, batch, hidden, dirs = (sizes[name] for name in ("seq", "batch", "hidden", "dirs"))
    result = np.zeros((), UNIFORMS)
    for name in ("seq", "batch", "input", "hidden"):
        result[name] = sizes[name]
    result["gates"] = len(request.operator.gates)
    if request.layout:
        result["x_step"], result["x_row"] = sizes["input"], seq * sizes["input"]
        result["y_step"], result["y_direction"], result["y_row"] = dirs * hidden, hidden, seq * dirs * hidden
        result["state_direction"], result["state_row"] = hidden, dirs * hidden
    else:
        result["x_step"], result["x_row"] = batch * sizes["input"], sizes["input"]
        result["y_step"], result["y_direction"], result["y_row"] = dirs * batch * hidden, batch * hidden, hidden
        result["state_direction"], result["state_row"] = batch * hidden, hidden
    result["reverse"] = sum(1 << index for index, name in enumerate(request.directions) if name == "reverse")
    result["has_lengths"] = "sequence_lens" in request.tensors
    result["has_peepholes"] = "P" in request.tensors
    result["has_cell"] = _has_cell(request)
    result["linear_before_reset"] = request.linear_before_reset
    result["input_forget"] = request.input_forget
    result["has_clip"] = request.clip is not None
    result["clip"] = request.clip or 0
    for index, own in enumerate(request.activations):
        for place, activation in enumerate(own):
            result["activations"][index, place] = (
                KINDS.index(activation.name),
                activation.alpha,
                activation.beta,
                0,
            )
    return result


def _has_cell(request: Request) -> bool:
    return "Y_c" in request.operator.output_names


def _transposed(R: Array) -> Array:
    """R [D, G*H, H] as [D, G, H, H], from the previous unit to the next: see recurrence.wgsl."""
    hidden = R.shape[2]
    return R.reshape(R.shape[0], -1, hidden, hidden).swapaxes(2, 3)


def _lengths(request: Request) -> Array:
    full = np.full(request.sizes["batch"], request.sizes["seq"], np.int32)
    return request.tensors.get("sequence_lens", full)


def _ceil(count: int, size: int) -> int:
    return -(-count // size)
