import pytest

from gatewise_reports.record import Explanation, Header, Implementation, Place, Result, Stale
from gatewise_reports.report import Report


@pytest.fixture
def wrong() -> Result:
    place = Place("Y", "reverse", 1, 2, 3, (4, 1, 1, 3), 0.48132566, 0.5123, 0.5127, 155.6)
    return Result(
        case="gru/covering-017",
        line="GRU-14 direction=reverse X[5, 2, 3] -> Y",
        verdict="wrong",
        seconds=0.25,
        message="no float32 evaluation of the formulas gives these values",
        place=place,
        outside=12,
        explanation=(Explanation("gates-zr", "gates z and r are swapped"),),
        ratio=155.6,
        judged="stepwise",
        again="gatewise gate -i reference --only gru/covering-017",
    )


@pytest.fixture
def report(wrong: Result) -> Report:
    implementation = Implementation("reference", {"gatewise": "0.1.0"}, {"mode": "exact"})
    header = Header("0.1.0", implementation, "reference", "zen4, Linux", "2026-11-30T12:00:00+00:00", 5, 7)
    report = Report(header)
    for record in (
        Result("lstm/a", "LSTM-7 -> Y", "pass", 0.5, ratio=0.5, judged="stepwise"),
        wrong,
        Result("lstm/b", "LSTM-7 -> Y_h", "crashed", 0.5, message="SIGSEGV", known="reported in 12"),
        Result("rnn/c", "RNN-22 -> Y", "timed out", 10.0, message="no answer in 10 s"),
        Result("rnn/d", "RNN-22 -> Y_h", "not judged", 0.1, message="nothing is constrained"),
        Stale("known.toml", 2, "old fault", "every case that it matches passes"),
    ):
        report.add(record)
    return report
