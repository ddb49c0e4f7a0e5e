"""The machine's label in recordings and reports; it decides nothing, least of all which kernels run."""

import platform

import archspec.cpu


def machine_label() -> str:
    """Microarchitecture, architecture and operating system, for instance "icelake x86_64 Linux"."""
    return f"{archspec.cpu.host().name} {platform.machine()} {platform.system()}"
