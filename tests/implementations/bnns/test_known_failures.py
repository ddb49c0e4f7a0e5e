"""The lists of known failures of the model tell all that it refuses, and nothing else."""

import pytest

from gatewise.gate import GateOptions, run_gate
from gatewise.jobs import corpus_jobs
from gatewise_reports.record import Result, Stale


@pytest.mark.parametrize(
    ("spec", "passed"), [("bnns-model", 14), ("bnns-model:reset=name,biases=parameter,reverse=index", 84)]
)
def test_the_whole_corpus_is_as_the_list_says(spec: str, passed: int) -> None:
    records = list(run_gate(corpus_jobs(), GateOptions(spec, stale="all")))
    assert not [record for record in records if isinstance(record, Stale)]
    results = [record for record in records if isinstance(record, Result) and not record.subject]
    assert not [result for result in results if result.finding]
    assert sum(result.verdict == "pass" for result in results) >= passed
    assert {result.verdict for result in results if result.known} == {"unsupported"}
