"""Powers of two as inputs: every order of summation gives the same bits, fused or not.

After the BLIS test suite's idea. A difference here is no rounding.
"""

import zlib
from collections.abc import Iterator

import numpy as np

from gatewise_corpus.case import AttributeValues, Case
from gatewise_corpus.operators import OPERATORS
from gatewise_corpus.recipes.recipe import Recipe, Sizes, draw, mixed_lengths
from gatewise_corpus.store import About

_SIZES = (Sizes(3, 2, 4, 8), Sizes(2, 5, 17, 9), Sizes(5, 3, 33, 31))


def recipes() -> Iterator[Recipe]:
    """For each operator, one layer of each direction whose pre-activations are exact."""
    for operator in OPERATORS:
        for sizes, direction in zip(_SIZES, ("forward", "reverse", "bidirectional"), strict=True):
            yield _power_of_two_layer(operator, sizes, direction)
        yield _exact_through_time(operator)


def _power_of_two_layer(operator: str, sizes: Sizes, direction: str) -> Recipe:
    name = f"{operator.lower()}/exact-sums-{direction}"
    case = draw(name, operator, sizes, attributes={"direction": direction}, lengths=mixed_lengths(sizes))
    case = _with_powers(case, name)
    why = "At the first step all sums are exact in any order, so a difference is no rounding."
    return Recipe(name, case, About(why=why, origin="exact-sums", flags=("exact-sums",)))


def _exact_through_time(operator: str) -> Recipe:
    """Relu and HardSigmoid with parameters that are powers of two keep every value exact for a few steps."""
    sets = {
        "RNN": ("Relu",),
        "GRU": ("HardSigmoid", "Relu"),
        "LSTM": ("HardSigmoid", "Relu", "Relu"),
    }
    name = f"{operator.lower()}/exact-sums-relu"
    sizes = Sizes(2, 3, 5, 4)
    attributes: AttributeValues = {
        "activations": sets[operator],
        "activation_alpha": (0.25,),
        "activation_beta": (0.5,),
    }
    case = draw(name, operator, sizes, attributes=attributes)
    why = "Relu and HardSigmoid with powers of two: every value is exact, in any order of summation, fused or not."
    about = About(why=why, origin="exact-sums", flags=("exact-sums", "activations"))
    return Recipe(name, _with_powers(case, name), about)


def _with_powers(case: Case, name: str) -> Case:
    rng = np.random.default_rng(zlib.crc32(name.encode()) + 1)
    changed = {}
    for slot, array in case.inputs.items():
        if slot != "sequence_lens":
            exponents = rng.integers(-4, 0, array.shape)
            signs = rng.choice([-1.0, 1.0], array.shape)
            changed[slot] = np.ldexp(signs, exponents).astype(array.dtype)
    return case.with_inputs(**changed)
