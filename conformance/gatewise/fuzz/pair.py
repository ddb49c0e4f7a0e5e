"""Two implementations compared directly: with each other, and not with what is right.

Both are held against the radius of the model, and not against its center: what both get wrong in the same way is no
difference. The radius belongs to steps whose previous state is anywhere between those of the two, so that it does not
grow along the sequence, and chaotic recurrences can be compared.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from gatewise.comparison import compare, form_problem
from gatewise.judge import Judge, refusal_reason
from gatewise.judgement import Judgement
from gatewise_corpus.case import Array, Case, same_bits
from gatewise_corpus.layer import Layer, outputs_from_layout, read_layer
from gatewise_corpus.outcome import Crashed, Outcome, Raised, Ran, Refused, TimedOut
from gatewise_corpus.refusal import INVALID
from gatewise_implementations.process import Worker
from gatewise_oracle.ball import Ball, from_float16
from gatewise_oracle.model import stepwise
from gatewise_oracle.tolerance import Tolerance
from gatewise_reports.record import Verdict

Outputs = Mapping[str, Array]
Search = Callable[[Judge], Judge]
_DOES: dict[type[Outcome], str] = {
    Ran: "runs",
    Refused: "refuses",
    Crashed: "crashes",
    Raised: "raises an error",
    TimedOut: "does not answer",
}
_FAILED: dict[type[Outcome], Verdict] = {Crashed: "crashed", Raised: "raised", TimedOut: "timed out"}


@dataclass(frozen=True)
class Pair:
    """Two implementations.

    Attributes:
        name: how the command line calls the other.
        worker, other: their processes.
        judge, other_judge: tell which of them is wrong where they differ.
    """

    name: str
    worker: Worker
    other: Worker
    judge: Judge
    other_judge: Judge

    def compare(self, case: Case, search: Search) -> Judgement:
        """How the implementation's outcome of ``case`` differs from the other's; "pass" where it does not.

        ``search`` is what becomes of a judge: how far it looks for an explanation.
        """
        reason = refusal_reason(case)
        if reason and reason not in INVALID:
            return Judgement("not judged", message="beyond what an implementation must support")
        outcome, other = self.worker.run(case), self.other.run(case)
        if isinstance(outcome, Ran) and isinstance(other, Ran):
            return self._compare(case, outcome, other, search) if not reason else Judgement("pass")
        return self._apart(outcome, other, is_valid=not reason)

    def _apart(self, outcome: Outcome, other: Outcome, *, is_valid: bool) -> Judgement:
        """At least one of them did not run."""
        does, other_does = _DOES[type(outcome)], _DOES[type(other)]
        message = f"it {does}, and {self.name} {other_does}"
        if does == other_does:
            return Judgement("refused" if isinstance(outcome, Refused) else "not judged", message=message)
        for each in (outcome, other):
            if type(each) in _FAILED:
                return Judgement(_FAILED[type(each)], message=message)
        return Judgement("not judged" if is_valid else "accepted", message=message)

    def _compare(self, case: Case, ran: Ran, other: Ran, search: Search) -> Judgement:
        for who, outputs in (("", ran.outputs), (f"of {self.name}: ", other.outputs)):
            problem = form_problem(case, outputs)
            if problem:
                return Judgement("wrong", message=f"{who}{problem}")
        if self.judge.is_exact and self.other_judge.is_exact:
            return self._compare_bits(ran.outputs, other.outputs)
        twins = (ran, other) if "Y" in case.outputs else self._twins(case)
        if twins is None:
            return Judgement("not judged", message="Y is not requested, and a twin that requests it did not run")
        layer = read_layer(case)
        layout = layer.attributes.layout
        radius = self._radius(layer, *(outputs_from_layout(twin.outputs, layout) for twin in twins))
        outputs, others = (outputs_from_layout(each.outputs, layout) for each in (ran, other))
        balls = {name: _around(others[name], radius[name], array) for name, array in outputs.items()}
        comparison = compare(layer, outputs, balls)
        judgement = Judgement(
            "pass" if comparison.place is None else "differs",
            place=comparison.place,
            outside=comparison.outside,
            ratio=comparison.ratio,
            unconstrained=comparison.unconstrained,
            judged="stepwise",
        )
        return judgement if comparison.place is None else self._blamed(case, judgement, (ran, other), search)

    def _blamed(self, case: Case, judgement: Judgement, outcomes: tuple[Ran, Ran], search: Search) -> Judgement:
        """A difference, with what the model says of both."""
        judges = (search(self.judge), search(self.other_judge))
        judged = [judge(case, outcome) for judge, outcome in zip(judges, outcomes, strict=True)]
        wrong = [who for who, each in zip(("it", self.name), judged, strict=True) if each.failed]
        message = f"by the model {' and '.join(wrong) or 'neither'} {'are' if len(wrong) > 1 else 'is'} wrong"
        explained = [each.explanation for each in judged if each.explanation]
        return replace(judgement, message=message, explanation=explained[0] if explained else ())

    def _compare_bits(self, outputs: Outputs, others: Outputs) -> Judgement:
        for name, array in outputs.items():
            if not same_bits(array, others[name]):
                return Judgement("differs", "equal bits", f"output {name} has other bits than that of {self.name}")
        return Judgement("pass", judged="stepwise")

    def _twins(self, case: Case) -> tuple[Ran, Ran] | None:
        twin = case.replace(outputs=read_layer(case).operator.output_names)
        outcomes = self.worker.run(twin), self.other.run(twin)
        first, second = outcomes
        if not (isinstance(first, Ran) and isinstance(second, Ran)):
            return None
        return None if any(form_problem(twin, each.outputs) for each in (first, second)) else (first, second)

    def _radius(self, layer: Layer, outputs: Outputs, others: Outputs) -> dict[str, Ball]:
        """The balls of steps from any previous state between the two, wide enough for the errors of both."""
        errors = [worker.describe().activation_errors for worker in (self.worker, self.other)]
        tolerances = [Tolerance.for_operator(layer.operator.name, each) for each in errors]
        own, other = (stepwise(layer, _between(outputs["Y"], others["Y"]), tolerance) for tolerance in tolerances)
        return {
            name: Ball(ball.center, ball.radius + other[name].radius, ball.finite and other[name].finite)
            for name, ball in own.items()
        }


def _between(first: Array, second: Array) -> Ball:
    """The smallest ball that holds the states of both; where only one is a number, nothing is constrained."""
    hidden = np.zeros(first.shape)
    if first.dtype == np.float16:
        hidden = np.maximum(from_float16(first).radius, from_float16(second).radius)
    first, second = first.astype(np.float64), second.astype(np.float64)
    with np.errstate(invalid="ignore"):
        same = (first == second) | (np.isnan(first) & np.isnan(second))
        known = np.isfinite(first) & np.isfinite(second)
        center = np.where(same, first, np.where(known, (first + second) / 2, 0))
        radius = np.where(same, 0, np.where(known, np.abs(first - second) / 2, np.inf))
    radius += np.where(np.isfinite(center), hidden, 0)
    return Ball(center, radius, bool(np.isfinite(center).all() and np.isfinite(radius).all()))


def _around(array: Array, ball: Ball, other: Array) -> Ball:
    """``array`` with the radius of ``ball``; where the formulas give no number, two numbers are not compared."""
    center = array.astype(np.float64)
    numbers = np.isfinite(center) & np.isfinite(other)
    free = ball.free | (numbers & ~np.isfinite(ball.center))
    radius = np.where(free, np.inf, np.where(np.isfinite(center), ball.radius, 0))
    center = np.where(free & ~np.isfinite(center), 0, center)
    return Ball(center, radius, bool(np.isfinite(center).all() and not free.any()))
