"""What a report holds: a header, one result a case, stale known failures, a footer. Each is one JSON line.

The schemas in ``schemas/`` are made from these structures.
"""

import math
from typing import Annotated, Literal

import msgspec

FORMAT = 1
"""Raised when a field changes its meaning or goes."""

Verdict = Literal[
    "pass",
    "wrong",
    "other bits",
    "deviates",
    "differs",
    "refused",
    "unsupported",
    "accepted",
    "crashed",
    "raised",
    "timed out",
    "not judged",
]
VERDICTS: tuple[Verdict, ...] = Verdict.__args__  # type: ignore[attr-defined] # typing's way to list a Literal
EXPECTED: frozenset[Verdict] = frozenset({"pass", "refused", "not judged"})
"""The verdicts that are no finding: "refused" is the right answer to an invalid case."""

Judged = Literal["", "stepwise", "end-to-end"]
Number = float | Literal["NaN", "Infinity", "-Infinity"]
"""A float; JSON has no word for those that are not finite."""


def number(value: float) -> Number:
    """``value`` as JSON can hold it."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


class Implementation(msgspec.Struct, frozen=True, omit_defaults=True):
    """What ran: its name, the versions of its parts, its settings, the decisions (D01 ...) it says it differs on."""

    name: str
    versions: dict[str, str] = {}
    settings: dict[str, str] = {}
    decisions: tuple[str, ...] = ()


class Header(msgspec.Struct, frozen=True, tag="header", tag_field="record"):
    """The first line.

    Attributes:
        suite: version of gatewise.
        implementation: what was tested.
        spec: how it was named on the command line.
        machine: microarchitecture and operating system.
        started: time of the start, ISO 8601 with time zone.
        cases: how many results were planned.
        seed: seed of the generated cases.
        options: the other options of the run, as given.
        format: version of this format.
    """

    suite: str
    implementation: Implementation
    spec: str
    machine: str
    started: str
    cases: int
    seed: int
    options: dict[str, str] = {}
    format: int = FORMAT


class Place(msgspec.Struct, frozen=True):
    """One element of one output that is not what it should be.

    Attributes:
        output: "Y", "Y_h" or "Y_c".
        direction: "forward" or "reverse".
        row: index in the batch.
        step: how many steps of this row the direction computed before; for a final state, its last step; for an
            element past the row's length, its index in time.
        unit: index in the hidden size.
        index: index in the output tensor as the case lays it out.
        value: what the implementation gave.
        low, high: the admissible interval; "NaN" for both where NaN is demanded.
        times: distance from the middle of the interval, in half widths.
        past_length: whether the element lies past the row's length.
    """

    output: str
    direction: str
    row: int
    step: int
    unit: int
    index: tuple[int, ...]
    value: Number
    low: Number
    high: Number
    times: Number
    past_length: bool = False


class Curve(msgspec.Struct, frozen=True, omit_defaults=True):
    """The error of one output in one direction over the steps, in units of its bound.

    Attributes:
        output: "Y", "Y_h" or "Y_c".
        direction: "forward" or "reverse".
        errors: the largest error at each step, over rows and units, to four digits; None where no element is
            constrained. Steps are counted as in ``Place``. A final state has one number.
        stride: so many steps each number stands for, the last perhaps for fewer.
    """

    output: str
    direction: str
    errors: Annotated[tuple[Number | None, ...], msgspec.Meta(min_length=1)]
    stride: Annotated[int, msgspec.Meta(ge=1)] = 1


class Explanation(msgspec.Struct, frozen=True):
    """A reading of the specification that gives the whole output: its id, a sentence, the decision it differs on."""

    id: str
    says: str
    decision: str = ""


class Result(msgspec.Struct, frozen=True, tag="result", tag_field="record", omit_defaults=True):
    """What came of one case.

    Attributes:
        case: name of the case.
        line: the case in one line.
        verdict: one of ``VERDICTS``.
        seconds: time for running and judging.
        clause: id of the decision that the verdict rests on, or "" where it is the formulas of the specification.
        message: one sentence on what is wrong, or what the implementation said.
        place: the first element outside, in processing order.
        outside: how many elements of the outputs are outside.
        explanation: the readings that together give the whole output, if any do.
        ratio: largest error of an element, in units of its bound; 0 where nothing was compared.
        unconstrained: how many elements the model says nothing about.
        curves: where an element is outside, the errors of each output over the steps.
        judged: against which bound the values were held.
        subject: "" for the implementation of the header, else whose outputs these are: a recording's runtime.
        known: why the failure was expected; "" if it was not, or nothing failed.
        again: the command that runs the case again.
    """

    case: str
    line: str
    verdict: Verdict
    seconds: Annotated[float, msgspec.Meta(ge=0)]
    clause: str = ""
    message: str = ""
    place: Place | None = None
    outside: int = 0
    explanation: tuple[Explanation, ...] = ()
    ratio: Number = 0.0
    unconstrained: int = 0
    curves: tuple[Curve, ...] = ()
    judged: Judged = ""
    subject: str = ""
    known: str = ""
    again: str = ""

    @property
    def finding(self) -> bool:
        """Whether somebody should look at it."""
        return self.verdict not in EXPECTED and not self.known


class Stale(msgspec.Struct, frozen=True, tag="stale", tag_field="record"):
    """An entry of a list of known failures that no longer holds: a finding."""

    file: str
    entry: int
    reason: str
    why: str

    @property
    def finding(self) -> bool:
        """A stale entry always is one."""
        return True


class Footer(msgspec.Struct, frozen=True, tag="footer", tag_field="record"):
    """The last line; a report without one is unfinished.

    Attributes:
        verdicts: number of results by verdict.
        findings: number of findings, stale entries included.
        seconds: time of the whole run.
        finished: time of the end, ISO 8601 with time zone.
        complete: False where the run was stopped early: by --fail-fast or by an interrupt.
    """

    verdicts: dict[str, int]
    findings: int
    seconds: Annotated[float, msgspec.Meta(ge=0)]
    finished: str
    complete: bool = True


Record = Header | Result | Stale | Footer
