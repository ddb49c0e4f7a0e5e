"""Decisions D26 and D27: whatever the calling thread does to its arithmetic, the bits are the same, and it stays."""

import ctypes
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from gatewise_corpus.case import Array, Case
from gatewise_corpus.operators import OPERATORS as OPERATORS_TABLE
from gatewise_implementations._reference import ffi, lib
from gatewise_implementations.reference_library import Plan, _Description, evaluate, functions, kernel_paths, run

MakeCase = Callable[..., Case]
SameBits = Callable[[Mapping[str, Array], Mapping[str, Array]], None]

MACHINE = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
PATHS = [path.name for path in kernel_paths() if path.available]
OPERATORS = ("RNN", "GRU", "LSTM")
# Bits of MXCSR and of FPCR. Where a bit's number is not known, nothing is tested.
WORDS = {
    "x86_64": {"down": 0x2000, "up": 0x4000, "to zero": 0x6000, "DAZ": 0x40, "FTZ": 0x8000, "DAZ and FTZ": 0x8040},
    "aarch64": {"up": 0x400000, "down": 0x800000, "to zero": 0xC00000, "FZ": 0x1000000},
}.get(MACHINE, {})
PLACE = {"x86_64": 7, "aarch64": 0}.get(MACHINE, 0)
"""Of the control word in glibc's fenv_t, in units of 4 bytes."""
LIBM = ctypes.CDLL(None)


def control_word() -> Any:
    environment = (ctypes.c_uint32 * 16)()
    LIBM.fegetenv(environment)
    return environment


@contextmanager
def changed_arithmetic(word: int) -> Iterator[None]:
    """Sets bits of this thread's control word, and expects to find them still set at the end."""
    saved = control_word()
    changed = control_word()
    changed[PLACE] |= word
    LIBM.fesetenv(changed)
    try:
        yield
        left = control_word()[PLACE] & word
    finally:
        LIBM.fesetenv(saved)
    assert left == word


@pytest.fixture(params=sorted(WORDS))
def word(request: pytest.FixtureRequest) -> int:
    return WORDS[request.param]


def test_the_words_have_an_effect(word: int) -> None:
    one, tiny = np.float32([1, -1]), np.float32([2**-60, -(2.0**-60)])
    subnormal = np.float32([2.0**-140, -(2.0**-126)])
    scale = np.float32(0.75)

    def probe() -> Array:
        return np.concatenate([one + tiny, one - tiny, subnormal * scale]).view(np.uint32)

    before = probe()
    with changed_arithmetic(word):
        after = probe()
    assert not np.array_equal(before, after)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("function", functions())
def test_the_functions(function: str, path: str, word: int) -> None:
    bits = np.arange(0, 2**32, 16_777_213, dtype=np.uint64).astype(np.uint32)
    x = np.concatenate([bits, np.arange(0x200, dtype=np.uint32)]).view(np.float32)
    expected = evaluate(function, x, path)
    with changed_arithmetic(word):
        actual = evaluate(function, x, path)
    np.testing.assert_array_equal(actual.view(np.uint32), expected.view(np.uint32))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("operator", OPERATORS)
def test_the_operators(
    *, make_case: MakeCase, same_bits: SameBits, operator: str, path: str, threads: int, word: int
) -> None:
    case = make_case(operator, clip=2.0, h=17)
    expected = run(case, path, threads)
    with changed_arithmetic(word):
        actual = run(case, path, threads)
    same_bits(actual, expected)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("path", PATHS)
def test_subnormal_results(make_case: MakeCase, same_bits: SameBits, path: str, threads: int, word: int) -> None:
    case = make_case("RNN", clip=2.0**-140, omit=("initial_h",), activations=("Affine",))
    workspace = Plan(case, path).workspace(threads)
    expected = workspace.run(case.inputs)
    assert np.abs(expected["Y"]).max() == 2.0**-140
    with changed_arithmetic(word):
        actual = workspace.run(case.inputs)
    same_bits(actual, expected)


def test_a_subnormal_clip_counts(make_case: MakeCase, word: int) -> None:  # D02
    case = make_case("RNN", activations=("Affine",), constants=("X", "W", "R", "B", "initial_h"))
    description = _Description()
    operator = OPERATORS_TABLE["RNN"]
    description.add_attributes(case, operator)
    description.add_inputs(case, operator)
    description.add_outputs(case, operator)
    description.layer.clip = 2.0**-140
    plan, workspace, Y = ffi.new("gw_plan **"), ffi.new("gw_workspace **"), np.empty((6, 1, 5, 3), np.float32)
    Y_h = np.empty((1, 5, 3), np.float32)
    with changed_arithmetic(word):
        status = lib.gw_plan_create(description.layer, plan, ffi.NULL)
    assert status == lib.GW_OK
    assert lib.gw_workspace_create(plan[0], 1, workspace, ffi.NULL) == lib.GW_OK
    outputs = ffi.new("void *[3]", [ffi.cast("void *", Y.ctypes.data), ffi.cast("void *", Y_h.ctypes.data), ffi.NULL])
    assert lib.gw_run(plan[0], workspace[0], ffi.new("void *[8]"), outputs, ffi.NULL) == lib.GW_OK
    lib.gw_workspace_destroy(workspace[0])
    lib.gw_plan_destroy(plan[0])
    assert np.abs(Y).max() == 2.0**-140
