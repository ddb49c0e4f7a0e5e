"""The pytest plugin: ``pytest --gatewise-implementation SPEC`` makes a test of every case of the corpus.

No test file is needed. Each pytest process has one process of the implementation. A known failure is an expected
failure, and an entry of the list none of whose cases fails makes the run fail.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from gatewise.gate import Bench, GateOptions, open_benches
from gatewise.jobs import CorpusJob, corpus_jobs
from gatewise.known_failures import KnownFailuresError, Match
from gatewise_corpus.onnx_model import FormatError
from gatewise_implementations.adapter import SetupError
from gatewise_implementations.process import TIME_LIMIT
from gatewise_reports.failure import failure_lines
from gatewise_reports.record import Result

NODE = "gatewise"
"""The first part of every node id."""
KNOWN = "gatewise_known_failure"
"""The property of a test report that names an entry about its case: file, number, reason, whether it failed so."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options; without ``--gatewise-implementation`` the plugin does nothing."""
    group = parser.getgroup("gatewise", "conformance of ONNX RNN, GRU and LSTM")
    group.addoption("--gatewise-implementation", metavar="SPEC", help="The implementation to test.")
    group.addoption("--gatewise-cases", metavar="PATH", type=Path, help="Folder of cases instead of the corpus.")
    group.addoption(
        "--gatewise-known-failures",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="A list of known failures; may be repeated.",
    )
    group.addoption("--gatewise-time-limit", metavar="SECONDS", type=float, default=TIME_LIMIT, help="For one case.")


def pytest_configure(config: pytest.Config) -> None:
    """Adds the corpus to the session where an implementation is named."""
    spec = config.getoption("--gatewise-implementation")
    if spec is not None:
        options = GateOptions(
            spec,
            time_limit=config.getoption("--gatewise-time-limit"),
            known_failures=config.getoption("--gatewise-known-failures"),
        )
        config.pluginmanager.register(CorpusSession(options, config), "gatewise-session")


class CorpusSession:
    """The cases of one pytest session, and the implementation's process that they share."""

    def __init__(self, options: GateOptions, config: pytest.Config) -> None:
        self._options = options
        self._config = config
        self._stack = ExitStack()
        self._bench: Bench | None = None
        self._jobs: list[CorpusJob] = []
        self._ran: set[str] = set()
        self._entries: dict[tuple[str, int, str], bool] = {}

    @property
    def has_whole_corpus(self) -> bool:
        """Whether the cases are those of the corpus."""
        return self._config.getoption("--gatewise-cases") is None

    @property
    def bench(self) -> Bench:
        """The implementation, started by the first test that asks for it."""
        if self._bench is None:
            (self._bench,) = self._stack.enter_context(open_benches(self._options))
        return self._bench

    def pytest_sessionstart(self) -> None:
        """Finds the cases and starts the implementation once, so that bad input ends the session with a sentence."""
        try:
            self._jobs = corpus_jobs(self._config.getoption("--gatewise-cases"))
            if not self._config.getoption("collectonly"):
                self._entries = {
                    (entry.file, entry.number, entry.known.reason): False
                    for entry in self.bench.known.entries
                    if self.has_whole_corpus or not entry.shipped
                }
                if self._runs_elsewhere():
                    self._stack.close()
        except (FormatError, KnownFailuresError, SetupError) as error:
            raise pytest.UsageError(str(error)) from error

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Adds the cases before other plugins select: -k, --last-failed, xdist."""
        corpus = CorpusNode.from_parent(session, name=NODE, nodeid=NODE)
        items.extend(CaseItem.from_parent(corpus, name=job.name, job=job, session_plugin=self) for job in self._jobs)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Counts the entries of known failures, in the process that has all reports."""
        if report.when != "call" or not report.nodeid.startswith(f"{NODE}::"):
            return
        self._ran.add(report.nodeid)
        for name, value in report.user_properties:
            if name == KNOWN and isinstance(value, tuple | list):
                file, number, reason, failed = value
                entry = (str(file), int(str(number)), str(reason))
                self._entries[entry] = self._entries.get(entry, False) or bool(failed)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Ends the implementation; stale entries make the session fail."""
        self._stack.close()
        if self._stale() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Names the stale entries."""
        stale = self._stale()
        if stale:
            terminalreporter.section("stale known failures")
        for file, number, reason in stale:
            terminalreporter.write_line(
                f"entry {number} of {file} ({reason}): no case that it matches fails in this way"
            )

    def _stale(self) -> list[tuple[str, int, str]]:
        """The entries that told of no failure; only a run of every case can say so."""
        if len(self._ran) < len(self._jobs) or hasattr(self._config, "workerinput"):
            return []
        return [entry for entry, failed in self._entries.items() if not failed]

    def _runs_elsewhere(self) -> bool:
        """Whether xdist's workers run the tests, and this process none."""
        return self._config.getoption("dist", "no") != "no" and not hasattr(self._config, "workerinput")


class CorpusNode(pytest.Collector):
    """The parent of the cases."""

    def collect(self) -> Iterable[pytest.Item]:
        """Nothing: the session adds the cases itself."""
        return ()


class CaseItem(pytest.Item):
    """One case of the corpus as a test."""

    def __init__(self, *, job: CorpusJob, session_plugin: CorpusSession, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._job = job
        self._session_plugin = session_plugin

    def runtest(self) -> None:
        """Runs and judges the case.

        Raises:
            VerdictError: if the result is a finding.
        """
        bench = self._session_plugin.bench
        judged = bench.run(self._job, with_given=False)[0]
        self.user_properties += _properties(bench, judged.match, with_shipped=self._session_plugin.has_whole_corpus)
        result = judged.result
        if result.known:
            pytest.xfail(f"{result.verdict}: {result.known}")
        if result.finding:
            raise VerdictError(result)
        if result.verdict == "not judged":
            pytest.skip(result.message)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The failure in words; a traceback of the suite tells nothing about it."""
        if isinstance(excinfo.value, VerdictError):
            return "\n".join(failure_lines(excinfo.value.result))
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where the case stands, and its name."""
        return self._job.folder, None, f"{NODE} {self.name}"


class VerdictError(Exception):
    """A result that is a finding."""

    def __init__(self, result: Result) -> None:
        self.result = result
        super().__init__(f"{result.case}: {result.verdict}")


def _properties(bench: Bench, match: Match, *, with_shipped: bool) -> Iterator[tuple[str, object]]:
    """The entries about a case; somebody's own cases cannot show that an entry of a shipped list is stale."""
    for index in match.about:
        entry = bench.known.entries[index]
        if entry.shipped and not with_shipped:
            continue
        yield KNOWN, (entry.file, entry.number, entry.known.reason, index in match.telling)
