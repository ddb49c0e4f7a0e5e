"""The WebGPU device, with the pipelines of the kernels."""

from functools import cache, cached_property
from typing import Any

import numpy as np
import wgpu

from gatewise_corpus.case import Array
from gatewise_implementations.adapter import SetupError
from gatewise_implementations.webgpu.kernels import KERNELS, Kernel, binding_of

NO_DEVICE = (
    "there is no WebGPU device: no Vulkan, Metal or D3D12 driver was found; "
    "Mesa has a software one for Vulkan (apt install mesa-vulkan-drivers)"
)
PREFERENCE = ("DiscreteGPU", "IntegratedGPU", "VirtualGPU", "CPU")
EMULATIONS = ("OpenGL", "OpenGLES")
"""Backends that lack parts of WebGPU."""
STEP_STRIDE = 256
"""Bytes between two values of the uniform ``step``: the alignment that every device has for dynamic offsets."""
LEAST = 4
"""Bytes of the smallest buffer that can be bound; tensors without elements have it too."""


class Device:
    """A device, opened once; pipelines are made when they are first used."""

    def __init__(self) -> None:
        """Opens the device.

        Raises:
            SetupError: if there is none.
        """
        adapters = [each for each in wgpu.gpu.enumerate_adapters_sync() if _is_whole(each)]
        if not adapters:
            raise SetupError(NO_DEVICE)
        adapter = min(adapters, key=lambda each: _preference(each.info["adapter_type"]))
        self.info = dict(adapter.info)
        self._device = adapter.request_device_sync()
        self.queue = self._device.queue
        self.limits = self._device.limits
        self._pipelines: dict[str, Any] = {}
        self._layouts: dict[str, Any] = {}
        self._steps: Any = None

    def buffer(self, size: int, *, uniform: bool = False) -> Any:
        """A buffer of at least ``size`` bytes, which can be copied from and to."""
        usage = wgpu.BufferUsage.UNIFORM if uniform else wgpu.BufferUsage.STORAGE
        usage |= wgpu.BufferUsage.COPY_DST | wgpu.BufferUsage.COPY_SRC
        return self._device.create_buffer(size=max(size, LEAST), usage=usage)

    def filled(self, array: Array, *, uniform: bool = False) -> Any:
        """A buffer that holds ``array``."""
        result = self.buffer(array.nbytes, uniform=uniform)
        self.write(result, array)
        return result

    def write(self, buffer: Any, array: Array) -> None:
        """Fills ``buffer`` from ``array``, whose elements have 4 bytes."""
        if array.size:
            self.queue.write_buffer(buffer, 0, np.ascontiguousarray(array))

    def read(self, buffer: Any, shape: tuple[int, ...]) -> Array:
        """The float32 array of this shape that ``buffer`` holds."""
        count = int(np.prod(shape))
        data = self.queue.read_buffer(buffer, size=max(count * 4, LEAST))
        return np.frombuffer(data, np.float32, count).reshape(shape).copy()

    def encoder(self) -> Any:
        """A new command encoder."""
        return self._device.create_command_encoder()

    def pipeline(self, name: str) -> Any:
        """The pipeline of the kernel called ``name``."""
        if name not in self._pipelines:
            kernel = KERNELS[name]
            groups = [self._layout(kernel), *([self._step_layout] if kernel.has_step else [])]
            self._pipelines[name] = self._device.create_compute_pipeline(
                layout=self._device.create_pipeline_layout(bind_group_layouts=groups),
                compute={
                    "module": self._device.create_shader_module(code=kernel.source()),
                    "entry_point": kernel.name,
                },
            )
        return self._pipelines[name]

    def bind(self, name: str, layer: Any, tensors: dict[str, Any]) -> Any:
        """The group 0 of the kernel called ``name``: the uniform and the tensors that it uses."""
        kernel = KERNELS[name]
        entries = [{"binding": 0, "resource": {"buffer": layer}}]
        entries += [
            {"binding": binding, "resource": {"buffer": tensors[tensor]}}
            for binding, tensor in kernel.bindings().items()
        ]
        return self._device.create_bind_group(layout=self._layout(kernel), entries=entries)

    def bind_steps(self, count: int) -> Any:
        """The group 1 of the step kernels: step s stands at the dynamic offset s * STEP_STRIDE, for s < ``count``."""
        if self._steps is None or self._steps.size < count * STEP_STRIDE:
            numbers = np.zeros((count, STEP_STRIDE // 4), np.uint32)
            numbers[:, 0] = np.arange(count)
            self._steps = self.filled(numbers, uniform=True)
        resource = {"buffer": self._steps, "offset": 0, "size": 4}
        return self._device.create_bind_group(
            layout=self._step_layout, entries=[{"binding": 0, "resource": resource}]
        )

    def _layout(self, kernel: Kernel) -> Any:
        if kernel.name not in self._layouts:
            entries = [_entry(0, {"type": wgpu.BufferBindingType.uniform})]
            for kind, tensors in (
                (wgpu.BufferBindingType.read_only_storage, kernel.reads),
                (wgpu.BufferBindingType.storage, kernel.writes),
            ):
                entries += [_entry(binding_of(tensor), {"type": kind}) for tensor in tensors]
            self._layouts[kernel.name] = self._device.create_bind_group_layout(entries=entries)
        return self._layouts[kernel.name]

    @cached_property
    def _step_layout(self) -> Any:
        buffer = {"type": wgpu.BufferBindingType.uniform, "has_dynamic_offset": True}
        return self._device.create_bind_group_layout(entries=[_entry(0, buffer)])


@cache
def open_device() -> Device:
    """The device of this process.

    Raises:
        SetupError: if there is none.
    """
    return Device()


def _is_whole(adapter: Any) -> bool:
    return adapter.info["backend_type"] not in EMULATIONS


def _preference(kind: str) -> int:
    return PREFERENCE.index(kind) if kind in PREFERENCE else len(PREFERENCE)


def _entry(binding: int, buffer: dict[str, Any]) -> dict[str, Any]:
    return {"binding": binding, "visibility": wgpu.ShaderStage.COMPUTE, "buffer": buffer}
