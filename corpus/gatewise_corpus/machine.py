"""The machine that something ran on, as recordings and reports name it.

It decides nothing, least of all which kernels run.
"""

import contextlib
import platform
import sys
from dataclasses import dataclass
from typing import Literal

import archspec.cpu


@dataclass(frozen=True)
class Machine:
    """A processor with its operating system.

    Attributes:
        name: microarchitecture as archspec names it, or the model that an emulator was asked for.
        architecture: as ``uname -m`` says, for instance "x86_64", "aarch64" or "s390x".
        features: instruction-set extensions, sorted, under the names that archspec and Linux use.
        system: operating system as ``uname -s`` says.
        distribution: its distribution and version.
        libc: C library and version.
        byte_order: of its memory.
        emulator: what emulates the processor, with its version; "" for a real one.
    """

    name: str
    architecture: str
    features: tuple[str, ...] = ()
    system: str = ""
    distribution: str = ""
    libc: str = ""
    byte_order: Literal["little", "big"] = "little"
    emulator: str = ""

    @property
    def label(self) -> str:
        """The machine in a few words, for instance "icelake x86_64 Linux"."""
        words = [self.name, self.architecture, self.system, f"in {self.emulator}" if self.emulator else ""]
        return " ".join(filter(None, dict.fromkeys(words)))


def this_machine() -> Machine:
    """The machine that this runs on."""
    host = archspec.cpu.host()
    return Machine(
        name=host.name,
        architecture=platform.machine(),
        features=tuple(sorted(host.features)),
        system=platform.system(),
        distribution=_distribution(),
        libc=" ".join(platform.libc_ver()).strip(),
        byte_order=sys.byteorder,
    )


def _distribution() -> str:
    with contextlib.suppress(OSError):  # only where there is an os-release file (Linux, BSD)
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    return f"{platform.system()} {platform.release()}"
