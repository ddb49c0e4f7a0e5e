"""Vector remainders, loop bounds, blocks: what goes wrong from some size on."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import Layer
from gatewise_oracle.ball import Ball
from gatewise_oracle.misreadings import when
from gatewise_oracle.misreadings.changes import changed, zeros_where
from gatewise_oracle.readings import Balls, Reading
from gatewise_oracle.semantics import Steps

WIDTHS = {4: "SSE and NEON", 8: "AVX", 16: "AVX-512"}
STEP_LIMITS = (32, 64, 128)
_BLOCK = 16
"""Terms of a dot product that are summed before they are stored."""


def _tail(size: int, width: int) -> Array:
    """[size]: whether an index lies past the last whole vector."""
    tail: Array = np.arange(size) >= size // width * width
    return tail


def _without_tail(tensor: Array, width: int) -> Array:
    return np.where(_tail(tensor.shape[-1], width), 0, tensor).astype(tensor.dtype)


def _unit_tails(width: int) -> Reading:
    def previous(layer: Layer, states: Ball, _: Steps) -> Ball:
        return zeros_where(_tail(layer.hidden, width), states)

    def outputs(layer: Layer, balls: Balls) -> Balls:
        return {name: zeros_where(_tail(layer.hidden, width), ball) for name, ball in balls.items()}

    return Reading(
        f"unit-tail-of-{width}",
        f"units past the last whole vector of {width} stay 0",
        applies=lambda case, layer: bool(layer.hidden % width) and when.runs(case, layer),
        source=f"a loop over whole vectors of {width} ({WIDTHS[width]}) without its remainder",
        semantics={"previous": previous},
        outputs=outputs,
    )


def _dot_tails(width: int) -> Iterator[Reading]:
    yield Reading(
        f"input-tail-of-{width}",
        f"inputs past the last whole vector of {width} are left out of the products with W",
        applies=lambda case, layer: bool(layer.input % width) and when.runs(case, layer),
        source=f"a loop over whole vectors of {width} ({WIDTHS[width]}) without its remainder",
        layer=lambda layer: changed(layer, lambda W: _without_tail(W, width), "W"),
    )
    yield Reading(
        f"state-tail-of-{width}",
        f"units past the last whole vector of {width} are left out of the products with R",
        applies=lambda case, layer: bool(layer.hidden % width) and when.sees_state(case, layer),
        source=f"a loop over whole vectors of {width} ({WIDTHS[width]}) without its remainder",
        layer=lambda layer: changed(layer, lambda R: _without_tail(R, width), "R"),
    )


def _row_tails(width: int) -> Reading:
    def outputs(layer: Layer, balls: Balls) -> Balls:
        tail = _tail(layer.batch, width)[:, np.newaxis]
        return {name: zeros_where(tail, ball) for name, ball in balls.items()}

    return Reading(
        f"row-tail-of-{width}",
        f"rows past the last whole block of {width} stay 0",
        applies=lambda case, layer: bool(layer.batch % width) and layer.batch > width and when.runs(case, layer),
        source=f"a batch cut into blocks of {width} rows without its remainder",
        outputs=outputs,
    )


def _few_rows(width: int) -> Reading:
    def first_rows(layer: Layer) -> Layer:
        rows = np.arange(layer.batch) % width
        return replace(layer, X=layer.X[:, rows])

    return Reading(
        f"rows-wrap-at-{width}",
        f"row {width} and those after it take X from the first rows again",
        applies=lambda case, layer: layer.batch > width and when.runs(case, layer),
        source="a row index kept in too few bits, or a buffer of a fixed number of rows",
        layer=first_rows,
    )


def _step_limits(limit: int) -> Iterator[Reading]:
    def at_most(layer: Layer, _: int) -> Steps:
        return np.minimum(layer.lengths, limit)

    def restarted(_: Layer, states: Ball, steps: Steps) -> Ball:
        edge = (steps > 0) & (steps % limit == 0)
        return zeros_where(edge[:, np.newaxis, np.newaxis], states)

    yield Reading(
        f"ends-after-{limit}-steps",
        f"no row runs more than {limit} steps",
        applies=lambda _, layer: bool((layer.lengths > limit).any()),
        source="an unrolled loop, or a buffer of a fixed number of steps",
        semantics={"lengths": at_most},
    )
    yield Reading(
        f"restarts-every-{limit}-steps",
        f"the state is zero again at every step that is a multiple of {limit}",
        applies=lambda _, layer: bool((layer.lengths > limit).any()),
        source="a sequence cut into blocks whose edges do not pass the state on",
        semantics={"previous": restarted},
    )


def _last_block(tensor: Array) -> Array:
    """Only the last block of terms counts, because each block overwrites the one before."""
    size = tensor.shape[-1]
    start = max(0, (size - 1) // _BLOCK * _BLOCK)
    return np.where(np.arange(size) < start, 0, tensor).astype(tensor.dtype)


def _first_row(layer: Layer) -> Layer:
    return replace(layer, X=np.broadcast_to(layer.X[:, :1], layer.X.shape))


def _is_single_step(case: Case, layer: Layer) -> bool:
    return layer.seq == 1 and when.has_state(case, layer)


def _stateless(layer: Layer) -> Layer:
    return changed(layer, np.zeros_like, "initial_h", "initial_c")


SIZES = (
    *(_unit_tails(width) for width in WIDTHS),
    *(reading for width in WIDTHS for reading in _dot_tails(width)),
    *(_row_tails(width) for width in WIDTHS),
    *(_few_rows(width) for width in WIDTHS),
    *(reading for limit in STEP_LIMITS for reading in _step_limits(limit)),
    Reading(
        "x-of-first-row",
        "all rows take X from the first",
        applies=lambda case, layer: layer.batch > 1 and when.runs(case, layer),
        source="a batch axis that the layer does not have (ncnn#3665, tract#286)",
        layer=_first_row,
    ),
    Reading(
        "input-blocks-overwrite",
        f"of a dot product over the inputs only the last block of {_BLOCK} terms counts",
        applies=lambda case, layer: layer.input > _BLOCK and when.runs(case, layer),
        source="blocks of a matrix product stored rather than added",
        layer=lambda layer: changed(layer, _last_block, "W"),
    ),
    Reading(
        "state-blocks-overwrite",
        f"of a dot product over the state only the last block of {_BLOCK} terms counts",
        applies=lambda case, layer: layer.hidden > _BLOCK and when.sees_state(case, layer),
        source="blocks of a matrix product stored rather than added",
        layer=lambda layer: changed(layer, _last_block, "R"),
    ),
    Reading(
        "single-step-without-state",
        "a layer of one step starts from zeros whatever is given",
        applies=_is_single_step,
        source="a fast path for one step",
        layer=_stateless,
    ),
)
"""Misreadings that need a size to show."""
