"""A named case with its reason, and how the tensors of such a case are drawn."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from gatewise_corpus.case import Array, AttributeValue, Case, same_case
from gatewise_corpus.operators import DIRECTIONS, OPERATORS, size_of
from gatewise_corpus.store import About, load_entry


@dataclass(frozen=True, eq=False)
class Recipe:
    """A case of the corpus before it is stored."""

    name: str
    case: Case
    about: About


@dataclass(frozen=True)
class Sizes:
    """The sizes of a case: steps, rows, input and hidden units."""

    seq: int = 4
    batch: int = 3
    input: int = 2
    hidden: int = 5


ALL_INPUTS = ("B", "initial_h", "initial_c", "P")
"""The optional float inputs; an operator takes those that it has."""
ALL_INPUTS_BUT_P = ("B", "initial_h", "initial_c")


def draw(  # a case has this many independent parts
    name: str,
    operator: str,
    sizes: Sizes | None = None,
    *,
    opset: int = 14,
    attributes: Mapping[str, AttributeValue] | None = None,
    optional: Sequence[str] | None = None,
    lengths: Sequence[int] | None = None,
    outputs: Sequence[str] | None = None,
    constants: Sequence[str] = (),
    dtype: type[np.floating] = np.float32,
    hidden_size: bool = True,
) -> Case:
    """A case whose tensors are drawn from a generator seeded by ``name``.

    ``optional`` names the optional float inputs to give; by default all, but P only in every second case, since
    many runtimes have no peepholes. ``lengths`` is sequence_lens, ``outputs`` are all by default. Weights are
    scaled by the inverse root of their fan-in, so that gates neither saturate nor idle.
    """
    sizes = sizes or Sizes()
    table = OPERATORS[operator]
    attributes = dict(attributes or {})
    if hidden_size:
        attributes.setdefault("hidden_size", sizes.hidden)
    layout = attributes.get("layout", 0)
    dims = {**vars(sizes), "dirs": len(DIRECTIONS[str(attributes.get("direction", "forward"))])}
    seed = zlib.crc32(name.encode())
    rng = np.random.default_rng(seed)
    if optional is None:
        optional = ALL_INPUTS if seed % 2 else ALL_INPUTS_BUT_P
    inputs: dict[str, Array] = {}
    for slot in table.inputs:
        shape = tuple(size_of(dimension, dims) for dimension in slot.shape(int(layout == 1)))
        values = rng.random(shape, dtype=np.float32) * 2 - 1
        if slot.name == "sequence_lens":
            if lengths is not None:
                inputs[slot.name] = np.array(lengths, dtype=np.int32)
        elif slot.required or slot.name in optional:
            inputs[slot.name] = (values * np.float32(_scale(slot.name, sizes))).astype(dtype)
    return Case(
        operator,
        opset,
        attributes,
        inputs,
        tuple(outputs or table.output_names),
        frozenset(constants) & inputs.keys(),
    )


def mixed_lengths(sizes: Sizes) -> list[int]:
    """Lengths that reach from the whole sequence down to one step, in no order."""
    return [max(1, sizes.seq - (row * 2) % max(1, sizes.seq)) for row in range(sizes.batch)]


def _scale(slot: str, sizes: Sizes) -> float:
    fan_in = {"W": sizes.input, "R": sizes.hidden}
    return float(1.5 / np.sqrt(max(1, fan_in[slot]))) if slot in fan_in else 0.9


def is_stored(root: Path, recipe: Recipe) -> bool:
    """Whether the store below ``root`` holds ``recipe`` as it is, whatever was recorded for it."""
    folder = root / recipe.name
    if not folder.is_dir():
        return False
    entry = load_entry(folder, root)
    told = msgspec.structs.replace(entry.about, recording=None)
    return told == recipe.about and same_case(entry.case, recipe.case)
