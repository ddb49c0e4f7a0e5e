"""A run: dealt out, gathered, told apart, kept, remembered; nothing is lost with a process."""

import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path

import pytest

from gatewise.fuzz.bench import Subject
from gatewise.fuzz.campaign import Campaign, Plan, Totals
from gatewise.fuzz.dealer import Deals, Players, local_players
from gatewise.fuzz.finds import Finds
from gatewise.fuzz.round import Played, Round
from gatewise_corpus.features import sizes
from gatewise_implementations.adapter import SetupError

MUTANT = f"serve:{sys.executable} -m gatewise.mutant"


class InThisProcess(Executor):
    """Does the work when it is asked for."""

    def submit(self, fn: Callable[..., object], /, *args: object, **kwargs: object) -> Future[object]:  # type: ignore[override]
        future: Future[object] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - as an executor does
            future.set_exception(error)
        return future


@pytest.fixture
def players() -> Players:
    return Players(1, InThisProcess, may_renew=False)


def run(spec: str, plan: Plan, players: Players, finds: Finds | None = None) -> Totals:
    campaign = Campaign(Deals(Subject(spec), finds), plan, players, finds)
    for _ in campaign.events():
        pass
    return campaign.totals


def test_a_number_of_cases_is_dealt_in_rounds() -> None:
    rounds = list(Plan(5, examples=250, operators=("GRU",)).rounds())
    assert [(each.seed, each.number, each.cases) for each in rounds] == [(5, 0, 100), (5, 1, 100), (5, 2, 50)]
    assert {each.operators for each in rounds} == {("GRU",)}
    endless = Plan(5, seconds=1.0).rounds()
    assert [next(endless).cases for _ in range(5)] == [100] * 5


def test_two_faults_are_found_shrunk_kept_and_remembered(tmp_path: Path, players: Players) -> None:
    finds, plan = Finds(tmp_path), Plan(3, examples=150, operators=("GRU",))
    finds.open()
    totals = run(f"{MUTANT} clip-upper-only linear-before-reset-ignored", plan, players, finds)
    assert totals.cases == 150
    whats = {fault.what for fault in totals.finds}
    assert {"clip-upper-only", "linear-before-reset-ignored"} <= whats
    assert len(whats) <= 4
    assert all(find.is_shrunk for find in totals.finds.values())
    for what in ("clip-upper-only", "linear-before-reset-ignored"):
        find = next(find for fault, find in totals.finds.items() if fault.what == what)
        assert find.case.inputs["X"].size <= 2, what
        assert sizes(find.case)["hidden"] == 1
        assert totals.faults[find.fault] >= 1
    assert sorted(name for name, _ in finds.remembered()) == sorted(fault.name for fault in totals.finds)
    assert 0 < totals.pairs.reached < totals.pairs.feasible
    assert totals.pairs.reached < totals.triples.reached < totals.triples.feasible

    again = run(f"{MUTANT} clip-upper-only", replace(plan, examples=30), players, finds)
    assert {fault.what for fault in again.remembered} <= {"clip-upper-only", "clip-ignored"}
    assert "clip-upper-only" in {fault.what for fault in again.remembered}
    assert again.finds.keys() & again.remembered == set()
    assert any("linear-before-reset" in name for name in again.gone)


def test_a_fault_that_shrinks_to_another_is_that_one(tmp_path: Path, players: Players) -> None:
    finds = Finds(tmp_path)
    finds.open()
    totals = run(f"{MUTANT} empty-row-runs-one-step", Plan(3, examples=200, operators=("RNN",)), players, finds)
    assert {fault.name for fault in totals.finds} == {name for name, _ in finds.remembered()}
    assert sum(totals.faults.values()) == totals.verdicts["wrong"]
    assert totals.faults.keys() == totals.finds.keys()


def test_time_ends_a_run(players: Players) -> None:
    totals = run("reference:scalar,threads=1", Plan(1, seconds=1.5), players)
    assert totals.cases > 0
    assert set(totals.verdicts) <= {"pass", "refused", "not judged"}


def test_an_implementation_that_is_not_there_is_a_set_up_error(players: Players) -> None:
    with pytest.raises(SetupError, match="'nothing' is not one of"):
        run("nothing", Plan(1, examples=1), players)


class DyingDeals(Deals):
    """Each round, when it is played first, takes its process with it."""

    def play(self, round_: Round) -> Played:
        mark = Path(os.environ["GATEWISE_TEST_MARKS"]) / str(round_.number)
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().play(round_)


def test_what_a_killed_process_had_not_finished_is_dealt_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEWISE_TEST_MARKS", str(tmp_path))
    deals = _importable(DyingDeals, monkeypatch)(Subject("reference:scalar,threads=1"))
    with local_players(1) as players:
        campaign = Campaign(deals, Plan(2, examples=60, cases=30), players)
        for _ in campaign.events():
            pass
    assert campaign.totals.cases == 60
    assert campaign.totals.redealt >= 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "1"]


def _importable(kind: type[Deals], monkeypatch: pytest.MonkeyPatch) -> type[Deals]:
    """The class as another process can import it."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    module = __import__("test_campaign")
    found: type[Deals] = getattr(module, kind.__name__)
    return found
