"""Where rounds are played: processes of this machine, or the workers of a Dask cluster.

Both are executors (``concurrent.futures``). Every thread that plays has one bench for each subject, which outlives
the rounds and ends with its process.
"""

import atexit
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast
from weakref import WeakSet

from gatewise.fuzz.bench import Circumstances, FuzzBench, Subject
from gatewise.fuzz.finds import Finds
from gatewise.fuzz.round import Find, Played, Round, play, shrink
from gatewise.version import suite_version
from gatewise_corpus.case import Case
from gatewise_implementations.adapter import SetupError
from gatewise_reports.record import Result

T = TypeVar("T")
_PARENT_SECONDS = 1.0
_CONNECT_SECONDS = 10
_own = threading.local()


@dataclass(frozen=True)
class Deals:
    """The work that is dealt out, for one subject.

    Attributes:
        subject: what is fuzzed.
        finds: where finds are written as soon as they are made; None where the player has no such folder.
        suite: the version of gatewise that every player must have.
    """

    subject: Subject
    finds: Finds | None = None
    suite: str = field(default_factory=suite_version)

    def describe(self) -> Circumstances:
        """Who plays where."""
        return self._bench().circumstances

    def play(self, round_: Round) -> Played:
        """Plays a round."""
        bench, finds = self._bench(), self.finds
        return play(bench, round_, (lambda find: finds.keep(find, bench.circumstances)) if finds else None)

    def shrink(self, find: Find) -> tuple[Find, Find]:
        """A find, and what it shrinks to."""
        return find, shrink(self._bench(), find)

    def judge(self, case: Case) -> Result:
        """Judges one case."""
        return self._bench().run(case)

    def _bench(self) -> FuzzBench:
        if self.suite != suite_version():
            raise SetupError(f"a worker has gatewise {suite_version()}, but this is gatewise {self.suite}")
        benches: dict[Subject, FuzzBench] = _own.__dict__.setdefault("benches", {})
        if self.subject not in benches:
            bench = FuzzBench(self.subject)
            benches[self.subject] = bench.__enter__()
            atexit.register(bench.__exit__, None, None, None)
        return benches[self.subject]


@dataclass
class Players:
    """Who plays: an executor, and how many rounds it plays at a time.

    Attributes:
        lanes: rounds that are played at the same time.
        open: opens the executor.
        may_renew: whether a broken executor is opened again; that of a cluster deals lost work again itself.
    """

    lanes: int
    open: Callable[[], Executor]
    may_renew: bool

    def __post_init__(self) -> None:
        self._executor = self.open()
        self._dealt: WeakSet[Future[Any]] = WeakSet()

    def submit(self, work: Callable[..., T], *arguments: object) -> "Future[T]":
        """Deals out some work."""
        future = self._executor.submit(work, *arguments)
        self._dealt.add(future)
        return future

    def renew(self) -> None:
        """Opens the executor again after a process of it died.

        Raises:
            SetupError: if it cannot be.
        """
        if not self.may_renew:
            raise SetupError("the connection to the cluster is lost")
        self.close()
        self._executor = self.open()

    def close(self) -> None:
        """Waits for what runs, drops what waits, and ends the executor."""
        for future in self._dealt:
            future.cancel()
        self._executor.shutdown()


@contextmanager
def local_players(workers: int) -> Iterator[Players]:
    """``workers`` processes of this machine; they end with this one, even if it is killed."""
    context = multiprocessing.get_context("spawn")

    def open_pool() -> Executor:
        return ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(os.getpid(),))

    players = Players(workers, open_pool, may_renew=True)
    try:
        yield players
    finally:
        players.close()


@contextmanager
def cluster_players(address: str) -> Iterator[Players]:
    """The workers of the Dask cluster whose scheduler is at ``address``.

    Raises:
        SetupError: if ``distributed`` is not installed, no scheduler answers, or it has no worker.
    """
    try:
        import distributed  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise SetupError("distributed is not installed; pip install 'gatewise[cluster]'") from error
    try:
        client: Any = cast("Any", distributed).Client(address, set_as_default=False, timeout=_CONNECT_SECONDS)
    except (OSError, TypeError, ValueError) as error:
        raise SetupError(f"scheduler {address!r} cannot be reached: {error}") from error
    with client:
        lanes = sum(client.nthreads().values())
        if not lanes:
            raise SetupError(f"scheduler {address!r} has no worker")
        players = Players(lanes, lambda: client.get_executor(pure=False), may_renew=False)
        try:
            yield players
        finally:
            players.close()


def _begin(parent: int) -> None:
    """An interrupt is the first process's to handle; a process whose parent was killed ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_SECONDS)
    os._exit(1)
