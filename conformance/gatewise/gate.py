"""The gate: runs cases on an implementation, judges what comes of them, and yields the records of a report."""

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from types import MappingProxyType
from typing import Literal

from threadpoolctl import threadpool_limits

from gatewise.jobs import Job, LoadedCase
from gatewise.judge import Judge
from gatewise.judgement import Judgement
from gatewise.known_failures import RECORDED, KnownFailures, Match, load_known_failures
from gatewise.version import suite_version
from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.machine import this_machine
from gatewise_corpus.outcome import Outcome, Ran
from gatewise_implementations.process import TIME_LIMIT, Worker
from gatewise_reports.record import Header, Implementation, Record, Result, Stale, number
from gatewise_reports.report import Report, now

_NO_DESCRIPTION = Description("")


@dataclass(frozen=True)
class GateOptions:
    """How to run the gate.

    Attributes:
        spec: the implementation's SPEC.
        workers: number of processes of the implementation that run at the same time.
        time_limit: seconds for one case.
        known_failures: lists of known failures beside the one that comes with gatewise.
        use_shipped: whether that one is used.
        stale: which lists of known failures the jobs can show to be stale: none where the cases are a selection,
            all where they are the whole corpus, those that were given where they are somebody's own.
        fail_fast: whether to stop at the first finding.
        seed: seed of the fresh cases, for the header.
        again: the command that runs cases again, but for what selects them.
        told: other options for the header.
    """

    spec: str
    workers: int = 1
    time_limit: float = TIME_LIMIT
    known_failures: Sequence[Path] = ()
    use_shipped: bool = True
    stale: Literal["none", "given", "all"] = "none"
    fail_fast: bool = False
    seed: int = 0
    again: str = ""
    told: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class Judged:
    """A result, with the entries of known failures that are about its case."""

    result: Result
    match: Match


@dataclass
class Bench:
    """One process of an implementation with its judge: what turns a job into results.

    Attributes:
        worker: the process.
        judge: judges what comes from it.
        known: the known failures of the implementation; shared by all benches.
        recorded: those of the recorded runtime; shared as well.
        again: the command that runs cases again, but for what selects them.
    """

    worker: Worker
    judge: Judge
    known: KnownFailures
    recorded: KnownFailures
    again: str = ""

    def run(self, job: Job, *, with_given: bool = True) -> list[Judged]:
        """The result of the implementation, and that of the outputs that stand beside the case, if any do.

        Raises:
            FormatError: if the case cannot be read.
            SetupError: if the implementation ended and cannot be started again.
        """
        loaded = job.load()
        started = time.perf_counter()
        judgement = self.judge.without_running(loaded.case) or self._run_and_judge(loaded)
        judged = [self._judged(job, loaded, judgement, started)]
        if loaded.given and with_given:
            judged.append(self._judge_given(job, loaded))
        return judged

    def _run_and_judge(self, loaded: LoadedCase) -> Judgement:
        outcome = self.worker.run(loaded.case)
        judgement = self.judge(loaded.case, outcome)
        if judgement.failed or not isinstance(outcome, Ran):
            return judgement
        return self.judge.judge_bits(outcome.outputs, loaded.exact_hash) or judgement

    def _judge_given(self, job: Job, loaded: LoadedCase) -> Judged:
        started = time.perf_counter()
        outcome: Outcome = Ran(loaded.given)
        judgement = Judge(_NO_DESCRIPTION)(loaded.case, outcome)
        return self._judged(job, loaded, judgement, started, loaded.subject)

    def _judged(
        self, job: Job, loaded: LoadedCase, judgement: Judgement, started: float, subject: str = ""
    ) -> Judged:
        known = self.recorded if subject else self.known
        match = known.match(job.name, loaded.case, judgement)
        result = to_result(
            job.name,
            loaded.case,
            judgement,
            seconds=time.perf_counter() - started,
            subject=subject,
            known=known.reason(match) or ("" if subject else declared(self.judge.description, judgement)),
            again=f"{self.again} {job.selection}" if self.again and judgement.failed else "",
        )
        return Judged(result, match)


def declared(description: Description, judgement: Judgement) -> str:
    """Why a deviation is expected that the implementation itself declares; "" if it does not."""
    decisions = set(judgement.clauses) if judgement.verdict == "deviates" else set()
    is_declared = decisions and decisions <= set(description.decisions)
    return f"the implementation declares {judgement.clause}" if is_declared else ""


def to_result(
    name: str,
    case: Case,
    judgement: Judgement,
    *,
    seconds: float = 0.0,
    subject: str = "",
    known: str = "",
    again: str = "",
) -> Result:
    """The record of a judgement."""
    return Result(
        case=name,
        line=case.summary(),
        verdict=judgement.verdict,
        seconds=round(seconds, 6),
        clause=judgement.clause,
        message=judgement.message,
        place=judgement.place,
        outside=judgement.outside,
        explanation=judgement.explanation,
        ratio=number(judgement.ratio),
        unconstrained=judgement.unconstrained,
        curves=judgement.curves,
        judged=judgement.judged,
        subject=subject,
        known=known,
        again=again,
    )


@contextmanager
def open_benches(options: GateOptions) -> Iterator[list[Bench]]:
    """As many benches as there are workers, each with its own process of the implementation.

    Raises:
        SetupError: if the implementation cannot be started.
        KnownFailuresError: if a list of known failures cannot be read.
    """
    recorded = load_known_failures([], RECORDED)
    with ExitStack() as stack:
        # The judge's products are small: waking threads for each would cost more than the products.
        stack.enter_context(threadpool_limits(1, user_api="blas"))
        workers = [stack.enter_context(Worker(options.spec, options.time_limit)) for _ in range(options.workers)]
        name = workers[0].describe().name if options.use_shipped else ""
        known = load_known_failures(options.known_failures, name)
        yield [
            Bench(worker, Judge(worker.describe(), worker.run), known, recorded, options.again) for worker in workers
        ]


def run_gate(jobs: Sequence[Job], options: GateOptions) -> Iterator[Record]:
    """Runs and judges all jobs; yields a header, the results in the order of the jobs, stale entries, a footer.

    Raises:
        SetupError: if the implementation cannot be started.
        KnownFailuresError: if a list of known failures cannot be read.
        FormatError: if a case cannot be read.
    """
    started = time.perf_counter()
    with open_benches(options) as benches:
        first = benches[0]
        report = Report(make_header(jobs, options, first.judge.description))
        yield report.header
        complete = True
        for judged in _run_jobs(jobs, benches):
            report.add(judged.result)
            (first.recorded if judged.result.subject else first.known).count(judged.match)
            yield judged.result
            if options.fail_fast and judged.result.finding:
                complete = False
                break
        for stale in _stale(first, options) if complete else ():
            report.add(stale)
            yield stale
        yield report.close(time.perf_counter() - started, complete=complete)


def _stale(bench: Bench, options: GateOptions) -> Iterator[Stale]:
    if options.stale != "none":
        for known in (bench.known, bench.recorded):
            yield from known.stale(with_shipped=options.stale == "all")


def make_header(jobs: Sequence[Job], options: GateOptions, description: Description) -> Header:
    """The header of a run over ``jobs``."""
    return Header(
        suite=suite_version(),
        implementation=Implementation(
            description.name, dict(description.versions), dict(description.settings), description.decisions
        ),
        spec=options.spec,
        machine=(description.machine or this_machine()).label,
        started=now(),
        cases=len(jobs),
        seed=options.seed,
        options=dict(options.told),
    )


def _run_jobs(jobs: Sequence[Job], benches: Sequence[Bench]) -> Iterator[Judged]:
    """The results in the order of the jobs. A thread for each bench is enough: the work is done in its process."""
    free = SimpleQueue[Bench]()
    for bench in benches:
        free.put(bench)

    def run(job: Job) -> list[Judged]:
        bench = free.get()
        try:
            return bench.run(job)
        finally:
            free.put(bench)

    pool = ThreadPoolExecutor(len(benches))
    try:
        for judged in pool.map(run, jobs):
            yield from judged
    except KeyboardInterrupt:
        for bench in benches:  # a case that hangs would hold up the end until its time limit
            bench.worker.close()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
