"""Builds that could break bits, and hosts that change the arithmetic: the same bits each time.

What can only be refused, and how, stands in ``test_build_guards``.
"""

import platform
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from function_samples import REFERENCE, STRIDE, bits, floats, golden_hash, hard_cases, sha256, strided_inputs

from gatewise.packed_corpus import compare_answers
from gatewise_corpus.case import Array
from gatewise_corpus.store import cases_root
from gatewise_implementations.reference_library import functions, kernel_paths

pytestmark = [pytest.mark.builds, pytest.mark.timeout(900)]

Build = Callable[..., None]
HOST = Path(__file__).parent / "host"
PATHS = [path.name for path in kernel_paths() if path.available]
MODES = ("upward", "downward", "toward-zero", "flush")
FLAGS = (
    "-O0",
    "-O1",
    "-O2",
    "-O3",
    "-O3 -march=native",
    "-O2 -flto",
    "-O3 -march=native -ffp-contract=fast",  # the build's own flag comes later and wins
    "-Ofast -march=native",  # likewise; but the program is linked with what flushes subnormal numbers
)


def required(compiler: str) -> str:
    found = shutil.which(compiler)
    if found is None:
        pytest.skip(f"{compiler} is not installed; Debian's package {compiler} has it")
    return found


def definitions(compiler: str, flags: str) -> list[str]:
    """A build in which no flags but these choose the optimisation."""
    return [f"CMAKE_C_COMPILER={required(compiler)}", "CMAKE_BUILD_TYPE=None", f"CMAKE_C_FLAGS={flags}"]


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_every_build_gives_the_same_bits(
    *, build: Build, corpus_cases: Path, tmp_path: Path, compiler: str, flags: str
) -> None:
    build(tmp_path, "GATEWISE_TOOLS=ON", *definitions(compiler, flags), targets=["runner", "evaluate"])
    answers = tmp_path / "corpus.answers"
    subprocess.run([tmp_path / "tools" / "runner", corpus_cases, answers], check=True)
    compared = dict(compare_answers(cases_root(), answers))
    assert {name: difference for name, difference in compared.items() if difference} == {}
    assert len(compared) > 800

    def evaluated(function: str, path: str, x: Array) -> Array:
        command = [tmp_path / "tools" / "evaluate", function, path]
        return np.frombuffer(subprocess.run(command, input=x.tobytes(), capture_output=True, check=True).stdout, "f4")

    for function in functions():
        inputs, results = hard_cases(function)
        for path in PATHS:
            np.testing.assert_array_equal(bits(evaluated(function, path, floats(inputs))), results)
        assert sha256(evaluated(function, "scalar", strided_inputs())) == golden_hash(function, STRIDE)


def gcc_version() -> int:
    return int(
        subprocess.run([required("gcc"), "-dumpversion"], capture_output=True, check=True).stdout.split(b".")[0]
    )


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_every_host_gets_the_same_bits(build: Build, tmp_path: Path, compiler: str) -> None:
    build(tmp_path, f"REFERENCE={REFERENCE}", *definitions(compiler, "-O2"), source=HOST)
    library = tmp_path / "fast-math.so"
    (tmp_path / "empty.c").write_text("int nothing(void);\nint nothing(void) { return 0; }\n")
    # From gcc 13 on a library flushes subnormal numbers only where that is asked for.
    asked = ["-mdaz-ftz"] if gcc_version() >= 13 and platform.machine() == "x86_64" else []
    command = [required("gcc"), "-shared", "-fPIC", "-ffast-math", *asked, "empty.c", "-o", library]
    subprocess.run(command, cwd=tmp_path, check=True)

    def run(*words: str | Path) -> bytes:
        return subprocess.run([tmp_path / "host", *words], capture_output=True, check=True).stdout

    expected = run("none")
    assert len(expected) == 68_776 * len(PATHS)
    for mode in MODES:
        assert run(mode) == expected, mode
    assert run("loaded", library) == expected
