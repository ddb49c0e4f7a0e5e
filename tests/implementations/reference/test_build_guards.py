"""What a wrong build or machine meets: an error when it is compiled, else one when a plan is made."""

import platform
import subprocess
import sysconfig
from pathlib import Path

import pytest

REFERENCE = Path(__file__).parents[3] / "implementations" / "reference"
COMPILER = sysconfig.get_config_var("CC").split()[0]
EXACT = ("-O2", "-std=gnu11", "-ffp-contract=off")
INCLUDES = [f"-I{REFERENCE / folder}" for folder in ("include", "src", "kernels")]
IS_X86_64 = platform.machine() in {"x86_64", "AMD64"}
FUSED = ("-ffp-contract=fast", *(("-mfma",) if IS_X86_64 else ()))

PROGRAM = """
#include <stdio.h>
#include "canary.h"
#include "paths.h"
int main(void) {
  gw_error error = {0};
  BEFORE
  const gw_status status = gw_check_arithmetic(&gw_kernel_scalar, &error);
  printf("%d %s %s", (int)status, gw_reason_name(error.reason), error.message);
  return 0;
}
"""


def compile_kernel(*flags: str) -> subprocess.CompletedProcess[str]:
    command = [COMPILER, *EXACT, *flags, *INCLUDES, "-fsyntax-only", str(REFERENCE / "kernels" / "scalar.c")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def check_arithmetic(folder: Path, *flags: str, before: str = "") -> str:
    """What the check at the making of a plan says of the scalar path, compiled with these flags."""
    program = folder / "program.c"
    program.write_text(PROGRAM.replace("BEFORE", before))
    sources = [program, *(REFERENCE / name for name in ("src/canary.c", "src/error.c", "src/evaluate.c"))]
    kernels = [REFERENCE / "kernels" / "scalar.c"]
    # The other kernels' addresses are in the list of paths; nothing of them is called.
    stubs = folder / "stubs.c"
    stubs.write_text('#include "paths.h"\n#include "dispatch.h"\n' + STUBS)
    command = [COMPILER, *EXACT, *flags, *INCLUDES, *map(str, [*sources, stubs, *kernels]), "-o", folder / "program"]
    subprocess.run(command, check=True)
    return subprocess.run([folder / "program"], capture_output=True, text=True, check=True).stdout


STUBS = """
gw_status gw_find_kernel(const char *name, gw_mode mode, const gw_kernel **kernel, gw_error *error) {
  (void)name; (void)mode; (void)kernel; (void)error;
  return GW_UNSUPPORTED;
}
"""


def test_the_right_flags_compile() -> None:
    assert compile_kernel().returncode == 0


@pytest.mark.parametrize("flag", ["-ffast-math", "-Ofast"])
def test_fast_math_does_not_compile(flag: str) -> None:
    done = compile_kernel(flag)
    assert done.returncode != 0
    assert "exact mode needs IEEE arithmetic: build without -ffast-math" in done.stderr


@pytest.mark.skipif(not IS_X86_64, reason="only x86 has arithmetic of more bits than a float's")
def test_arithmetic_of_more_bits_does_not_compile() -> None:
    done = compile_kernel("-mfpmath=387")
    assert done.returncode != 0
    assert "exact mode needs float expressions evaluated as float" in done.stderr


def test_half_precision_of_the_processor_compiles() -> None:
    flag = "-mavx512fp16" if IS_X86_64 else "-march=armv8.2-a+fp16"
    done = compile_kernel(flag)
    if "unrecognized" in done.stderr or "unknown" in done.stderr:
        pytest.skip(f"{COMPILER} does not know {flag}")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_check_passes_with_the_right_flags(tmp_path: Path) -> None:
    assert check_arithmetic(tmp_path) == "0 none "


def test_a_fused_product_is_found(tmp_path: Path) -> None:
    assert check_arithmetic(tmp_path, *FUSED) == (
        '2 arithmetic a dot product on kernel path "scalar" gives the bits 3a000400 and must give 3a000000; this '
        "machine, or the compiler flags of this build, break IEEE arithmetic"
    )


def test_reassociated_sums_are_found(tmp_path: Path) -> None:
    said = check_arithmetic(tmp_path, "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math")
    assert said.startswith('2 arithmetic sigmoid on kernel path "scalar" gives the bits ')


@pytest.mark.skipif(not IS_X86_64, reason="sets the control word of x86")
@pytest.mark.parametrize(("bit", "found"), [("0x8000", "sigmoid"), ("0x2000", ""), ("0x6000", "")])
def test_a_control_word_that_does_not_stay_is_found(tmp_path: Path, bit: str, found: str) -> None:
    said = check_arithmetic(tmp_path, before=f"__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | {bit});")
    assert said.startswith(f"2 arithmetic {found}")
