"""The kernels: which WGSL files make each, and which tensors it reads and writes.

The files of ``kernels/`` declare neither tensors nor what the caller must know as well: it is declared here, once.
"""

from dataclasses import dataclass
from importlib.resources import files

from gatewise_corpus.activations import ACTIVATIONS

TENSORS = (
    "X",
    "W",
    "R",
    "B",
    "P",
    "lengths",
    "initial_h",
    "projection",
    "reset_h",
    "cell",
    "Y",
    "Y_h",
)
"""The tensors on the device. Each has its binding in group 0, behind that of the uniform ``layer``."""
TILE = 32
"""Positions and units of a workgroup's tile in ``project``."""
UNITS = 64
"""Invocations of a workgroup in the other kernels."""
KINDS = tuple(ACTIVATIONS)
"""The activation functions by the number that stands for them in a kernel."""
ELEMENTS = {"lengths": "i32"}
"""The type of a tensor's elements, where that is not f32."""


@dataclass(frozen=True)
class Kernel:
    """One entry point.

    Attributes:
        name: of the function.
        parts: the files that make the shader, without their suffix.
        reads: the tensors that it only reads.
        writes: the tensors that it writes.
        has_step: whether it has the uniform ``step`` in group 1.
    """

    name: str
    parts: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    has_step: bool = True

    def bindings(self) -> dict[int, str]:
        """The tensors by their binding."""
        return {binding_of(tensor): tensor for tensor in (*self.reads, *self.writes)}

    def source(self) -> str:
        """The shader."""
        numbers = {"TILE": TILE, "UNITS": UNITS, **{name.upper(): number for number, name in enumerate(KINDS)}}
        constants = [f"const {name} = {number}u;" for name, number in numbers.items()]
        tensors = [
            f"@group(0) @binding({binding}) var<storage, {'read_write' if tensor in self.writes else 'read'}> "
            f"{tensor}: array<{ELEMENTS.get(tensor, 'f32')}>;"
            for binding, tensor in self.bindings().items()
        ]
        folder = files("gatewise_implementations.webgpu") / "kernels"
        parts = [(folder / f"{part}.wgsl").read_text(encoding="utf-8") for part in self.parts]
        return "\n".join([*constants, *tensors, *parts])


def binding_of(tensor: str) -> int:
    """The number of a tensor's binding."""
    return TENSORS.index(tensor) + 1


_STEP = ("layer", "activations", "recurrence")
_READ_BY_STEPS = ("R", "B", "lengths", "initial_h", "projection")
KERNELS = {
    kernel.name: kernel
    for kernel in (
        Kernel("project", ("layer", "project"), ("X", "W", "B"), ("projection",), has_step=False),
        Kernel("rnn_step", (*_STEP, "rnn"), _READ_BY_STEPS, ("Y",)),
        Kernel("gru_reset", (*_STEP, "gru"), _READ_BY_STEPS, ("reset_h", "Y")),
        Kernel("gru_step", (*_STEP, "gru"), _READ_BY_STEPS, ("reset_h", "Y")),
        Kernel("lstm_step", (*_STEP, "lstm"), (*_READ_BY_STEPS, "P"), ("cell", "Y")),
        Kernel("sequence_mask", ("layer", "mask"), ("lengths", "initial_h"), ("cell", "Y", "Y_h"), has_step=False),
    )
}
"""The kernels by the names of their entry points."""
