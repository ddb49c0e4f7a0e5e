"""What the judge says of one case."""

from dataclasses import dataclass

from gatewise_reports.record import EXPECTED, Curve, Explanation, Judged, Place, Verdict


@dataclass(frozen=True)
class Judgement:
    """A verdict with its evidence; the fields are those of ``gatewise_reports.record.Result``."""

    verdict: Verdict
    clause: str = ""
    message: str = ""
    place: Place | None = None
    outside: int = 0
    explanation: tuple[Explanation, ...] = ()
    ratio: float = 0.0
    unconstrained: int = 0
    judged: Judged = ""
    curves: tuple[Curve, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether the verdict is a finding unless it was expected."""
        return self.verdict not in EXPECTED

    @property
    def clauses(self) -> tuple[str, ...]:
        """The decisions on which the verdict rests, one by one."""
        return tuple(self.clause.split(", "))
