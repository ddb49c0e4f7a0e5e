"""The most that one core can do, measured."""

from gatewise.bench.timing import shortest
from gatewise_implementations.reference_library import saturate

STEPS = 100_000
"""About a millisecond."""
_SECONDS = 0.2


def measure_peak(kernel_path: str, mode: str) -> float:
    """GFLOP/s of one core: multiplications and additions on the vectors of a kernel path, fused in fast mode."""
    nanoseconds, _ = shortest(lambda: saturate(STEPS, kernel_path, mode), _SECONDS)
    return saturate(STEPS, kernel_path, mode) / nanoseconds
