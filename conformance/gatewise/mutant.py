"""Mutants: the model under misreadings, as an implementation: ``serve:python -m gatewise.mutant NAME...``.

Without a name it is the model itself, which every case must pass.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gatewise.version import suite_version
from gatewise_corpus.case import Array, Case
from gatewise_corpus.description import Description
from gatewise_corpus.layer import Layer, output_to_layout, read_layer
from gatewise_corpus.outcome import Ran
from gatewise_corpus.refusal import RefusedError
from gatewise_implementations.adapter import RefusalError, SetupError
from gatewise_implementations.worker import work
from gatewise_oracle.ball import TINY, Ball
from gatewise_oracle.decisions import DECISIONS
from gatewise_oracle.misreadings import MISREADINGS
from gatewise_oracle.model import evaluate
from gatewise_oracle.readings import Reading, as_read
from gatewise_oracle.semantics import Semantics, Steps

BY_NAME = {reading.name: reading for reading in (*DECISIONS, *MISREADINGS)}
"""What a mutant can be named by."""


@dataclass(frozen=True)
class Mutant:
    """The model under ``readings``."""

    readings: Sequence[Reading] = ()

    def describe(self) -> Description:
        """What runs here."""
        names = "+".join(reading.name for reading in self.readings)
        return Description(f"mutant:{names}" if names else "mutant", versions={"gatewise": suite_version()})

    def run(self, case: Case) -> Ran:
        """The outputs of ``case`` as the mutant has them.

        Raises:
            RefusalError: if the mutant, too, finds the case not valid.
        """
        try:
            return Ran(outputs_under(case, self.readings))
        except RefusedError as error:
            raise RefusalError(str(error), error.kind, error.reason) from error


def outputs_under(case: Case, readings: Sequence[Reading] = ()) -> dict[str, Array]:
    """The requested outputs of an implementation with these readings, in the layout and the type of the case.

    The values are those of the model, rounded once to the type of the case; the state is rounded to float32 at every
    step, as an implementation keeps it.

    Raises:
        RefusedError: if the case, as read, is not valid.
    """
    readings = _at_work(case, readings)
    layer, semantics = as_read(case, readings)
    values: dict[str, Array] = dict(evaluate(layer, _with_float32_state(semantics, layer)))
    values = {name: _flushed(array, semantics) for name, array in values.items()}
    for reading in readings:
        if reading.outputs:
            balls = {name: Ball(array, np.zeros(array.shape), finite=False) for name, array in values.items()}
            values = {name: ball.center for name, ball in reading.outputs(layer, balls).items()}
    with np.errstate(all="ignore"):
        return {name: _finished(name, values[name], layer) for name in layer.outputs}


def _at_work(case: Case, readings: Sequence[Reading]) -> list[Reading]:
    """The readings that touch a valid case, or that accept one which must be refused."""
    try:
        layer = read_layer(case)
    except RefusedError as error:
        return [reading for reading in readings if error.reason in reading.accepts]
    return [reading for reading in readings if reading.touches(case, layer)]


def _finished(name: str, array: Array, layer: Layer) -> Array:
    """Rounded and in the layout of the case; an array of another rank, which a mutant may give, stays as it is."""
    is_right = array.ndim == (4 if name == "Y" else 3)
    turned = output_to_layout(name, array, layer.attributes.layout) if is_right else array
    return np.ascontiguousarray(turned).astype(layer.dtype)


def _flushed(array: Array, semantics: Semantics) -> Array:
    """The values without what an implementation that flushes subnormal results loses (D26)."""
    return np.where(np.abs(array) < semantics.tiny, 0, array) if semantics.tiny > TINY else array


def _with_float32_state(semantics: Semantics, layer: Layer) -> Semantics:
    if layer.dtype == np.float64:
        return semantics

    def previous(layer: Layer, states: Ball, steps: Steps) -> Ball:
        rounded = _flushed(states.center, semantics).astype(np.float32).astype(np.float64)
        return semantics.previous(layer, Ball(rounded, np.zeros(rounded.shape), states.finite), steps)

    return replace(semantics, previous=previous)


def make_mutant(names: Sequence[str]) -> Mutant:
    """The mutant with the misreadings of these names.

    Raises:
        SetupError: if there is no such misreading.
    """
    for name in names:
        if name not in BY_NAME:
            raise SetupError(f"there is no misreading {name!r}; docs/misreadings.md lists them")
    return Mutant([BY_NAME[name] for name in names])


if __name__ == "__main__":
    work(lambda: make_mutant(sys.argv[1:]))
