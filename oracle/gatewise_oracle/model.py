"""The model: a layer's outputs in float64, each with the radius inside which every float32 evaluation lies.

``stepwise`` judges an implementation that shows Y: each step starts from the implementation's own previous state, so
that the bound does not grow along the sequence. ``end_to_end`` carries its own state. docs/model.md states the bound.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from gatewise_corpus.case import Array
from gatewise_corpus.layer import Layer
from gatewise_oracle.ball import (
    Ball,
    Floats,
    concatenate,
    exact,
    from_float16,
    rounded_to_float16,
    stack,
    where,
)
from gatewise_oracle.direction import Cell, Direction
from gatewise_oracle.gru import GruCell
from gatewise_oracle.lstm import LstmCell
from gatewise_oracle.rnn import RnnCell
from gatewise_oracle.semantics import BASE, Semantics, in_time
from gatewise_oracle.tolerance import DEFAULT, Tolerance

_CELLS: Mapping[str, Callable[[Direction], Cell]] = MappingProxyType(
    {"RNN": RnnCell, "GRU": GruCell, "LSTM": LstmCell}
)


def stepwise(
    layer: Layer,
    Y: Array | Ball,
    tolerance: Tolerance = DEFAULT,
    semantics: Semantics = BASE,
    steps: int | None = None,
) -> dict[str, Ball]:
    """What is admissible after an implementation's own previous states.

    For float64 layers the bound of float32 is used: it holds, since their roundings are finer.

    Args:
        layer: the case in normal form.
        Y: the implementation's output Y, of the layer's type and in layout 0: [T, D, N, H]; or balls that hold what
            several gave.
        tolerance: the errors of its activation functions.
        semantics: the semantics in force.
        steps: how many steps to compute in each direction; what only later ones tell is not constrained. All by
            default.

    Returns:
        Balls for Y [T, D, N, H], Y_h [D, N, H] and, of an LSTM, Y_c [D, N, H].

    Raises:
        ValueError: if Y has another shape.
    """
    wanted = (layer.seq, len(layer.directions), layer.batch, layer.hidden)
    shape = Y.center.shape if isinstance(Y, Ball) else Y.shape
    if shape != wanted:
        raise ValueError(f"Y has shape {list(shape)}, but [seq, dirs, batch, hidden] is {list(wanted)}")
    return _outputs(layer, Y, tolerance, semantics, steps)


def end_to_end(layer: Layer, tolerance: Tolerance = DEFAULT, semantics: Semantics = BASE) -> dict[str, Ball]:
    """What is admissible from the inputs alone; the radius grows along the sequence. Returns as ``stepwise``."""
    return _outputs(layer, None, tolerance, semantics)


def evaluate(layer: Layer, semantics: Semantics = BASE) -> dict[str, Floats]:
    """The float64 values of all outputs, in layout 0.

    Where float32 may overflow, which the radii of ``end_to_end`` tell, what follows is not constrained: the values
    there are any.
    """
    return {name: ball.center for name, ball in _outputs(layer, None, DEFAULT, semantics).items()}


def _outputs(
    layer: Layer, Y: Array | Ball | None, tolerance: Tolerance, semantics: Semantics, steps: int | None = None
) -> dict[str, Ball]:
    with np.errstate(all="ignore"):
        direction = semantics.directions or Direction
        directions = [
            _direction_outputs(
                direction(layer, index, tolerance, semantics), None if Y is None else Y[:, index], steps
            )
            for index in range(len(layer.directions))
        ]
        names = layer.operator.output_names
        outputs = {name: stack([own[name] for own in directions], axis=int(name == "Y")) for name in names}
        if layer.dtype == np.float16:
            return {name: rounded_to_float16(ball) for name, ball in outputs.items()}
        return outputs


def _direction_outputs(direction: Direction, Y: Array | Ball | None, steps: int | None) -> dict[str, Ball]:
    """Y [T, N, H], Y_h and Y_c [N, H] of one direction; Y is the implementation's, if it is to be followed."""
    layer, semantics = direction.layer, direction.semantics
    initial_h, initial_c = exact(layer.initial_h[direction.index]), exact(layer.initial_c[direction.index])
    if not layer.seq:
        return _without_steps(direction, initial_h, initial_c)
    if not layer.batch:
        return {"Y": exact(np.empty((layer.seq, *layer.initial_h.shape[1:]))), "Y_h": initial_h, "Y_c": initial_c}
    order = semantics.order(layer, direction.index)
    lengths = semantics.lengths(layer, direction.index)
    rows = np.arange(layer.batch)
    valid = in_time(layer) < lengths
    y_order = order if semantics.reverse_order == "time" else in_time(layer)
    followed = None if Y is None else _as_states(Y[y_order, rows])
    states, cells = _run(direction, layer.X[order, rows], followed, (initial_h, initial_c), steps)
    last = np.maximum(lengths - 1, 0)
    final = {"Y_h": states[last, rows], "Y_c": cells[last, rows]}
    empty = (lengths == 0)[:, np.newaxis]
    if empty.any():
        initial = {"Y_h": initial_h, "Y_c": initial_c}
        final = {
            name: where(empty, initial[name] if semantics.empty_row == "initial" else _zeros(ball), ball)
            for name, ball in final.items()
        }
    if not valid.all() and semantics.padding != "computed":
        padding = final["Y_h"] if semantics.padding == "last" else _zeros(final["Y_h"])
        states = where(valid[:, :, np.newaxis], states, padding)
    return {"Y": states[y_order, rows], **final}


def _run(
    direction: Direction, X: Array, followed: Ball | None, initial: tuple[Ball, Ball], limit: int | None
) -> tuple[Ball, Ball]:
    """States and cell states [T, N, H] of all steps in processing order; followed ones are free from ``limit`` on.

    Steps past the length of a row come last and are computed too; the caller drops them, so that nothing that stands
    there can be seen (D17).
    """
    layer, semantics = direction.layer, direction.semantics
    operator = layer.operator.name
    cell: Cell = semantics.cells.get(operator, _CELLS[operator])(direction)
    x = X.astype(np.float64)
    h, c = initial
    if followed is not None:
        previous = concatenate([h[np.newaxis], followed[:-1]])[:limit]
        previous = semantics.previous(layer, previous, np.arange(len(previous.center)))
        new = cell.steps(x[:limit], previous, c, stateless=True)
        return _filled_up(new[0], len(x)), _filled_up(new[1], len(x))
    states, cells = [], []
    for step in range(len(x)):
        previous = semantics.previous(layer, h[np.newaxis], np.array([step]))
        new_h, new_c = cell.steps(x[step : step + 1], previous, c, stateless=step == 0)
        h, c = new_h[0], new_c[0]
        states.append(h)
        cells.append(c)
    return stack(states), stack(cells)


def _without_steps(direction: Direction, initial_h: Ball, initial_c: Ball) -> dict[str, Ball]:
    """No step runs: the final states are the initial ones, or zeros where lengths, all 0, are given (D14, D15)."""
    semantics = direction.semantics
    kept = semantics.empty_row if direction.layer.has_lengths else semantics.no_steps
    final = {"Y_h": initial_h, "Y_c": initial_c}
    if kept == "zero":
        final = {name: _zeros(ball) for name, ball in final.items()}
    return {"Y": exact(np.empty((0, *initial_h.center.shape))), **final}


def _as_states(Y: Array | Ball) -> Ball:
    """The states that an implementation may have had inside (D30)."""
    if isinstance(Y, Ball):
        return Y
    return from_float16(Y) if Y.dtype == np.float16 else exact(Y)


def _filled_up(states: Ball, seq: int) -> Ball:
    """The states of the first steps [S, N, H] and, up to ``seq``, some that are not constrained."""
    missing = (seq - len(states.center), *states.center.shape[1:])
    if not missing[0]:
        return states
    return concatenate([states, Ball(np.zeros(missing), np.full(missing, np.inf), finite=False)])


def _zeros(ball: Ball) -> Ball:
    return exact(np.zeros(ball.center.shape))
