"""The recipes from which the corpus is made: each yields named cases with the reason for their existence.

A recipe draws its numbers from a generator seeded by the case's name, so that the corpus can be made again, bit for
bit, and a new case changes no other.
"""

from collections.abc import Iterator

from gatewise_corpus.recipes import (
    activations,
    covering,
    decisions,
    exact_sums,
    invalid,
    reports,
    sizes,
    special,
)
from gatewise_corpus.recipes.recipe import Recipe

_MODULES = (activations, covering, decisions, exact_sums, invalid, reports, sizes, special)


def all_recipes() -> Iterator[Recipe]:
    """Every recipe of the corpus."""
    for module in _MODULES:
        yield from module.recipes()
