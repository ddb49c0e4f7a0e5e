"""A run over a real Dask cluster of two worker processes, of which one is killed in the middle."""

import os
import signal
from collections.abc import Iterator

import pytest

from gatewise.fuzz.bench import Subject
from gatewise.fuzz.campaign import Campaign, Plan
from gatewise.fuzz.dealer import Deals, cluster_players
from gatewise_implementations.adapter import SetupError

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # what a dying worker's connections warn of is the point here


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The scheduler of a cluster of two processes of one thread each; a dead one is not started again."""
    config = {"distributed.nanny.environ": {}, "distributed.comm.timeouts.connect": "30s"}
    with (
        __import__("dask").config.set(config),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            worker_class=distributed.Nanny,
        ) as cluster,
    ):
        yield cluster.scheduler_address


def test_a_lost_worker_loses_only_its_unfinished_cases(address: str) -> None:
    plan = Plan(4, examples=600, cases=50)
    killed = None
    with cluster_players(address) as players, distributed.Client(address, set_as_default=False) as client:
        assert players.lanes == 2
        campaign = Campaign(Deals(Subject("reference:scalar,threads=1")), plan, players)
        pids = set(client.run(os.getpid).values())
        assert len(pids) == 2
        for totals in campaign.events():
            if totals.cases >= 100 and killed is None:
                killed = min(pids)
                os.kill(killed, signal.SIGKILL)
    assert killed is not None
    assert campaign.totals.cases == 600
    assert set(campaign.totals.verdicts) <= {"pass", "refused", "not judged"}


def test_finds_come_back_shrunk(address: str) -> None:
    with cluster_players(address) as players:
        deals = Deals(Subject("onnxruntime", use_shipped=False))
        campaign = Campaign(deals, Plan(3, examples=100, operators=("RNN",)), players)
        for _ in campaign.events():
            pass
    assert campaign.totals.cases == 100
    assert campaign.totals.finds
    assert all(find.is_shrunk for find in campaign.totals.finds.values())


def test_a_worker_of_another_version_is_told(address: str) -> None:
    with cluster_players(address) as players:
        campaign = Campaign(Deals(Subject("reference"), suite="0.0.0"), Plan(1, examples=1), players)
        with pytest.raises(SetupError, match=r"a worker has gatewise \S+, but this is gatewise 0\.0\.0"):
            next(campaign.events())


def test_a_scheduler_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gatewise.fuzz.dealer._CONNECT_SECONDS", 0.5)
    for wrong in ("tcp://127.0.0.1:1", "nonsense://x"):
        with pytest.raises(SetupError, match="cannot be reached"), cluster_players(wrong):
            pass
