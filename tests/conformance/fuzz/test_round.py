"""A round is played, replayed and shrunk."""

import time

import numpy as np
import pytest

from gatewise.fuzz.bench import FuzzBench, Subject
from gatewise.fuzz.fault import Fault
from gatewise.fuzz.round import Find, Round, _observed, play, shrink
from gatewise_corpus.case import Case, same_case
from gatewise_corpus.features import sizes

GRU = Fault("GRU", "wrong", "lengths-ignored")
STEERED = Round(5, 3, 60)


def drawn(bench: FuzzBench, round_: Round, monkeypatch: pytest.MonkeyPatch) -> list[Case]:
    """The cases of a round."""
    found: list[Case] = []
    run = bench.run

    def noted(case: Case, name: str = "") -> object:
        found.append(case)
        return run(case, name)

    with monkeypatch.context() as patched:
        patched.setattr(bench, "run", noted)
        play(bench, round_)
    return found


@pytest.mark.parametrize("round_", [Round(5, 0, 60), STEERED], ids=["plain", "steered"])
def test_seed_and_number_decide_the_cases(
    lengths_ignored: FuzzBench, round_: Round, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, again = (drawn(lengths_ignored, round_, monkeypatch) for _ in range(2))
    assert len(first) == len(again) == 60
    assert all(same_case(left, right) for left, right in zip(first, again, strict=True))
    others = drawn(lengths_ignored, Round(6, round_.number, 60), monkeypatch)
    assert sum(same_case(left, right) for left, right in zip(first, others, strict=False)) < 5


def test_each_fault_of_a_round_is_found_once_and_kept_at_once(lengths_ignored: FuzzBench) -> None:
    kept: list[Find] = []
    played = play(lengths_ignored, Round(3, 0), kept.append)
    assert played.cases == 100
    assert GRU in played.faults
    assert played.faults.total() > 10
    assert {fault.what for fault in played.faults} == {"lengths-ignored"}
    assert sorted(find.fault for find in kept) == sorted(played.finds) == sorted(played.faults)
    assert played.verdicts["wrong"] == played.faults.total()
    assert 0 < played.largest <= 1
    assert played.rows
    assert played.finds[GRU].result.case == GRU.name


def test_a_find_of_a_steered_round_shrinks_to_one_step_of_one_row(lengths_ignored: FuzzBench) -> None:
    played = play(lengths_ignored, Round(3, 3, operators=("GRU",)))
    find = played.finds[GRU]
    shrunk = shrink(lengths_ignored, find)
    assert shrunk.is_shrunk
    assert shrunk.fault == GRU
    assert sizes(shrunk.case) == {"seq": 1, "batch": 1, "input": 1, "hidden": 1}
    assert "direction" not in shrunk.case.attributes
    assert set(shrunk.case.inputs) == {"X", "W", "R", "sequence_lens"}
    assert lengths_ignored.run(shrunk.case).finding


def test_a_steered_round_is_played_again_up_to_its_find(
    lengths_ignored: FuzzBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = drawn(lengths_ignored, STEERED, monkeypatch)
    results = [lengths_ignored.run(case) for case in cases]
    observations = tuple(_observed(result) for result in results[:-1])
    find = Find(GRU, cases[-1], results[-1], STEERED, observations)
    tried: list[Case] = []

    def shows(case: Case, _: Fault) -> bool:
        tried.append(case)
        return False

    with monkeypatch.context() as patched:
        patched.setattr(lengths_ignored, "shows", shows)
        shrink(lengths_ignored, find)
    assert same_case(tried[0], cases[-1])


def test_only_time_stops_a_round_or_a_shrinking_early(lengths_ignored: FuzzBench) -> None:
    started = time.perf_counter()
    played = play(lengths_ignored, Round(3, 0, 100, seconds=0.0))
    assert played.cases == 0
    find = play(lengths_ignored, Round(3, 0)).finds[GRU]
    unshrunk = shrink(lengths_ignored, find, seconds=0.0)
    assert same_case(unshrunk.case, find.case)
    assert unshrunk.is_shrunk
    assert time.perf_counter() - started < 120


def test_what_is_known_to_end_the_process_is_not_run() -> None:
    inputs = {"X": np.zeros((2, 3, 0)), "W": np.zeros((1, 6, 0)), "R": np.ones((1, 6, 2))}
    case = Case("GRU", 14, {"hidden_size": 2}, {name: a.astype(np.float32) for name, a in inputs.items()}, ("Y",))
    with FuzzBench(Subject("onnxruntime")) as bench:
        result = bench.run(case)
    assert result.verdict == "not judged"
    assert result.message == "not run: GRU ends the process where a size is 0"
    with FuzzBench(Subject("onnxruntime", use_shipped=False)) as bench:
        assert bench.run(case).verdict == "crashed"
