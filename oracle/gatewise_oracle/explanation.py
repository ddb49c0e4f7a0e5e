"""Which readings explain a wrong output: the fewest under which all of it is admissible."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, islice, product

import numpy as np

from gatewise_corpus.case import Array, Case
from gatewise_oracle.ball import Ball
from gatewise_oracle.readings import Reading, admissible, outside, readings_for, telling_values
from gatewise_oracle.tolerance import DEFAULT, Tolerance

SCREENED_STEPS = 4
"""A reading that fails within so many steps is not looked at any further, so that long sequences cost no more."""
TELLING = 0.01
"""A bound says something where no radius exceeds this part of the largest value of its output."""
_LEADING = 4
"""Readings that are tried with every other: those that explain most of the output."""
_PAIRS = 150
"""Pairs that are tried at most."""


def explain(
    case: Case,
    outputs: Mapping[str, Array],
    readings: Sequence[Reading],
    tolerance: Tolerance = DEFAULT,
    suspects: Sequence[tuple[Reading, ...]] = (),
) -> tuple[Reading, ...] | None:
    """The fewest readings under which every output is admissible, two at most.

    The ``suspects`` come first: what explained other outputs of the same implementation. Then come single readings,
    in their order. Then come pairs, but not all of the tens of thousands: those of
    readings which each explain a part of the output, and the foremost of these with all the rest.

    Returns:
        Nothing () where the outputs are right, and None where no such readings explain them.

    Raises:
        RefusedError: if the case is not valid.
    """
    search = _Search(case, outputs, tolerance)
    candidates = [reading for reading in readings_for(case, readings) if search.may_explain(reading)]
    known = [each for each in suspects if readings_for(case, each) == list(each)]
    known = [each for each in known if all(map(search.may_explain, each))]
    # What one of several known readings explains alone is not explained by all of them.
    alone = dict.fromkeys((reading,) for each in known if len(each) > 1 for reading in each)
    for chosen in [(), *alone, *known, *((reading,) for reading in candidates)]:
        if search.explains(chosen):
            return chosen
    return next((pair for pair in search.pairs(candidates) if search.explains(pair)), None)


class _Search:
    """One output that readings are held against."""

    def __init__(self, case: Case, outputs: Mapping[str, Array], tolerance: Tolerance) -> None:
        self._case = case
        self._outputs = outputs
        self._tolerance = tolerance
        self._telling = telling_values(case, outputs, tolerance)
        self._has_wrong_numbers = any(mask.any() for mask in self._telling.values())

    def may_explain(self, reading: Reading) -> bool:
        """Whether the reading changes what is wrong here: fewer bits do not make infinities and NaN."""
        return self._has_wrong_numbers or not reading.narrows

    def explains(self, readings: Sequence[Reading]) -> bool:
        """Whether every value is admissible under the readings, by a bound that says something where it matters."""
        follows = "Y" in self._outputs and all(reading.shows_states for reading in readings)
        if follows and self._outside(readings, SCREENED_STEPS):
            return False
        found = outside(self._case, self._outputs, self._tolerance, readings, telling=self._telling)
        return found == 0 and (follows or self._tells(readings))

    def pairs(self, candidates: Sequence[Reading]) -> Iterator[tuple[Reading, Reading]]:
        """The pairs to try, the likeliest first."""
        steps = SCREENED_STEPS if self._outside((), SCREENED_STEPS) else None
        without = self._outside((), steps)
        left = {reading: self._outside((reading,), steps) for reading in candidates}
        helpful = sorted((reading for reading in candidates if left[reading] < without), key=lambda each: left[each])
        pairs = sorted(combinations(helpful, 2), key=lambda pair: left[pair[0]] + left[pair[1]])
        pairs.sort(key=lambda pair: not (pair[0].decision and pair[1].decision))
        others = sorted(
            (reading for reading in candidates if reading not in helpful), key=lambda each: not each.decision
        )
        yield from islice(chain(pairs[: _PAIRS // 2], product(helpful[:_LEADING], others)), _PAIRS)

    def _outside(self, readings: Sequence[Reading], steps: int | None) -> int:
        return outside(self._case, self._outputs, self._tolerance, readings, steps)

    def _tells(self, readings: Sequence[Reading]) -> bool:
        """Whether the bound from end to end, which grows along the sequence, excludes anything."""
        balls = admissible(self._case, self._outputs, self._tolerance, readings)
        return all(tells(balls[name]) for name in self._outputs)


def tells(ball: Ball) -> bool:
    """Whether a bound is narrow against the values of its output."""
    if not ball.center.size:
        return True
    centers = np.abs(ball.center[np.isfinite(ball.center)])
    return bool(ball.radius.max() <= TELLING * centers.max(initial=0.0))
