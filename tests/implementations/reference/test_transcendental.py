"""The four functions that exact mode defines by mathematics: correctly rounded, whatever the kernel path."""

import hashlib
from collections.abc import Callable

import numpy as np
import pytest
from function_samples import STRIDE, bits, floats, golden_hash, hard_cases, sha256, strided_inputs
from mpmath import mp, mpf

from gatewise_implementations._reference import ffi, lib
from gatewise_implementations.adapter import RefusalError
from gatewise_implementations.reference_library import evaluate, functions, kernel_paths

FUNCTIONS = functions()
PATHS = [path.name for path in kernel_paths() if path.available]
MISSING = [path for path in kernel_paths() if not path.available]
REAL: dict[str, Callable[[mpf], mpf]] = {
    "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "tanh": mp.tanh,
    "expm1": mp.expm1,
    "softplus": lambda x: mp.log1p(mp.exp(x)),
}
SIGN = 0x80000000
CANONICAL_NAN = 0x7FC00000


def nearest_float(value: mpf) -> np.float32:
    """The float32 nearest to a real number that lies in no middle between two, by way of exact integers."""
    if value >= mpf(2) ** 128 - mpf(2) ** 103:
        return np.float32(np.inf)
    exponent = max(int(mp.floor(mp.log(abs(value), 2))), -126)
    rounded = int(mp.nint(value * mpf(2) ** (23 - exponent)))
    return np.float32(np.ldexp(np.float64(rounded), exponent - 23))


@pytest.fixture
def precise() -> None:
    mp.prec = 240


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_hard_cases(function: str, path: str) -> None:
    inputs, results = hard_cases(function)
    assert len(inputs) > 40
    np.testing.assert_array_equal(bits(evaluate(function, floats(inputs), path)), results)


@pytest.mark.usefixtures("precise")
@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_hard_cases_are_right_and_hard(function: str) -> None:
    for x, y in zip(*map(floats, hard_cases(function)), strict=True):
        real, result = REAL[function](mpf(float(x))), mpf(float(y))
        other = np.nextafter(y, np.float32(np.inf if real > result else -np.inf))
        boundary = (result + mpf(float(other))) / 2
        assert abs(real - result) < abs(real - mpf(float(other)))
        assert abs(real - boundary) < abs(real) * mpf(2) ** -47


@pytest.mark.usefixtures("precise")
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_sample_against_multiple_precision(function: str) -> None:
    # all exponents that matter, both signs: 2^-149 to 2^7
    magnitudes = np.arange(1, 0x43000000, 0x43000000 // 2500)
    for x in floats(np.concatenate([magnitudes, magnitudes | SIGN])):
        assert evaluate(function, x.reshape(1))[0] == nearest_float(REAL[function](mpf(float(x)))), x.hex()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("function", "results"),
    [
        ("sigmoid", [0, 0, 0.5, 0.5, 1, 1]),
        ("tanh", [-1, -1, -0.0, 0.0, 1, 1]),
        ("expm1", [-1, -1, -0.0, 0.0, np.inf, np.inf]),
        ("softplus", [0, 0, np.log(2), np.log(2), np.finfo(np.float32).max, np.inf]),
    ],
)
def test_the_ends_and_zero(function: str, path: str, results: list[float]) -> None:
    largest = np.finfo(np.float32).max
    x = np.array([-np.inf, -largest, -0.0, 0.0, largest, np.inf], np.float32)
    np.testing.assert_array_equal(bits(evaluate(function, x, path)), bits(np.array(results, np.float32)))


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_nan_becomes_the_canonical_one(function: str, path: str) -> None:
    nans = np.array([0x7F800001, 0x7FFFFFFF, 0xFF800001, 0xFFC00000, 0xFFFFFFFF, 0x7FA12345], np.uint32)
    assert set(bits(evaluate(function, floats(nans), path)).tolist()) == {CANONICAL_NAN}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_strided_sample(function: str, path: str) -> None:
    assert sha256(evaluate(function, strided_inputs(), path)) == golden_hash(function, STRIDE)


def sweep(function: str, paths: list[str]) -> str:
    """The SHA-256 of all 2^32 results on the first path, while the others are found to give the same bits."""
    digest, offsets = hashlib.sha256(), np.arange(2**17, dtype=np.uint32)
    for first in range(0, 2**32, offsets.size):
        x = floats(offsets + np.uint32(first))
        results = evaluate(function, x, paths[0])
        digest.update(results.astype("<f4", copy=False).data)
        for path in paths[1:]:
            assert np.array_equal(bits(evaluate(function, x, path)), bits(results)), f"{path} from {first:08x} on"
    return digest.hexdigest()


@pytest.mark.golden
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_all_results_of_the_vector_paths(function: str) -> None:
    assert sweep(function, PATHS[1:] or PATHS) == golden_hash(function, 1)


@pytest.mark.golden
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_all_results_of_the_scalar_path(function: str) -> None:
    assert sweep(function, ["scalar"]) == golden_hash(function, 1)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("count", [0, 1, 3, 7, 8, 9, 17, 31])
def test_any_number_of_values(path: str, count: int) -> None:
    x = np.linspace(-2, 3, 40, dtype=np.float32)
    whole = evaluate("softplus", x, path)
    guarded = np.full(40, 7, np.float32)
    function = lib.GW_FUNCTION_SOFTPLUS
    pointers = [ffi.cast("float *", array.ctypes.data) for array in (x, guarded)]
    assert lib.gw_evaluate(function, lib.GW_MODE_EXACT, path.encode(), count, *pointers, ffi.NULL) == lib.GW_OK
    np.testing.assert_array_equal(guarded[:count], whole[:count])
    assert set(guarded[count:]) == {7}


def test_results_may_replace_their_arguments() -> None:
    x = np.linspace(-2, 3, 37, dtype=np.float32)
    expected = evaluate("tanh", x)
    pointer = ffi.cast("float *", x.ctypes.data)
    assert (
        lib.gw_evaluate(lib.GW_FUNCTION_TANH, lib.GW_MODE_EXACT, ffi.NULL, x.size, pointer, pointer, ffi.NULL)
        == lib.GW_OK
    )
    np.testing.assert_array_equal(x, expected)


def test_arrays_of_any_shape_and_order() -> None:
    x = np.linspace(-2, 3, 30, dtype=np.float32).reshape(5, 6)
    expected = evaluate("sigmoid", x.ravel()).reshape(5, 6)
    np.testing.assert_array_equal(evaluate("sigmoid", np.asfortranarray(x)), expected)
    np.testing.assert_array_equal(evaluate("sigmoid", x.astype(x.dtype.newbyteorder("S"))), expected)


@pytest.mark.parametrize(
    ("function", "dtype", "path", "reason", "sentence"),
    [
        ("sin", np.float32, None, "argument", "function 'sin' is not one of sigmoid, tanh, expm1, softplus"),
        ("tanh", np.float64, None, "dtype", "x is float64; it must be float32"),
        (
            "tanh",
            np.float32,
            "avx9",
            "kernel-path",
            'kernel path "avx9" is not one of those that',
        ),
    ],
)
def test_what_cannot_be_evaluated_is_refused(
    function: str, dtype: type, path: str | None, reason: str, sentence: str
) -> None:
    with pytest.raises(RefusalError, match=sentence) as refusal:
        evaluate(function, np.zeros(3, dtype), path)
    assert (refusal.value.kind, refusal.value.reason) == ("invalid", reason)


def test_null_pointers_and_numbers_outside_the_enumeration() -> None:
    error, value = ffi.new("gw_error *"), ffi.new("float *")
    for arguments in ((0, 1, ffi.NULL, value), (0, 1, value, ffi.NULL), (4, 1, value, value), (-1, 1, value, value)):
        function, count, x, y = arguments
        status = lib.gw_evaluate(ffi.cast("gw_function", function), lib.GW_MODE_EXACT, ffi.NULL, count, x, y, error)
        assert (status, error.reason) == (lib.GW_INVALID_INPUT, lib.GW_REASON_ARGUMENT)
    assert lib.gw_evaluate(0, lib.GW_MODE_EXACT, ffi.NULL, 0, ffi.NULL, ffi.NULL, error) == lib.GW_OK
    assert lib.gw_function_name(ffi.cast("gw_function", 4)) == ffi.NULL
    assert ffi.string(error.message) == b""


@pytest.mark.skipif(not MISSING, reason="this processor runs every kernel path of the build")
def test_a_path_that_this_processor_cannot_run() -> None:
    for path in MISSING:
        with pytest.raises(RefusalError, match=f'"{path.name}" needs {path.needs}, which this') as refusal:
            evaluate("tanh", np.zeros(1, np.float32), path.name)
        assert (refusal.value.kind, refusal.value.reason) == ("unsupported", "kernel-path")
