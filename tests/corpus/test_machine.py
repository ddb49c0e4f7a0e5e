"""The machine that recordings and reports name."""

import platform
import sys

import archspec.cpu

from gatewise_corpus.machine import Machine, this_machine


def test_this_machine_has_microarchitecture_architecture_and_system() -> None:
    machine = this_machine()
    assert (machine.name, machine.architecture) == (archspec.cpu.host().name, platform.machine())
    assert machine.label.split() == [machine.name, machine.architecture, platform.system()]
    assert set(machine.features) == archspec.cpu.host().features
    assert list(machine.features) == sorted(machine.features)
    assert machine.byte_order == sys.byteorder
    assert machine.distribution
    assert machine.emulator == ""


def test_an_emulated_machine_says_so() -> None:
    machine = Machine("z15", "s390x", system="Linux", emulator="qemu-s390x 7.2")
    assert machine.label == "z15 s390x Linux in qemu-s390x 7.2"
    assert Machine("riscv64", "riscv64", system="Linux").label == "riscv64 Linux"
