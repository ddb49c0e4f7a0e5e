"""The diagnosis of a wrong result: the readings that give all of it, or what of it is wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gatewise.comparison import steps_of
from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import Layer, outputs_from_layout, read_layer
from gatewise_oracle.ball import Ball, inside
from gatewise_oracle.decisions import DECISIONS
from gatewise_oracle.explanation import explain
from gatewise_oracle.misreadings import MISREADINGS
from gatewise_oracle.readings import Reading, admissible, outside, readings_for
from gatewise_oracle.tolerance import DEFAULT, Tolerance

READINGS = (*DECISIONS, *MISREADINGS)
"""What a result is explained by: other readings of open points before misreadings."""
_LISTED = 4
"""Rows or units that are listed one by one."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Diagnosis:
    """What is known of a wrong result.

    Attributes:
        readings: those under which every output is admissible; none where no one or two do.
        affects: which part of the output is wrong, in words.
    """

    readings: tuple[Reading, ...]
    affects: str

    @property
    def decisions(self) -> tuple[str, ...]:
        """The open points on which the result rests where nothing else explains it, else none."""
        ids = tuple(dict.fromkeys(reading.decision for reading in self.readings))
        return ids if all(ids) else ()


def diagnose(
    case: Case,
    outputs: Mapping[str, Array],
    tolerance: Tolerance = DEFAULT,
    suspects: Sequence[tuple[Reading, ...]] = (),
    readings: Sequence[Reading] = READINGS,
) -> Diagnosis:
    """The diagnosis of outputs of the right shapes, in the case's layout, of which some value is not admissible.

    The ``suspects`` are tried first, then the ``readings``.

    Raises:
        RefusedError: if the case is not valid.
    """
    layer = read_layer(case)
    given = outputs_from_layout(outputs, layer.attributes.layout)
    balls = admissible(case, outputs, tolerance)
    return Diagnosis(explain(case, outputs, readings, tolerance, suspects) or (), affected(layer, given, balls))


def diagnose_acceptance(case: Case, reason: str, outputs: Mapping[str, Array]) -> Reading | None:
    """The misreading that explains why a case which must be refused for ``reason`` ran, if one gives the outputs."""
    if not outputs:
        return None
    forgiving = (reading for reading in MISREADINGS if reason in reading.accepts)
    return next((reading for reading in forgiving if not outside(case, outputs, readings=(reading,))), None)


def diagnose_form(case: Case, outputs: Mapping[str, Array], tolerance: Tolerance = DEFAULT) -> Reading | None:
    """The reading that gives outputs of these shapes, which are not those of the case, and their values.

    Raises:
        RefusedError: if the case is not valid.
    """
    if not outputs or set(outputs) != set(case.outputs):
        return None
    candidates = (reading for reading in readings_for(case, READINGS) if reading.shows_states)
    return next((reading for reading in candidates if not outside(case, outputs, tolerance, (reading,))), None)


def affected(layer: Layer, outputs: Mapping[str, Array], balls: Mapping[str, Ball]) -> str:
    """Which part of the outputs (layout 0) lies outside, in words."""
    masks = {name: ~inside(balls[name], array) for name, array in outputs.items()}
    wrong = {name: mask for name, mask in masks.items() if mask.any()}
    if not wrong:
        return ""
    parts = [] if len(wrong) == len(masks) else [f"only {' and '.join(wrong)}"]
    parts += _directions(layer, wrong) + _rows(layer, wrong) + _steps(layer, wrong) + _units(layer, wrong)
    count, total = (sum(int(mask.sum()) for mask in group.values()) for group in (wrong, _sizes(masks)))
    return "; ".join([f"{count} of {total} values", *parts])


def _sizes(masks: Mapping[str, Mask]) -> dict[str, Mask]:
    return {name: np.ones_like(mask) for name, mask in masks.items()}


def _along(masks: Mapping[str, Mask], axis: int) -> Mask:
    """Whether anything is wrong at each index of an axis that all outputs have, counted from the end."""
    found = [mask.any(axis=tuple(i for i in range(mask.ndim) if i - mask.ndim != axis)) for mask in masks.values()]
    result: Mask = np.logical_or.reduce(found)
    return result


def _directions(layer: Layer, wrong: Mapping[str, Mask]) -> list[str]:
    names = [name for name, hit in zip(layer.directions, _along(wrong, -3), strict=True) if hit]
    return [] if len(names) == len(layer.directions) else [f"only direction {names[0]}"]


def _rows(layer: Layer, wrong: Mapping[str, Mask]) -> list[str]:
    hit = _along(wrong, -2)
    kinds = {
        "only rows of length 0": layer.lengths == 0,
        "only rows that end early": (layer.lengths < layer.seq) & (layer.lengths > 0),
        "only rows with length < seq": layer.lengths < layer.seq,
        "only rows of full length": layer.lengths == layer.seq,
    }
    if hit.all():
        return []
    named = next((words for words, mask in kinds.items() if np.array_equal(mask, hit)), "")
    return [named or f"only {_indices('row', hit)}"]


def _steps(layer: Layer, wrong: Mapping[str, Mask]) -> list[str]:
    if "Y" not in wrong:
        return []
    t, direction, row, _ = np.nonzero(wrong["Y"])
    past = t >= layer.lengths[row]
    if past.all():
        return ["only past the rows' lengths"]
    steps = steps_of(layer, t, direction, row)[~past]
    first, last = int(steps.min()), int(steps.max())
    told = f"only step {first}" if first == last and layer.seq > 1 else f"from step {first} on"
    return [f"{told}, and past the rows' lengths" if past.any() else told]


def _units(layer: Layer, wrong: Mapping[str, Mask]) -> list[str]:
    hit = _along(wrong, -1)
    return [] if hit.all() or layer.hidden == 1 else [f"only {_indices('unit', hit)}"]


def _indices(word: str, hit: Mask) -> str:
    """Indices as "row 2", "rows from 3 on" or "rows 0, 2, 5"."""
    found: Sequence[int] = np.flatnonzero(hit).tolist()
    if len(found) == 1:
        return f"{word} {found[0]}"
    if found == list(range(found[0], len(hit))):
        return f"{word}s from {found[0]} on"
    if len(found) > _LISTED:
        return f"{len(found)} of {len(hit)} {word}s"
    return f"{word}s {', '.join(map(str, found))}"
