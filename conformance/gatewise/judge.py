"""The judge: from a case and what came of it to a verdict (D01; docs/verdicts.md)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gatewise.comparison import Comparison, compare, form_problem
from gatewise.curves import error_curves
from gatewise.diagnose import READINGS, Diagnosis, diagnose, diagnose_acceptance, diagnose_form
from gatewise.exactness import digest_problem, judge_exactness
from gatewise.judgement import Judgement
from gatewise_corpus.case import Array, Case, same_bits
from gatewise_corpus.description import Description
from gatewise_corpus.exact_hashes import EXACT_HASHES
from gatewise_corpus.layer import Layer, output_to_layout, outputs_from_layout, read_layer
from gatewise_corpus.outcome import Crashed, Outcome, Raised, Ran, Refused, TimedOut, digest
from gatewise_corpus.refusal import INVALID, REASONS, UNSUPPORTED, RefusedError
from gatewise_implementations.adapter import SetupError
from gatewise_oracle.ball import Ball
from gatewise_oracle.explanation import tells
from gatewise_oracle.model import end_to_end, stepwise
from gatewise_oracle.readings import Reading
from gatewise_oracle.tolerance import Tolerance
from gatewise_reports.record import Explanation, Judged

Rerun = Callable[[Case], Outcome]
_OUTSIDE = "no float32 evaluation of the formulas gives these values"
SHOWN = 16
"""So many digits of a hash are told; the whole would fill the line."""
_IN_TWIN = "in the twin of the case that requests every output"


@dataclass(frozen=True)
class Judge:
    """Judges the outcomes of one implementation.

    Attributes:
        description: what the implementation says of itself; its activation errors widen the bounds.
        rerun: runs another case on the implementation, for the twin of a case that does not request Y (D31);
            None where it is not at hand, as for recorded outputs.
        diagnoses: whether wrong outputs are diagnosed; who only counts them saves the time.
        suspects: readings that explained other outputs of the implementation, to be tried first.
        readings: those that are tried then.
    """

    description: Description
    rerun: Rerun | None = None
    diagnoses: bool = True
    suspects: Sequence[tuple[Reading, ...]] = ()
    readings: Sequence[Reading] = READINGS

    def __post_init__(self) -> None:
        """Raises SetupError if the description declares errors of no activation, or errors that are none."""
        try:
            Tolerance.for_operator("", self.description.activation_errors)
        except ValueError as error:
            raise SetupError(f"{self.description.name}: {error}") from error

    def __call__(self, case: Case, outcome: Outcome) -> Judgement:
        """The verdict on ``outcome``."""
        layer, reason = _read(case)
        if isinstance(outcome, Ran):
            return self._judge_ran(case, layer, reason, outcome)
        if isinstance(outcome, Refused):
            return _judge_refusal(outcome, reason)
        if isinstance(outcome, Crashed):
            return Judgement("crashed", message=_crashed(outcome))
        if isinstance(outcome, TimedOut):
            return _judge_time_out(outcome, reason)
        return Judgement("raised", message=_raised(outcome))

    def without_running(self, case: Case) -> Judgement | None:
        """The verdict on a case that need not be run: only the reference promises the scratch limit (D36)."""
        if not self.is_exact and refusal_reason(case) == "scratch-limit":
            return Judgement("not judged", message="only exact mode promises to refuse a case of this size")
        return None

    def judge_bits(self, outputs: Mapping[str, Array], exact_hash: str) -> Judgement | None:
        """The verdict on outputs that have passed but are not those of the committed hash; None where they are.

        Args:
            outputs: the outputs as the case requests them.
            exact_hash: their hash in exact mode, or "" where none is expected.
        """
        given = digest(outputs) if self.is_exact and exact_hash else exact_hash
        if given == exact_hash:
            return None
        message = f"the outputs have the hash {given[:SHOWN]}, but {EXACT_HASHES} says {exact_hash[:SHOWN]}"
        return Judgement("other bits", "exact mode", message)

    @property
    def is_exact(self) -> bool:
        """Whether the implementation promises exact mode."""
        return self.description.settings.get("mode") == "exact"

    def _judge_ran(self, case: Case, layer: Layer | None, reason: str, ran: Ran) -> Judgement:
        if reason in INVALID:
            return self._judge_acceptance(case, reason, ran)
        if layer is None:
            return Judgement("not judged", message=REASONS[reason])
        malformed = _judge_form(case, ran)
        if malformed:
            return self._with_reading_of_form(case, layer, ran, malformed)
        outputs = outputs_from_layout(ran.outputs, layer.attributes.layout)
        if "Y" in outputs:
            balls = stepwise(layer, outputs["Y"], self._tolerance(layer))
            return self._judge_stepwise(case, layer, outputs, balls)
        return self._judge_final_states(case, layer, outputs)

    def _judge_acceptance(self, case: Case, reason: str, ran: Ran) -> Judgement:
        reading = diagnose_acceptance(case, reason, ran.outputs) if self.diagnoses else None
        told = _told((reading,)) if reading else ()
        return Judgement("accepted", message=f"it ran, but {REASONS[reason]}", explanation=told)

    def _with_reading_of_form(self, case: Case, layer: Layer, ran: Ran, malformed: Judgement) -> Judgement:
        reading = diagnose_form(case, ran.outputs, self._tolerance(layer)) if self.diagnoses else None
        return replace(malformed, explanation=_told((reading,))) if reading else malformed

    def _judge_stepwise(
        self, case: Case, layer: Layer, outputs: Mapping[str, Array], balls: Mapping[str, Ball]
    ) -> Judgement:
        """Every step from the implementation's own previous output, so that no error grows along the sequence."""
        comparison = compare(layer, outputs, balls)
        if comparison.place is not None:
            judgement = self._explained(case, layer, outputs, comparison, "stepwise")
            return self._with_curves(judgement, layer, outputs, balls)
        if self.is_exact:
            broken = judge_exactness(layer, outputs)
            if broken is not None:
                return broken
        return _inside(comparison)

    def _explained(
        self, case: Case, layer: Layer, outputs: Mapping[str, Array], comparison: Comparison, judged: Judged
    ) -> Judgement:
        """Wrong, or a deviation where readings of open points give the whole output."""
        given = {name: output_to_layout(name, array, layer.attributes.layout) for name, array in outputs.items()}
        found = self._diagnose(case, layer, given) if self.diagnoses else Diagnosis((), "")
        affects = f" ({found.affects})" if found.affects else ""
        return Judgement(
            "deviates" if found.decisions else "wrong",
            ", ".join(found.decisions) or _clause(comparison),
            "" if found.decisions else f"{_OUTSIDE}{affects}",
            comparison.place,
            comparison.outside,
            _told(found.readings),
            comparison.ratio,
            comparison.unconstrained,
            judged,
        )

    def _with_curves(
        self, judgement: Judgement, layer: Layer, outputs: Mapping[str, Array], balls: Mapping[str, Ball]
    ) -> Judgement:
        return replace(judgement, curves=error_curves(layer, outputs, balls)) if self.diagnoses else judgement

    def _diagnose(self, case: Case, layer: Layer, outputs: Mapping[str, Array]) -> Diagnosis:
        return diagnose(case, outputs, self._tolerance(layer), self.suspects, self.readings)

    def _judge_final_states(self, case: Case, layer: Layer, outputs: Mapping[str, Array]) -> Judgement:
        """Without Y, the twin that requests every output is judged, and the outputs asked for must be its (D31)."""
        twin_case = case.replace(outputs=layer.operator.output_names)
        twin = self.rerun(twin_case) if self.rerun else None
        if not isinstance(twin, Ran):
            why = "the twin that requests it did not run" if self.rerun else "there is no twin that requests it"
            return self._judge_end_to_end(case, layer, outputs, f"Y is not requested, {why}")
        malformed = _judge_form(twin_case, twin)
        if malformed:
            return replace(malformed, message=f"{_IN_TWIN}, {malformed.message}")
        twin_outputs = outputs_from_layout(twin.outputs, layer.attributes.layout)
        balls = stepwise(layer, twin_outputs["Y"], self._tolerance(layer))
        judgement = self._judge_stepwise(twin_case, layer, twin_outputs, balls)
        if judgement.failed:
            return replace(judgement, message=f"{_IN_TWIN}, {judgement.message or 'the values differ'}")
        if self.is_exact:
            return _judge_same_bits(outputs, twin_outputs) or judgement
        comparison = compare(layer, outputs, balls)
        if comparison.place is None:
            return _inside(comparison)
        return self._with_curves(self._judge_apart(layer, outputs, comparison), layer, outputs, balls)

    def _judge_apart(self, layer: Layer, outputs: Mapping[str, Array], comparison: Comparison) -> Judgement:
        """Outside the bound of the twin's Y: wrong, unless another evaluation of the formulas could give it (D31)."""
        alone = compare(layer, outputs, end_to_end(layer, self._tolerance(layer)))
        judgement = Judgement(
            "deviates",
            "D31",
            "the outputs are not those of the twin that requests every output",
            comparison.place,
            comparison.outside,
            ratio=comparison.ratio,
            unconstrained=comparison.unconstrained,
            judged="stepwise",
        )
        return judgement if alone.place is None else replace(judgement, verdict="wrong", message=_OUTSIDE, clause="")

    def _judge_end_to_end(self, case: Case, layer: Layer, outputs: Mapping[str, Array], why: str) -> Judgement:
        balls = end_to_end(layer, self._tolerance(layer))
        comparison = compare(layer, outputs, balls)
        if comparison.place is not None:
            judgement = self._explained(case, layer, outputs, comparison, "end-to-end")
            return self._with_curves(judgement, layer, outputs, balls)
        if not all(tells(balls[name]) for name in outputs):
            return Judgement(
                "not judged", message=f"{why}, and the bound from end to end is too wide to say anything"
            )
        return replace(_inside(comparison), judged="end-to-end")

    def _tolerance(self, layer: Layer) -> Tolerance:
        return Tolerance.for_operator(layer.operator.name, self.description.activation_errors)


def _told(readings: Iterable[Reading]) -> tuple[Explanation, ...]:
    return tuple(Explanation(reading.name, reading.sentence, reading.decision) for reading in readings)


def refusal_reason(case: Case) -> str:
    """Why ``case`` may or must be refused: an id from ``gatewise_corpus.refusal.REASONS``, or "" if it is valid."""
    return _read(case)[1]


def _read(case: Case) -> tuple[Layer | None, str]:
    """The layer, as far as there is one, and the reason to refuse the case (D30: float64 may be refused)."""
    try:
        layer = read_layer(case)
    except RefusedError as error:
        return None, error.reason
    return layer, "float64" if layer.dtype == np.float64 else ""


def _judge_form(case: Case, ran: Ran) -> Judgement | None:
    """Wrong where names, types, shapes or digests tell without a look at the values."""
    problem = form_problem(case, ran.outputs)
    if problem:
        return Judgement("wrong", message=problem)
    problem = digest_problem(ran.digests)
    return Judgement("wrong", "equal bits", problem) if problem else None


def _judge_refusal(refused: Refused, reason: str) -> Judgement:
    if not reason:
        return Judgement("unsupported", message=_one_line(refused.message))
    if refused.reason and refused.reason != reason:
        message = (
            f"it was refused for {refused.reason!r}, but {REASONS[reason]} ({reason!r}): {_one_line(refused.message)}"
        )
        return Judgement("wrong", message=message)
    if reason in INVALID and refused.kind == "unsupported":
        return Judgement("not judged", message=f"unsupported here, valid or not: {_one_line(refused.message)}")
    return Judgement("refused", message=_one_line(refused.message))


def _judge_time_out(timed_out: TimedOut, reason: str) -> Judgement:
    """A case beyond what must be supported may take any time."""
    if reason in UNSUPPORTED:
        return Judgement("not judged", message=f"no answer in {timed_out.seconds:g} s, but {REASONS[reason]}")
    return Judgement("timed out", message=f"no answer in {timed_out.seconds:g} s")


def _raised(raised: Raised) -> str:
    return f"{raised.exception}: {_one_line(raised.message)}" if raised.message else raised.exception


def _crashed(crashed: Crashed) -> str:
    """How the process ended, and the last line it wrote; what Python's fault handler then adds tells nothing."""
    own_words = crashed.stderr.partition("Fatal Python error")[0]
    last = own_words.strip().rpartition("\n")[2].strip()
    return f"{crashed.how}; its last words: {last}" if last else crashed.how


def _one_line(message: str) -> str:
    return " ".join(message.split())


def _inside(comparison: Comparison) -> Judgement:
    if comparison.elements and comparison.unconstrained == comparison.elements:
        return Judgement("not judged", message="the model constrains no element of the outputs")
    return Judgement("pass", ratio=comparison.ratio, unconstrained=comparison.unconstrained, judged="stepwise")


def _clause(comparison: Comparison) -> str:
    """The decision that the first element outside breaks by its place alone, else ""."""
    return "D18" if comparison.place is not None and comparison.place.past_length else ""


def _judge_same_bits(outputs: Mapping[str, Array], twin: Mapping[str, Array]) -> Judgement | None:
    for name, array in outputs.items():
        if not same_bits(array, twin[name]):
            message = f"output {name} has other bits than in the twin that requests every output"
            return Judgement("wrong", "D31", message)
    return None
