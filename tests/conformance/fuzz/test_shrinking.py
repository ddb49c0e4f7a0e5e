"""From a planted fault the case found is the smallest that shows it: for a sample, and on demand for all."""

import sys
from collections.abc import Iterator

import numpy as np
import pytest

from gatewise.contents import Contents
from gatewise.fuzz.bench import FuzzBench, Subject
from gatewise.fuzz.fault import Fault
from gatewise.fuzz.round import Round, play, shrink
from gatewise.judge import Judge
from gatewise.mutant import Mutant
from gatewise_corpus.case import Case
from gatewise_corpus.description import Description
from gatewise_corpus.features import sizes
from gatewise_corpus.layer import read_layer
from gatewise_corpus.operators import DIRECTIONS, OPERATORS
from gatewise_implementations.adapter import RefusalError
from gatewise_oracle.misreadings import SUBJECTS
from gatewise_oracle.readings import Reading

ROUNDS = 6
SEEDS = 30
VALUE_FAULTS = [reading for subject, readings in SUBJECTS.items() if subject != "validation" for reading in readings]
SAMPLE = [readings[0] for subject, readings in SUBJECTS.items() if subject != "validation"]
"""The first misreading of each subject."""


def found(reading: Reading, operator: str) -> Case | None:
    """The shrunk case of a mutant on one operator; None where some rounds do not find its fault."""
    spec = f"serve:{sys.executable} -m gatewise.mutant {reading.name}"
    fault = Fault(operator, "wrong", reading.name)
    with FuzzBench(Subject(spec)) as bench:
        for number in range(ROUNDS):
            find = play(bench, Round(1, number, operators=(operator,))).finds.get(fault)
            if find:
                return shrink(bench, find).case
    return None


def smaller(case: Case) -> Iterator[Case]:
    """Cases of the same options in which one size is smaller by one, or a direction is gone, with other values."""
    direction = case.attributes.get("direction", "forward")
    for name, size in sizes(case).items():
        if size > 1:
            yield from redrawn(case, {**sizes(case), name: size - 1}, str(direction))
    if direction == "bidirectional":
        for other in ("forward", "reverse"):
            yield from redrawn(case, sizes(case), other)


def redrawn(case: Case, wanted: dict[str, int], direction: str) -> Iterator[Case]:
    operator, layout = OPERATORS[case.operator], int(case.attributes.get("layout") == 1)
    names = case.attributes.get("activations")
    per_direction = len(operator.default_activations)
    attributes = {**case.attributes, "hidden_size": wanted["hidden"], "direction": direction}
    if isinstance(names, tuple) and direction != "bidirectional":
        attributes["activations"] = names[:per_direction]
    for seed in range(SEEDS):
        contents = Contents("uniform", seed)
        dims = {**wanted, "dirs": len(DIRECTIONS[direction])}
        inputs = contents.tensors(operator, dims, layout, [name for name in case.inputs if name != "sequence_lens"])
        if "sequence_lens" in case.inputs:
            lengths = contents.generator("lengths").integers(0, wanted["seq"] + 1, wanted["batch"])
            inputs["sequence_lens"] = lengths.astype(np.int32)
        yield case.replace(attributes=attributes, inputs=inputs)


def is_smallest(reading: Reading, case: Case) -> bool:
    mutant = Mutant((reading,))
    judge = Judge(Description("mutant"), mutant.run, diagnoses=False)
    return not any(shows(judge, mutant, reading, each) for each in smaller(case))


def shows(judge: Judge, mutant: Mutant, reading: Reading, case: Case) -> bool:
    if not reading.touches(case, read_layer(case)):
        return False
    try:
        return judge(case, mutant.run(case)).failed
    except RefusalError:
        return False


def shares(readings: list[Reading]) -> tuple[list[str], list[str], list[str]]:
    """Which faults shrink to the smallest, which do not, and which are not found."""
    outcomes: dict[str, list[str]] = {"smallest": [], "larger": [], "not found": []}
    for reading in readings:
        operator = reading.operators[0]
        case = found(reading, operator)
        kind = "not found" if case is None else "smallest" if is_smallest(reading, case) else "larger"
        outcomes[kind].append(f"{operator} {reading.name}")
    return outcomes["smallest"], outcomes["larger"], outcomes["not found"]


def test_nine_of_ten_faults_shrink_to_the_smallest_case_that_shows_them() -> None:
    smallest, larger, missed = shares(SAMPLE)
    assert len(missed) <= 2, missed
    assert len(smallest) >= 0.9 * (len(smallest) + len(larger)), larger


@pytest.mark.shrinking
@pytest.mark.timeout(7200)
def test_nine_of_ten_of_all_faults_do() -> None:
    smallest, larger, missed = shares(VALUE_FAULTS)
    print(f"\n{len(smallest)} smallest, {len(larger)} larger: {larger}; not found: {missed}")  # noqa: T201
    assert len(smallest) >= 0.9 * (len(smallest) + len(larger)), larger
