import sys
from collections.abc import Iterator

import pytest

from gatewise.fuzz.bench import FuzzBench, Subject

MUTANT = f"serve:{sys.executable} -m gatewise.mutant"


@pytest.fixture(scope="module")
def lengths_ignored() -> Iterator[FuzzBench]:
    """The model, but for sequence_lens, which it does not read."""
    with FuzzBench(Subject(f"{MUTANT} lengths-ignored")) as bench:
        yield bench
