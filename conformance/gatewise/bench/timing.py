"""Times that other work on the machine disturbs as little as it can."""

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")
Clock = Callable[[], int]
"""A time in nanoseconds, from any start."""

_QUIET = 0.1
_LOOK, _PATIENCE = 0.002, 0.1


def turns(contenders: Sequence[T], rounds: int) -> Iterator[T]:
    """Each contender once in every round, in an order that begins one further each time."""
    for number in range(rounds):
        first = number % max(len(contenders), 1)
        yield from (*contenders[first:], *contenders[:first])


def shortest(run: Callable[[], object], seconds: float, clock: Clock = time.perf_counter_ns) -> tuple[int, int]:
    """Runs for ``seconds``, at least once: the nanoseconds of the shortest run, and how many there were."""
    least, runs = 0, 0
    ends = clock() + round(seconds * 1e9)
    while True:
        begin = clock()
        run()
        end = clock()
        least = min(least, end - begin) if runs else end - begin
        runs += 1
        if end >= ends:
            return max(least, 1), runs


def settle() -> None:
    """Waits until no thread of this process computes, at most a tenth of a second.

    A runtime's threads may go on looking for work in a loop after its run, and would take the core from the next.
    """
    ends = time.perf_counter() + _PATIENCE
    while time.perf_counter() < ends:
        begin, busy = time.perf_counter(), time.process_time()
        time.sleep(_LOOK)
        if time.process_time() - busy < _QUIET * (time.perf_counter() - begin):
            return


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Python's collector runs before and not within."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
