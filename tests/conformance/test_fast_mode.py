"""Every kernel path in fast mode lies inside the model's bound, on all valid cases of the corpus."""

import pytest

from gatewise.judge import Judge
from gatewise_corpus.store import load_entries
from gatewise_implementations.reference import make_adapter
from gatewise_implementations.reference_library import kernel_paths


@pytest.mark.parametrize("path", [path.name for path in kernel_paths() if path.available])
def test_a_path(path: str) -> None:
    adapter = make_adapter(f"{path},threads=1,mode=fast")
    judge = Judge(adapter.describe(), rerun=adapter.run)
    cases = {entry.name: entry.case for entry in load_entries() if not entry.about.refuse}
    verdicts = {
        name: judge(case, adapter.run(case)).verdict
        for name, case in cases.items()
        if case.inputs["X"].dtype != "float64"  # the reference refuses it (D30)
    }
    assert len(verdicts) > 500
    assert {name: verdict for name, verdict in verdicts.items() if verdict != "pass"} == {}
