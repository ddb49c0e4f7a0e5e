"""The operations that a bench measures a core by: how many, on each path."""

import pytest

from gatewise_implementations._reference import ffi, lib
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.reference_library import MODES, kernel_paths, saturate

LANES = {"scalar": 1, "sse2": 4, "avx2": 8, "avx512vl": 16, "neon": 4}
PATHS = [path.name for path in kernel_paths() if path.available]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("path", PATHS)
def test_each_step_multiplies_and_adds_on_twelve_vectors(path: str, mode: str) -> None:
    assert [saturate(steps, path, mode) for steps in (0, 1, 1000)] == [0, 24 * LANES[path], 24000 * LANES[path]]


def test_the_widest_path_is_the_default() -> None:
    assert saturate(7) == saturate(7, PATHS[-1])


def test_a_path_that_is_not_there_is_refused() -> None:
    with pytest.raises(RefusalError, match=r'^kernel path "avx9" is not one of those') as refusal:
        saturate(1, "avx9")
    assert (refusal.value.kind, refusal.value.reason) == ("invalid", "kernel-path")


def test_a_null_pointer_is_refused() -> None:
    error = ffi.new("gw_error *")
    assert lib.gw_saturate(lib.GW_MODE_FAST, ffi.NULL, 1, ffi.NULL, error) == lib.GW_INVALID_INPUT
    assert ffi.string(lib.gw_reason_name(error.reason)) == b"argument"
