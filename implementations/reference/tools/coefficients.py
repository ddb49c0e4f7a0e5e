"""Prints kernels/coefficients.h: the minimax polynomials of the transcendental functions.

Each polynomial comes from Remez' exchange algorithm, at 128 bits; each coefficient is then rounded to float64. That
the rounded ones are good enough is not shown here but by the proof over all inputs (``prove.c``).

Run: ``python coefficients.py > ../kernels/coefficients.h``; a test holds the two together.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from mpmath import mp, mpf

mp.prec = 128

Function = Callable[[mpf], mpf]


@dataclass(frozen=True)
class Polynomial:
    """A polynomial to derive.

    Attributes:
        name: the array's name in the header.
        meaning: what the polynomial stands for, for the header's comment.
        target: the function that it approximates.
        weight: what the error is multiplied with before it is minimised.
        least: the lower end of the interval.
        greatest: the upper end of the interval.
        degree: the polynomial's degree.
        single: whether the coefficients are float32 rather than float64.
    """

    name: str
    meaning: str
    target: Function
    weight: Function
    least: mpf
    greatest: mpf
    degree: int
    single: bool = False


def _expm1_rest(r: mpf) -> mpf:
    """(e^r - 1 - r) / r^2, by its series: exact enough for |r| < 1/2 and without a hole at 0."""
    return mp.fsum(r**n / mp.factorial(n + 2) for n in range(26))


def _log_rest(w: mpf) -> mpf:
    """(2 artanh(t) - 2 t) / t^3 for w = t^2, by its series."""
    return mp.fsum(2 * w**n / (2 * n + 3) for n in range(26))


HALF_LN2 = mp.log(2) / 2
"""The reduced argument of the exponential."""
LARGEST_W = (3 - 2 * mp.sqrt(2)) ** 2
"""t^2 at the ends of the reduced argument of the logarithm: t = f / (2 + f), f from sqrt(1/2) - 1 to sqrt(2) - 1."""
MARGIN = mpf("1.0001")
"""Both intervals are a little wider than the real ones, for the rounding of the reduction itself."""

POLYNOMIALS = (
    Polynomial(
        name="EXPM1",
        meaning="(e^r - 1 - r) / r^2 for |r| <= ln(2) / 2, the error relative to e^r - 1",
        target=_expm1_rest,
        weight=lambda r: abs(r) / (1 + r * _expm1_rest(r)),
        least=-HALF_LN2 * MARGIN,
        greatest=HALF_LN2 * MARGIN,
        degree=9,
    ),
    Polynomial(
        name="LOG",
        meaning="(2 artanh(t) - 2 t) / t^3 in w = t^2 <= (3 - 2 sqrt(2))^2, the error relative to 2 artanh(t)",
        target=_log_rest,
        weight=lambda w: w / (2 + w * _log_rest(w)),
        least=mpf(0),
        greatest=LARGEST_W * MARGIN,
        degree=7,
    ),
    Polynomial(
        name="FAST_EXPM1",
        meaning="(e^r - 1 - r) / r^2 as EXPM1, for the fast functions",
        target=_expm1_rest,
        weight=lambda r: abs(r) / (1 + r * _expm1_rest(r)),
        least=-HALF_LN2 * MARGIN,
        greatest=HALF_LN2 * MARGIN,
        degree=4,
        single=True,
    ),
)


def evaluate(coefficients: Sequence[mpf], x: mpf) -> mpf:
    """The polynomial at x, lowest power first in ``coefficients``."""
    total = mpf(0)
    for coefficient in reversed(coefficients):
        total = total * x + coefficient
    return total


def remez(polynomial: Polynomial) -> list[mpf]:
    """The coefficients, lowest power first, whose weighted error has the least maximum on the interval."""
    count = polynomial.degree + 2
    middle, half = (polynomial.least + polynomial.greatest) / 2, (polynomial.greatest - polynomial.least) / 2
    # Chebyshev's nodes, moved a little: a weight vanishes at 0, which must not be a node.
    points = [middle - half * mp.cos(mp.pi * (i + mpf("0.51")) / count) for i in range(count)]
    coefficients: list[mpf] = []
    for _ in range(6):
        coefficients = _interpolate(polynomial, points)
        points = _extrema(polynomial, coefficients, count)
    return coefficients


def _interpolate(polynomial: Polynomial, points: Sequence[mpf]) -> list[mpf]:
    """The polynomial whose weighted error is +-E at the points in turn, for the one E that exists."""
    rows = [
        [x**power for power in range(polynomial.degree + 1)] + [(-1) ** i / polynomial.weight(x)]
        for i, x in enumerate(points)
    ]
    solution = mp.lu_solve(mp.matrix(rows), mp.matrix([polynomial.target(x) for x in points]))
    return list(solution)[:-1]


def weighted_error(polynomial: Polynomial, coefficients: Sequence[mpf], x: mpf) -> mpf:
    """The error at x times the weight there."""
    return (evaluate(coefficients, x) - polynomial.target(x)) * polynomial.weight(x)


def _extrema(polynomial: Polynomial, coefficients: Sequence[mpf], count: int) -> list[mpf]:
    """Where the weighted error is largest, between each two of its changes of sign."""
    steps = 20 * count
    width = polynomial.greatest - polynomial.least
    grid = [polynomial.least, *(polynomial.least + width * (i + mpf("0.49")) / steps for i in range(steps))]
    grid.append(polynomial.greatest)
    errors = [weighted_error(polynomial, coefficients, x) for x in grid]
    groups: list[list[int]] = []
    for i, error in enumerate(errors):
        if groups and (error > 0) == (errors[groups[-1][0]] > 0):
            groups[-1].append(i)
        else:
            groups.append([i])
    if len(groups) != count:
        raise ArithmeticError(f"{polynomial.name}: the error alternates {len(groups)} times; {count} are needed")
    peaks = [max(group, key=lambda i: abs(errors[i])) for group in groups]
    return [_peak(polynomial, coefficients, grid[max(i - 1, 0)], grid[min(i + 1, steps + 1)]) for i in peaks]


def _peak(polynomial: Polynomial, coefficients: Sequence[mpf], left: mpf, right: mpf) -> mpf:
    """Where the weighted error is largest between two points with one peak in between, by ternary search."""
    for _ in range(80):
        first, second = left + (right - left) / 3, right - (right - left) / 3
        errors = [abs(weighted_error(polynomial, coefficients, point)) for point in (first, second)]
        if errors[0] < errors[1]:
            left = first
        else:
            right = second
    return (left + right) / 2


def rounded(polynomial: Polynomial) -> list[float]:
    """The coefficients as float64, or as float32 where the polynomial is ``single``."""
    coefficients = [float(coefficient) for coefficient in remez(polynomial)]
    return [float(np.float32(value)) if polynomial.single else value for value in coefficients]


def log2_of_error(polynomial: Polynomial, coefficients: Sequence[float]) -> float:
    """log2 of the largest weighted error that the rounded coefficients have, on a fine grid."""
    width = polynomial.greatest - polynomial.least
    exact = [mpf(coefficient) for coefficient in coefficients]
    grid = (polynomial.least + width * (i + mpf(1) / 3) / 500 for i in range(500))
    return float(mp.log(max(abs(weighted_error(polynomial, exact, x)) for x in grid), 2))


def split(value: mpf, bits: int) -> tuple[float, float]:
    """``value`` as the sum of a float64 of ``bits`` bits and the float64 nearest to the rest."""
    scale = mpf(2) ** (bits - 1 - int(mp.floor(mp.log(value, 2))))
    high = mp.nint(value * scale) / scale
    return float(high), float(value - high)


def header() -> str:
    """The text of kernels/coefficients.h."""
    lines = [
        "/* Constants of the transcendental functions. Written by tools/coefficients.py, which says where they come",
        " * from: change them there. */",
        "#ifndef GW_COEFFICIENTS_H",
        "#define GW_COEFFICIENTS_H",
    ]
    high, low = split(mp.log(2), 42)
    fast_high, fast_low = split(mp.log(2), 15)
    constants = {
        "LOG2_E": (float(1 / mp.log(2)), "1 / ln(2)"),
        "LN2_HIGH": (high, "ln(2) to 42 bits: times an integer of 11 bits it is exact"),
        "LN2_LOW": (low, "the rest of ln(2)"),
        "SQRT2_LESS_1": (float(mp.sqrt(2) - 1), "sqrt(2) - 1"),
        "FAST_LN2_HIGH": (fast_high, "ln(2) to 15 bits: times an integer of 9 bits it is an exact float32"),
        "FAST_LN2_LOW": (float(np.float32(fast_low)), "the rest of ln(2), as a float32"),
    }
    for name, (value, meaning) in constants.items():
        lines += ["", f"/* {meaning} */", f"#define GW_{name} {value.hex()}{'f' if name.startswith('FAST') else ''}"]
    for polynomial in POLYNOMIALS:
        values = rounded(polynomial)
        lines += [
            "",
            f"/* {polynomial.meaning},",
            f" * which is at most 2^{log2_of_error(polynomial, values):.1f}; lowest power first. */",
        ]
        suffix = "f" if polynomial.single else ""
        lines += [f"#define GW_{polynomial.name}_{power} {value.hex()}{suffix}" for power, value in enumerate(values)]
    return "\n".join([*lines, "", "#endif", ""])


if __name__ == "__main__":
    sys.stdout.write(header())
