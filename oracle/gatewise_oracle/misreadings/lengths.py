"""sequence_lens: how many steps a row runs, where a reverse row starts, what stands behind its end."""

from collections.abc import Callable

import numpy as np

from gatewise_corpus.case import Array, Case
from gatewise_corpus.layer import Layer
from gatewise_oracle.ball import Ball
from gatewise_oracle.misreadings import when
from gatewise_oracle.misreadings.changes import changed, mapped, nan_where, with_zero_padding
from gatewise_oracle.readings import Balls, Reading
from gatewise_oracle.semantics import Steps, in_time, processing_order


def _lengths(change: Callable[[Layer], Array]) -> Callable[[Layer], Layer]:
    return lambda layer: changed(layer, lambda _: change(layer), "lengths")


def _has_lengths(_: Case, layer: Layer) -> bool:
    return layer.has_lengths and bool(layer.lengths.any())


def _lengths_differ(case: Case, layer: Layer) -> bool:
    return _has_lengths(case, layer) and len(set(layer.lengths.tolist())) > 1


def _reverse_ends_early(case: Case, layer: Layer) -> bool:
    return "reverse" in layer.directions and when.has_padding(case, layer)


def _poisoned(_: Case, layer: Layer) -> bool:
    return bool(_poisoned_steps(layer).any() or _poisoned_rows(layer).any())


def _all_steps_in_reverse(layer: Layer, index: int) -> Steps:
    return np.full_like(layer.lengths, layer.seq) if layer.directions[index] == "reverse" else layer.lengths


def _from_the_end(layer: Layer, index: int) -> Steps:
    forward = in_time(layer)
    return forward if layer.directions[index] == "forward" else layer.seq - 1 - forward


def _all_steps(layer: Layer, _: int) -> Steps:
    return np.full_like(layer.lengths, layer.seq)


def _row_order(layer: Layer) -> Array:
    """Rows by length, the longest first."""
    return np.argsort(-layer.lengths, kind="stable")


def _sorted_rows(layer: Layer, balls: Balls) -> Balls:
    rows = _row_order(layer)
    return {name: mapped(ball, lambda array: array[..., rows, :]) for name, ball in balls.items()}


def _unsorted_rows(layer: Layer, Y: Array) -> Array:
    return Y[:, :, np.argsort(_row_order(layer))]


def _is_out_of_order(case: Case, layer: Layer) -> bool:
    return _has_lengths(case, layer) and bool((np.diff(layer.lengths) > 0).any())


def _poisoned_steps(layer: Layer) -> Array:
    """[T, N]: steps past the length of their row whose X is not finite."""
    past = np.arange(layer.seq)[:, np.newaxis] >= layer.lengths
    poisoned: Array = past & ~np.isfinite(layer.X).all(axis=2)
    return poisoned


def _poisoned_rows(layer: Layer) -> Array:
    """[D, N]: empty rows whose initial state is not finite."""
    poisoned: Array = (layer.lengths == 0) & ~np.isfinite(layer.initial_h).all(axis=2)
    return poisoned


def _masked_by_products(layer: Layer, balls: Balls) -> Balls:
    """NaN at and after poisoned steps in forward; over the whole row in reverse, which runs over them first."""
    steps, rows = _poisoned_steps(layer), _poisoned_rows(layer)
    after = np.maximum.accumulate(steps, axis=0)
    is_reverse = np.array([name == "reverse" for name in layer.directions])[:, np.newaxis]
    states = np.where(is_reverse, steps.any(axis=0), after[:, np.newaxis]) | rows
    final = np.where(is_reverse, steps.any(axis=0), after[-1]) | rows if layer.seq else rows
    return {
        name: nan_where((states if name == "Y" else final)[..., np.newaxis], ball) for name, ball in balls.items()
    }


def _final_before_last(layer: Layer, balls: Balls) -> Balls:
    rows = np.arange(layer.batch)
    before = np.maximum(layer.lengths - 2, 0)
    short = (layer.lengths < layer.seq) & (layer.lengths > 0)

    def early(array: Array, final: Array) -> Array:
        times = [processing_order(layer, index)[before, rows] for index in range(len(layer.directions))]
        picked = np.stack([array[t, index, rows] for index, t in enumerate(times)])
        return np.where(short[:, np.newaxis], picked, final)

    Y, Y_h = balls["Y"], balls["Y_h"]
    return {
        **balls,
        "Y_h": Ball(early(Y.center, Y_h.center), early(Y.radius, Y_h.radius), Y.finite and Y_h.finite),
    }


LENGTHS = (
    Reading(
        "lengths-ignored",
        "sequence_lens is not read: every row runs all steps",
        applies=when.has_padding,
        source="onnx's ReferenceEvaluator; OpenVINO 2026.4.1 with dynamic shapes; IREE",
        case=lambda case: case.with_inputs(sequence_lens=None),
    ),
    Reading(
        "lengths-one-less",
        "a row runs one step fewer than its length",
        applies=_has_lengths,
        source="a length taken for the index of the last step",
        layer=_lengths(lambda layer: np.maximum(layer.lengths - 1, 0)),
    ),
    Reading(
        "lengths-one-more",
        "a row runs one step more than its length",
        applies=when.has_padding,
        source="an inclusive upper bound",
        layer=_lengths(lambda layer: np.minimum(layer.lengths + 1, layer.seq)),
    ),
    Reading(
        "lengths-of-first-row",
        "the first row's length holds for all",
        applies=_lengths_differ,
        source="a tensor read as a scalar",
        layer=_lengths(lambda layer: np.full_like(layer.lengths, layer.lengths[0])),
    ),
    Reading(
        "lengths-of-longest-row",
        "the longest row's length holds for all",
        applies=_lengths_differ,
        source="a loop bound without a mask for each row",
        layer=_lengths(lambda layer: np.full_like(layer.lengths, layer.lengths.max())),
    ),
    Reading(
        "lengths-of-shortest-row",
        "the shortest row's length holds for all",
        applies=_lengths_differ,
        source="the loop ends with the first row that ends",
        layer=_lengths(lambda layer: np.full_like(layer.lengths, layer.lengths.min())),
    ),
    Reading(
        "reverse-starts-in-padding",
        "a reverse row starts at the last step of the axis and runs through its padding; Y is zero there",
        applies=_reverse_ends_early,
        source="the axis flipped instead of each row's valid part (openvino#2788, onnx-tensorflow#342)",
        semantics={"order": _from_the_end, "lengths": _all_steps_in_reverse},
        outputs=with_zero_padding,
        shows_states=False,
    ),
    Reading(
        "lengths-forward-only",
        "the reverse direction ignores sequence_lens",
        applies=_reverse_ends_early,
        source="a second direction added to a kernel that had one",
        semantics={"order": _from_the_end, "lengths": _all_steps_in_reverse},
    ),
    Reading(
        "reverse-counts-from-the-end",
        "a reverse row runs as many steps as its length, from the last step of the axis on",
        applies=_reverse_ends_early,
        source="the whole axis flipped, then read with the row's length (ngraph#3176)",
        semantics={"order": _from_the_end},
    ),
    Reading(
        "padding-is-computed",
        "Y past the length of a row goes on with further steps; the final states are right",
        applies=when.has_padding,
        source="final states picked by index, and no mask on Y (onnxruntime#1193 asks what stands there)",
        semantics={"padding": "computed"},
    ),
    Reading(
        "lengths-mask-y-only",
        "every row runs all steps; sequence_lens only sets Y to zero",
        applies=when.has_padding,
        source="a mask applied to the output after the loop",
        semantics={"lengths": _all_steps},
        outputs=with_zero_padding,
        shows_states=False,
    ),
    Reading(
        "rows-left-sorted",
        "outputs stand in the order of decreasing lengths",
        applies=_is_out_of_order,
        source="packed sequences as in PyTorch, whose order is not restored",
        outputs=_sorted_rows,
        states=_unsorted_rows,
    ),
    Reading(
        "empty-row-runs-one-step",
        "a row of length 0 runs one step",
        applies=when.has_empty_row,
        source="a loop that tests its bound at the end; PyTorch packs lengths of 1 and more only",
        layer=_lengths(lambda layer: np.maximum(layer.lengths, min(1, layer.seq))),
    ),
    Reading(
        "empty-row-runs-all-steps",
        "a row of length 0 runs all steps",
        applies=when.has_empty_row,
        source="0 taken for 'not given'",
        layer=_lengths(lambda layer: np.where(layer.lengths == 0, layer.seq, layer.lengths)),
    ),
    Reading(
        "padding-masked-by-products",
        "padding is multiplied by 0, so that a NaN or an infinity in it leaks (D17)",
        applies=_poisoned,
        source="mask * new + (1 - mask) * old, the usual way to mask on a graph",
        outputs=_masked_by_products,
    ),
    Reading(
        "short-rows-end-one-step-early",
        "the final states of a row that ends early are those before its last step",
        applies=when.has_short_row,
        source="the state is copied out before the step that ends the row",
        outputs=_final_before_last,
    ),
)
"""Misreadings of sequence_lens."""
