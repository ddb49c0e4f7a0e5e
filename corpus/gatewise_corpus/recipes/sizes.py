"""Sizes next to vector widths and tile edges, long sequences, wide batches."""

from collections.abc import Iterator

from gatewise_corpus.operators import OPERATORS
from gatewise_corpus.recipes.recipe import Recipe, Sizes, draw, mixed_lengths
from gatewise_corpus.store import About

EDGES = (1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33)
"""Next to 4, 8, 16 and 32 lanes: the vector widths of SSE, AVX, AVX-512 and a pair of those."""
LONG = (33, 64, 129)
_DIRECTION_OF = ("forward", "reverse", "bidirectional")


def recipes() -> Iterator[Recipe]:
    """For each operator: every edge as hidden size, as input size and as batch; long sequences; the smallest case."""
    for operator in OPERATORS:
        yield from _edges(operator)
        yield from _long(operator)
        yield _one_of_each(operator)


def _recipe(name: str, operator: str, sizes: Sizes, why: str, *, direction: str, flag: str = "sizes") -> Recipe:
    lengths = mixed_lengths(sizes) if direction != "forward" else None
    attributes = {"direction": direction}
    case = draw(name, operator, sizes, attributes=attributes, lengths=lengths)
    return Recipe(name, case, About(why=why, origin="sizes", flags=(flag,)))


def _edges(operator: str) -> Iterator[Recipe]:
    folder = operator.lower()
    for index, edge in enumerate(EDGES):
        direction = _DIRECTION_OF[index % 3]
        other = 2 if edge != 2 else 3
        yield _recipe(
            f"{folder}/hidden-{edge:02}",
            operator,
            Sizes(seq=4 if edge != 4 else 6, batch=3 if edge != 3 else 5, input=other, hidden=edge),
            f"A tail of {edge} hidden units is computed like the others.",
            direction=direction,
        )
        yield _recipe(
            f"{folder}/input-{edge:02}",
            operator,
            Sizes(seq=3 if edge != 3 else 4, batch=2, input=edge, hidden=6),
            f"A dot product over {edge} inputs takes all of them, each once.",
            direction=_DIRECTION_OF[(index + 1) % 3],
        )
        yield _recipe(
            f"{folder}/batch-{edge:02}",
            operator,
            Sizes(seq=2, batch=edge, input=6 if edge != 6 else 7, hidden=10),
            f"A batch of {edge} rows is computed row by row, the last like the first.",
            direction=_DIRECTION_OF[(index + 2) % 3],
        )


def _long(operator: str) -> Iterator[Recipe]:
    for index, seq in enumerate(LONG):
        yield _recipe(
            f"{operator.lower()}/long-{seq:03}",
            operator,
            Sizes(seq=seq, batch=3, input=2, hidden=5 + index),
            f"Step {seq} is computed like step 1: no loop bound, block of steps or counter ends early.",
            direction=_DIRECTION_OF[index],
            flag="long",
        )


def _one_of_each(operator: str) -> Recipe:
    return _recipe(
        f"{operator.lower()}/smallest",
        operator,
        Sizes(1, 1, 1, 1),
        "One step, one row, one input and one unit: the formula and nothing else.",
        direction="forward",
    )
