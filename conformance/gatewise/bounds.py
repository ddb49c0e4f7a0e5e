"""How narrow the bounds are: against the values, against real implementations, against an error in one weight."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gatewise.mutant import outputs_under
from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import output_from_layout, read_layer
from gatewise_corpus.operators import OPERATORS
from gatewise_corpus.outcome import Outcome, Ran
from gatewise_corpus.recipes.recipe import Sizes, draw
from gatewise_oracle.ball import Ball, Floats, distance
from gatewise_oracle.readings import admissible, fits

Run = Callable[[Case], Outcome]
SIZES = (4, 16, 64, 256)
"""Input and hidden sizes at which the sensitivity is measured."""
_STEPS, _ROWS = 6, 3
_WEIGHTS = 8
"""Weights of each tensor that are changed, one at a time."""
FINEST, COARSEST = -24, 2
"""Exponents of 2 between which the smallest relative error is searched."""


@dataclass(frozen=True, eq=False)
class Widths:
    """The bounds of one case around its right outputs.

    Attributes:
        relative: the radius of each constrained element that is not exact, in units of the largest magnitude of its
            output.
        exact: number of elements that only one value satisfies.
        free: number of elements that are not constrained.
    """

    relative: Floats
    exact: int
    free: int


def widths(case: Case) -> Widths:
    """The widths of a valid case's bounds, each step following the model's own outputs.

    Raises:
        RefusedError: if the case is not valid.
    """
    case = case.replace(outputs=read_layer(case).operator.output_names)
    balls = admissible(case, outputs_under(case)).values()
    radii = np.concatenate([(ball.radius / _scale(ball)).ravel() for ball in balls])
    return Widths(radii[(radii > 0) & np.isfinite(radii)], int((radii == 0).sum()), int(np.isinf(radii).sum()))


def _scale(ball: Ball) -> float:
    """The largest magnitude of an output's finite values; 1 where there is none."""
    centers = np.abs(ball.center[np.isfinite(ball.center) & ~ball.free])
    return float(centers.max(initial=0.0)) or 1.0


def distances(case: Case, outputs: Mapping[str, Array]) -> Floats:
    """How far each output value lies from the middle of its bound, in radii; only where the bound has a width.

    Raises:
        RefusedError: if the case is not valid.
    """
    layout = read_layer(case).attributes.layout
    balls = admissible(case, outputs)
    found = []
    for name, array in outputs.items():
        ball = balls[name]
        has_width = (ball.radius > 0) & ~ball.free
        found.append(distance(ball, output_from_layout(name, array, layout))[has_width])
    return np.concatenate(found) if found else np.empty(0)


def distances_of(run: Run, cases: Sequence[Case]) -> Iterator[Floats]:
    """``distances`` of what an implementation makes of each case, Y being requested; of those that it runs."""
    for case in cases:
        asked = case.replace(outputs=read_layer(case).operator.output_names)
        outcome = run(asked)
        if isinstance(outcome, Ran):
            yield distances(asked, outcome.outputs)


@dataclass(frozen=True)
class Sensitivity:
    """The smallest relative error in one weight that is noticed, as exponents of 2, over several weights.

    COARSEST stands for errors that are greater, or that no size of it makes noticed.
    """

    operator: str
    tensor: str
    size: int
    median: float
    worst: float


def sensitivities(sizes: Sequence[int] = SIZES, weights: int = _WEIGHTS) -> Iterator[Sensitivity]:
    """The sensitivity to W and R of each operator at each input and hidden size."""
    for operator in OPERATORS:
        for size in sizes:
            name = f"sensitivity/{operator}-{size}"
            case = draw(name, operator, Sizes(_STEPS, _ROWS, size, size))
            rng = np.random.default_rng(size)
            for tensor in ("W", "R"):
                places = [
                    tuple(int(rng.integers(extent)) for extent in case.inputs[tensor].shape) for _ in range(weights)
                ]
                found = [_smallest_noticed(case, tensor, place) for place in places]
                yield Sensitivity(operator, tensor, size, float(np.median(found)), float(max(found)))


def _smallest_noticed(case: Case, tensor: str, place: tuple[int, ...]) -> float:
    """The exponent of the smallest relative error of one weight that is outside, to an eighth of a power of 2."""
    low, high = float(FINEST), float(COARSEST)
    if not _is_noticed(case, tensor, place, 2.0**high):
        return high
    while high - low > 1 / 8:
        middle = (low + high) / 2
        if _is_noticed(case, tensor, place, 2.0**middle):
            high = middle
        else:
            low = middle
    return high


def _is_noticed(case: Case, tensor: str, place: tuple[int, ...], error: float) -> bool:
    array = case.inputs[tensor].copy()
    array[place] *= np.float32(1 + error)
    return not fits(case, outputs_under(case.with_inputs(**{tensor: array})))
