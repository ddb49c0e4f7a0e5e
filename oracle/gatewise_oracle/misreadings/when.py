"""When a misreading can matter: predicates on a valid case and its normal form."""

from collections.abc import Callable

import numpy as np

from gatewise_corpus.case import Case
from gatewise_corpus.layer import Layer

Applies = Callable[[Case, Layer], bool]


def runs(_: Case, layer: Layer) -> bool:
    """Some step runs."""
    return bool(layer.lengths.any())


def never(_: Case, __: Layer) -> bool:
    """In no valid case: the misreading accepts what must be refused."""
    return False


def has_bias(case: Case, layer: Layer) -> bool:
    """B is given."""
    return layer.Wb is not None and runs(case, layer)


def has_peepholes(case: Case, layer: Layer) -> bool:
    """P is given."""
    return layer.P is not None and runs(case, layer)


def is_bidirectional(case: Case, layer: Layer) -> bool:
    """There are two directions."""
    return len(layer.directions) == 2 and runs(case, layer)


def has_reverse(_: Case, layer: Layer) -> bool:
    """Some direction runs backward over more than one step."""
    return "reverse" in layer.directions and bool((layer.lengths > 1).any())


def clamps(case: Case, layer: Layer) -> bool:
    """Clip is in force."""
    return layer.attributes.clip is not None and runs(case, layer)


def has_padding(_: Case, layer: Layer) -> bool:
    """Some row ends before the last step."""
    return bool((layer.lengths < layer.seq).any())


def has_short_row(_: Case, layer: Layer) -> bool:
    """Some row that is not empty ends before the last step."""
    return bool(((layer.lengths < layer.seq) & (layer.lengths > 0)).any())


def has_empty_row(_: Case, layer: Layer) -> bool:
    """Some row is empty although there are steps."""
    return bool((layer.lengths == 0).any()) and layer.seq > 0


def has_state(case: Case, layer: Layer) -> bool:
    """An initial state is given, and some step runs."""
    return bool(case.inputs.keys() & {"initial_h", "initial_c"}) and runs(case, layer)


def is_recurrent(_: Case, layer: Layer) -> bool:
    """Some row runs more than one step, so that a computed state is carried."""
    return bool((layer.lengths > 1).any())


def sees_state(case: Case, layer: Layer) -> bool:
    """Some step multiplies a state that need not be zero."""
    return is_recurrent(case, layer) or ("initial_h" in case.inputs and runs(case, layer))


def is_layout_1(_: Case, layer: Layer) -> bool:
    """Layout is 1."""
    return layer.attributes.layout == 1


def uses(*names: str) -> Applies:
    """One of the activations is used."""

    def applies(case: Case, layer: Layer) -> bool:
        return any(activation.name in names for own in layer.activations for activation in own) and runs(case, layer)

    return applies


def not_finite(case: Case, _: Layer) -> bool:
    """An input holds a NaN or an infinity."""
    return not all(np.isfinite(array).all() for array in case.inputs.values())


def both(first: Applies, second: Applies) -> Applies:
    """Both predicates hold."""
    return lambda case, layer: first(case, layer) and second(case, layer)
