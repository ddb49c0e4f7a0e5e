from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from gatewise.gate import GateOptions, run_gate
from gatewise.jobs import Job, LoadedCase
from gatewise_corpus.case import Case
from gatewise_reports.record import Result


@dataclass(frozen=True, eq=False)
class NamedCase:
    """A case as a job."""

    name: str
    case: Case

    @property
    def selection(self) -> str:
        return f"--only {self.name}"

    def load(self) -> LoadedCase:
        return LoadedCase(self.case)


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Result]]:
    """What the gate says of cases on a planted implementation."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))

    def run(fault: str, *cases: Case, time_limit: float = 20.0, workers: int = 1) -> list[Result]:
        jobs: list[Job] = [NamedCase(f"case-{index}", case) for index, case in enumerate(cases)]
        options = GateOptions(f"backend:planted:fault_{fault}", time_limit=time_limit, workers=workers)
        return [record for record in run_gate(jobs, options) if isinstance(record, Result)]

    return run
