"""The bench of a fuzz run: a process of the implementation with its judge, which learns what it has found."""

from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from threadpoolctl import threadpool_limits

from gatewise.fuzz.fault import Fault, fault_of
from gatewise.fuzz.pair import Pair
from gatewise.gate import declared, to_result
from gatewise.judge import Judge
from gatewise.judgement import Judgement
from gatewise.known_failures import KnownFailures, NamedCase, load_known_failures
from gatewise.mutant import BY_NAME
from gatewise.version import suite_version
from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.machine import this_machine
from gatewise_implementations.process import TIME_LIMIT, Worker
from gatewise_oracle.readings import Reading
from gatewise_reports.record import Result

_FATAL = {"crashed", "timed out"}
_DIAGNOSED = 8
"""So often is a fault that nothing explains diagnosed in full; then its kind of place tells it."""


@dataclass(frozen=True)
class Subject:
    """What is fuzzed.

    Attributes:
        spec: the implementation.
        against: another one that it is compared with directly; "" judges it by the model.
        time_limit: seconds for one case.
        known_failures: lists beside the one that comes with gatewise.
        use_shipped: whether that one is used.
    """

    spec: str
    against: str = ""
    time_limit: float = TIME_LIMIT
    known_failures: tuple[Path, ...] = ()
    use_shipped: bool = True


@dataclass(frozen=True)
class Circumstances:
    """Who ran where, for the words of an issue.

    Attributes:
        spec: the implementation as the command line names it.
        versions: one line each for it, for the one that it is compared with, and for gatewise.
        machine: the machine's label.
    """

    spec: str
    versions: tuple[str, ...]
    machine: str


@dataclass
class FuzzBench:
    """Runs and judges cases; a context manager. What explained one result is tried first on the next."""

    subject: Subject
    _stack: ExitStack = field(default_factory=ExitStack)
    _suspects: list[tuple[Reading, ...]] = field(default_factory=list)
    _unexplained: Counter[Fault] = field(default_factory=Counter)

    def __enter__(self) -> Self:
        """Starts the implementation, or both.

        Raises:
            SetupError: if one cannot be started.
            KnownFailuresError: if a list of known failures cannot be read.
        """
        subject = self.subject
        # Hundreds of small products: waking threads for each would cost more than the products.
        self._stack.enter_context(threadpool_limits(1, user_api="blas"))
        try:
            self._worker = self._stack.enter_context(Worker(subject.spec, subject.time_limit))
            self.description = self._worker.describe()
            self._pair = self._open_pair() if subject.against else None
            name = self.description.name if subject.use_shipped and not subject.against else ""
            self._known = load_known_failures(subject.known_failures, name)
        except BaseException:
            self._stack.close()
            raise
        self._judge = Judge(self.description, self._worker.run, suspects=self._suspects)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _open_pair(self) -> Pair:
        other = self._stack.enter_context(Worker(self.subject.against, self.subject.time_limit))
        judges = (
            Judge(description, worker.run, suspects=self._suspects)
            for description, worker in ((self.description, self._worker), (other.describe(), other))
        )
        return Pair(self.subject.against, self._worker, other, *judges)

    @property
    def circumstances(self) -> Circumstances:
        """Who runs here."""
        described = [self.description, *([self._pair.other.describe()] if self._pair else [])]
        versions = (*map(_versions, described), f"gatewise {suite_version()}")
        machine = self.description.machine or this_machine()
        return Circumstances(self.subject.spec, versions, machine.label)

    def run(self, case: Case, name: str = "") -> Result:
        """What comes of ``case``, with the reason where it is a known failure."""
        return self._result(case, name, self._judged(case, name))

    def shows(self, case: Case, fault: Fault) -> bool:
        """Whether ``case`` shows ``fault``: what explained it still does, and where nothing did nothing does."""
        readings = tuple(BY_NAME[name] for name in fault.what.split(" and ") if name in BY_NAME)
        suspects = [readings] if readings else self._suspects

        def search(judge: Judge) -> Judge:
            return replace(judge, suspects=suspects, readings=())

        if self._pair:
            judgement = self._pair.compare(case, search)
        else:
            judgement = search(self._judge)(case, self._worker.run(case))
        result = self._result(case, "", judgement)
        return result.finding and fault_of(result) == fault

    def _result(self, case: Case, name: str, judgement: Judgement) -> Result:
        known = ""
        if judgement.failed:
            match = self._known.match(name, case, judgement)
            known = self._known.reason(match) or declared(self.description, judgement)
        return to_result(name, case, judgement, known=known)

    def _judged(self, case: Case, name: str) -> Judgement:
        if self._pair:
            return self._learn(self._pair.compare(case, lambda judge: judge))
        unrun = self._judge.without_running(case) or _known_to_end(self._known, NamedCase(name, case))
        if unrun:
            return unrun
        outcome = self._worker.run(case)
        judgement = replace(self._judge, readings=())(case, outcome)
        if not judgement.failed or judgement.explanation or judgement.place is None:
            return judgement
        fault = fault_of(to_result("", case, judgement))
        if self._unexplained[fault] < _DIAGNOSED:
            judgement = self._learn(self._judge(case, outcome))
            self._unexplained[fault] += not judgement.explanation
        return judgement

    def _learn(self, judgement: Judgement) -> Judgement:
        """Keeps the readings that explain a result, to try them first on the next."""
        readings = tuple(BY_NAME[each.id] for each in judgement.explanation)
        if readings and readings not in self._suspects:
            self._suspects.append(readings)
        return judgement


def _versions(description: Description) -> str:
    told = [*description.versions.items(), *description.settings.items()]
    return f"{description.name}: " + ", ".join(f"{name} {value}" for name, value in told if value)


def _known_to_end(known: KnownFailures, named: NamedCase) -> Judgement | None:
    """A case that is known to end or hang the process is not run: to start again costs hundreds of cases."""
    for entry in known.entries:
        verdicts = {entry.known.verdict} if isinstance(entry.known.verdict, str) else set(entry.known.verdict)
        if verdicts <= _FATAL and entry.known.matches(named):
            return Judgement("not judged", message=f"not run: {entry.known.told()}")
    return None
