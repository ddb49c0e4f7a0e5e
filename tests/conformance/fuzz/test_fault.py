"""What is told apart, and what is the same fault."""

from collections import Counter

import pytest

from gatewise.fuzz.campaign import Totals
from gatewise.fuzz.fault import Fault, fault_of, told
from gatewise.fuzz.round import Find, Played, Round
from gatewise_corpus.recipes.recipe import Sizes, draw
from gatewise_reports.record import Explanation, Place, Result


def result(**fields: object) -> Result:
    return Result("x", "GRU-22 X[1, 1, 1] -> Y", fields.pop("verdict", "wrong"), 0.1, **fields)  # type: ignore[arg-type]


def place(output: str, value: float | str, *, past: bool = False) -> Place:
    return Place(output, "forward", 0, 0, 0, (0, 0, 0, 0), value, 0.0, 1.0, 9.0, past)  # type: ignore[arg-type]


def test_an_explanation_tells_a_fault_whatever_its_place() -> None:
    explained = (Explanation("lengths-ignored", "says"), Explanation("elu-literal", "says", "D35"))
    first = result(explanation=explained, place=place("Y", 0.5))
    second = result(explanation=explained, place=place("Y_h", "NaN"))
    assert fault_of(first) == fault_of(second) == Fault("GRU", "wrong", "lengths-ignored and elu-literal")


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"place": place("Y", 0.5)}, "number in Y"),
        ({"place": place("Y", "NaN")}, "NaN in Y"),
        ({"place": place("Y_h", "-Infinity")}, "Infinity in Y_h"),
        ({"place": place("Y", 0.5, past=True), "clause": "D18"}, "D18 number in Y past the length"),
        ({"message": "bad shape [3, 4] at 0x7f3a at step 12"}, "bad shape [#, #] at # at step #"),
        ({"message": "m" * 200}, "m" * 100),
    ],
)
def test_without_an_explanation_the_kind_of_place_or_the_message_tells_it(
    fields: dict[str, object], what: str
) -> None:
    assert fault_of(result(**fields)) == Fault("GRU", "wrong", what)


def test_people_read_the_numbers_of_the_message() -> None:
    shape = result(message="bad shape [3, 4] at step 12")
    assert told(fault_of(shape), shape) == "GRU wrong: bad shape [3, 4] at step 12"
    long = result(message="7" + "m" * 200)
    assert told(fault_of(long), long) == "GRU wrong: 7" + "m" * 99
    placed = result(message="in step 3", place=place("Y", 0.5), clause="D18")
    assert told(fault_of(placed), placed) == "GRU wrong: D18 number in Y"


def test_names_are_those_of_a_store_and_differ() -> None:
    long = [Fault("LSTM", "timed out", "x" * 99 + end) for end in "ab"]
    assert long[0].name.startswith("lstm/timed-out-xxx")
    assert long[0].name != long[1].name
    assert (
        Fault("GRU", "wrong", "D18 number in Y").name
        == "gru/wrong-d18-number-in-y-" + Fault("GRU", "wrong", "D18 number in Y").name.rpartition("-")[2]
    )


def test_several_known_faults_in_one_case_are_no_new_one() -> None:
    lengths, clip = Fault("GRU", "wrong", "lengths-ignored"), Fault("GRU", "wrong", "clip-ignored")
    both = Fault("GRU", "wrong", "clip-ignored and lengths-ignored")
    case = draw("fault", "GRU", Sizes(2, 1, 3, 4))

    def played(*faults: Fault) -> Played:
        finds = {fault: Find(fault, case, result(), Round(1, 0)) for fault in faults}
        return Played(Round(1, 0), faults=Counter(faults), finds=finds)

    totals = Totals(1)
    assert [find.fault for find in totals.add(played(clip, both))] == [clip, both]
    totals = Totals(1)
    assert [find.fault for find in totals.add(played(clip, both, lengths))] == [clip, lengths]
    assert totals.faults == {clip: 2, lengths: 1}
    assert totals.add(played(both)) == []
    assert totals.faults == {clip: 3, lengths: 1}
