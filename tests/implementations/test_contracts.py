"""What adapters declare to differ on is what the table of contracts says, and it names decisions that exist."""

from importlib.util import find_spec

import pytest

from gatewise.gate import GateOptions, run_gate
from gatewise.jobs import CorpusJob
from gatewise_corpus.store import cases_root
from gatewise_implementations.adapter import SetupError
from gatewise_implementations.contracts import CONTRACTS, declared
from gatewise_implementations.process import Worker
from gatewise_implementations.specs import ADAPTERS
from gatewise_reports.record import Result

ALWAYS_INSTALLED = ("reference", "onnxruntime", "onnx-reference", "bnns-model")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in ALWAYS_INSTALLED else pytest.mark.runtime) for name in ADAPTERS],
)
def test_an_adapter_declares_what_the_table_says(name: str) -> None:
    if find_spec(ADAPTERS[name].needs) is None:
        pytest.skip(f"{ADAPTERS[name].needs} is not installed")
    try:
        with Worker(name) as worker:
            assert worker.describe().decisions == declared(name)
    except SetupError as error:
        pytest.skip(f"it cannot start here: {error}")


def test_the_table_is_about_adapters_and_each_decision_once() -> None:
    adapters = [contract.adapter for contract in CONTRACTS]
    assert len(set(adapters)) == len(adapters)
    assert set(adapters) <= ADAPTERS.keys()
    for contract in CONTRACTS:
        decisions = [point.decision for point in contract.points]
        assert decisions == sorted(set(decisions))
        assert set(decisions) <= {f"D{number:02}" for number in range(1, 37)}
    assert declared("keras") == ("D14",)
    assert declared("torch") == declared("openvino-cell") == ()


@pytest.mark.runtime
def test_a_declared_deviation_is_known_without_a_list() -> None:
    if find_spec("keras") is None:
        pytest.skip("keras is not installed")
    name = "gru/lengths-all-empty-reverse"
    records = run_gate([CorpusJob(name, cases_root() / name)], GateOptions("keras", use_shipped=False))
    (result,) = (record for record in records if isinstance(record, Result) and not record.subject)
    assert (result.verdict, result.clause, result.known) == ("deviates", "D14", "the implementation declares D14")
