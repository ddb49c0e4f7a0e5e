"""Processors that are not here: each gives the bits of this one, on every kernel path that it has."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import emulate
import numpy as np
import pytest
from function_samples import STRIDE, bits, floats, golden_hash, hard_cases, sha256, strided_inputs

from gatewise.packed_corpus import compare_answers
from gatewise_corpus.case import Array, Case
from gatewise_corpus.outcome import Ran, digest
from gatewise_corpus.store import cases_root, load_entry
from gatewise_implementations.process import Worker
from gatewise_implementations.reference_library import functions

pytestmark = [pytest.mark.emulated, pytest.mark.timeout(1800)]

HOST = Path(__file__).parent / "host"
PATHS = [(machine.name, path) for machine in emulate.MACHINES.values() for path in machine.paths]
every_machine = pytest.mark.parametrize("machine", emulate.MACHINES, indirect=True)
ROUNDING = ("upward", "downward", "toward-zero")
FLUSHING = {"x86_64", "i686", "aarch64", "armv7l"}
"""The processors that can flush subnormal numbers of float32; the other ones have no such mode."""


def output_of(machine: emulate.Machine, program: str, *arguments: str, given: bytes = b"") -> bytes:
    """The standard output of one of the machine's programs, which must end with exit code 0."""
    command = machine.command(program, *arguments)
    done = subprocess.run(command, input=given, capture_output=True, check=False)
    assert done.returncode == 0, f"{command}: exit code {done.returncode}: {done.stderr.decode()}"
    return done.stdout


@pytest.fixture
def machine(request: pytest.FixtureRequest) -> emulate.Machine:
    """The machine of this name, built."""
    found = emulate.MACHINES[request.param]
    if missing := found.missing():
        pytest.skip(f"{found.name} needs {' '.join(missing)}; make compilers installs them")
    emulate.build(found)
    return found


@every_machine
def test_the_whole_corpus(machine: emulate.Machine, corpus_cases: Path, tmp_path: Path) -> None:
    answers = tmp_path / "corpus.answers"
    output_of(machine, "tools/runner", str(corpus_cases), str(answers))
    compared = dict(compare_answers(cases_root(), answers))
    assert {name: difference for name, difference in compared.items() if difference} == {}
    assert len(compared) > 800


@every_machine
def test_it_serves_and_says_what_it_is(machine: emulate.Machine) -> None:
    case = load_entry(cases_root() / "lstm" / "smallest").case
    with Worker(machine.spec()) as worker:
        description, outcome = worker.describe(), worker.run(case)
    configurations = [f"{path},threads={threads}" for path in machine.paths for threads in (1, 2, 3)]
    assert description.settings["configurations"].split() == configurations
    assert isinstance(outcome, Ran)
    assert list(outcome.digests) == configurations


@every_machine
def test_whatever_nan_its_processor_makes_it_writes_one(machine: emulate.Machine) -> None:
    x = np.array([0x7F800000, 0x7F800001, 0xFFC12345], np.uint32).view(np.float32).reshape(1, 3, 1)
    weights = {"W": np.zeros((1, 2, 1), np.float32), "R": np.array([[[1, 2], [3, 4]]], np.float32)}
    case = Case("RNN", 22, {"activations": ("Relu",)}, {"X": x, **weights}, ("Y",))
    with Worker(machine.spec()) as worker:
        outcome = worker.run(case)
    assert isinstance(outcome, Ran)
    assert set(bits(outcome.outputs["Y"]).ravel().tolist()) == {0x7FC00000}
    assert set(outcome.digests.values()) == {digest(outcome.outputs)}


@pytest.mark.parametrize(("machine", "path"), PATHS, indirect=["machine"])
@pytest.mark.parametrize("function", functions())
def test_the_functions(machine: emulate.Machine, function: str, path: str) -> None:
    order = np.dtype(np.float32).newbyteorder(">" if machine.big_endian else "<")

    def emulated(x: Array) -> Array:
        result = output_of(machine, "tools/evaluate", function, path, given=x.astype(order).tobytes())
        return np.frombuffer(result, order).astype(np.float32)

    inputs, results = hard_cases(function)
    np.testing.assert_array_equal(bits(emulated(floats(inputs))), results)
    assert sha256(emulated(strided_inputs())) == golden_hash(function, STRIDE)


@every_machine
def test_a_host_with_other_arithmetic(machine: emulate.Machine, build: Callable[..., None]) -> None:
    folder = machine.folder / "host"
    with machine.building():
        build(folder, f"REFERENCE={emulate.ROOT / 'implementations/reference'}", *machine.definitions(), source=HOST)
    expected = output_of(machine, "host/host", "none")
    assert len(expected) == 68_776 * len(machine.paths)
    for mode in (*ROUNDING, *(["flush"] if machine.processor in FLUSHING else [])):
        assert output_of(machine, "host/host", mode) == expected, mode


def test_one_process_builds_for_a_compiler_at_a_time() -> None:
    nehalem, haswell = emulate.MACHINES["nehalem"], emulate.MACHINES["haswell"]
    with nehalem.building(), pytest.raises(BlockingIOError), haswell.building(wait=False):
        pass
    with haswell.building(wait=False), emulate.MACHINES["aarch64"].building(wait=False):
        pass
