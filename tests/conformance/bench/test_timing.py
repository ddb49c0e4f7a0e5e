import gc
from collections.abc import Callable, Iterator

import pytest

from gatewise.bench import timing
from gatewise.bench.timing import no_garbage_collection, settle, shortest, turns


def ticking(*times: int) -> Callable[[], int]:
    """A clock that shows these times, one after the other."""
    shown: Iterator[int] = iter(times)
    return lambda: next(shown)


def test_every_round_begins_with_the_next() -> None:
    assert list(turns("abc", 5)) == list("abcbcacababcbca")  # a round each
    assert list(turns("", 3)) == []


def test_the_shortest_run_counts_and_the_time_ends_it() -> None:
    runs: list[int] = []
    #                   ends  30      20      25 (ends at 100 + 80)
    clock = ticking(100, 110, 140, 141, 161, 162, 187, 999)
    assert shortest(lambda: runs.append(1), 80e-9, clock) == (20, 3)
    assert len(runs) == 3


def test_there_is_at_least_one_run() -> None:
    assert shortest(lambda: None, 0, ticking(5, 7, 50)) == (43, 1)


def test_a_run_below_the_clocks_resolution_takes_one_nanosecond() -> None:
    assert shortest(lambda: None, 0, ticking(5, 5, 5)) == (1, 1)


def test_settling_waits_for_a_thread_that_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    busy = iter([0.0, 1.0, 1.0, 1.0005, 1.0005, 1.0005, 9.0])  # before and after each look
    looks: list[float] = []
    monkeypatch.setattr(timing.time, "process_time", lambda: next(busy))
    monkeypatch.setattr(timing.time, "sleep", looks.append)
    monkeypatch.setattr(timing.time, "perf_counter", iter(range(100)).__next__)
    monkeypatch.setattr(timing, "_PATIENCE", 50)
    settle()
    assert len(looks) == 2


def test_settling_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[float] = []
    monkeypatch.setattr(timing.time, "process_time", iter(range(100)).__next__)
    monkeypatch.setattr(timing.time, "sleep", looks.append)
    monkeypatch.setattr(timing.time, "perf_counter", iter(range(100)).__next__)
    monkeypatch.setattr(timing, "_PATIENCE", 9)
    settle()
    assert len(looks) == 3


def test_the_collector_is_off_within_and_on_after() -> None:
    with no_garbage_collection():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(KeyError), no_garbage_collection():
        raise KeyError
    assert gc.isenabled()
