import pytest

from gatewise_reports.matrix.marks import FAILING, MARKS, mark_of, tally
from gatewise_reports.record import EXPECTED, VERDICTS, Result, Verdict


def results(*verdicts: Verdict, known: str = "") -> list[Result]:
    return [Result("a", "GRU-14 -> Y", verdict, 0.1, known=known) for verdict in verdicts]


def test_every_verdict_has_one_mark_and_the_findings_are_the_failing() -> None:
    assert sorted(verdict for mark in MARKS for verdict in mark.verdicts) == sorted(VERDICTS)
    assert {verdict for verdict in VERDICTS if mark_of(verdict) in FAILING} == set(VERDICTS) - EXPECTED
    assert len({mark.sign for mark in MARKS}) == len({mark.slug for mark in MARKS}) == len(MARKS)


def test_a_tally_tells_what_was_not_expected() -> None:
    found = tally(
        [*results("pass", "refused", "pass", "wrong", "crashed", "timed out"), *results("wrong", known="so")]
    )
    assert found.told == "✓ 3  ✗ 2 (1*)  ! 2*"
    assert (found.total, found.judged) == (7, 7)
    assert tally(results("wrong", known="so")).told == "✗ 1"
    assert tally([]).told == ""


@pytest.mark.parametrize(
    ("verdicts", "state"),
    [
        (("pass", "refused", "not judged"), "all"),
        (("pass", "unsupported"), "part"),
        (("pass", "wrong", "unsupported"), "most"),
        (("pass", "wrong", "deviates"), "few"),
        (("wrong", "unsupported"), "none"),
        (("accepted",), "none"),
        (("unsupported", "not judged"), "refused"),
        (("not judged",), "nothing"),
        ((), "nothing"),
    ],
)
def test_the_state_of_a_cell(verdicts: tuple[Verdict, ...], state: str) -> None:
    assert tally(results(*verdicts)).state == state
