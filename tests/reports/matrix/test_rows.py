from pathlib import Path

from gatewise_corpus.case import Case
from gatewise_corpus.features import FEATURES
from gatewise_corpus.recipes.recipe import Sizes, draw
from gatewise_corpus.store import About, Entry, load_entries
from gatewise_reports.matrix.rows import matrix_case, matrix_rows


def levels(case: Case) -> set[tuple[str, str]]:
    return set(matrix_case(Entry("a/b", Path("a/b"), case, {}, About("why", "hand"))).levels)


def test_joined_values_are_taken_apart_unless_a_table_has_them_joined() -> None:
    case = draw("rows", "RNN", Sizes(seq=4, batch=3, input=2, hidden=5)).with_attributes(
        direction="bidirectional", activations=("Relu", "Elu"), activation_alpha=(0.5,)
    )
    found = levels(case.replace(outputs=("Y", "Y_h")))
    assert found >= {("activation_names", "Relu"), ("activation_names", "Elu"), ("outputs", "Y+Y_h")}
    assert ("outputs", "Y") not in found


def test_what_exercises_nothing_is_no_row() -> None:
    found = levels(draw("rows-plain", "GRU", Sizes(seq=4, batch=3, input=2, hidden=5)))
    assert {value for _, value in found} & {"none", "default"} == set()
    assert ("clip", "absent") in found
    assert not any(feature in ("activations", "special") for feature, _ in found)


def test_the_rows_of_the_corpus() -> None:
    """Every feature that varies has rows, in the order of the tables, and every case is in one of "valid" or not."""
    rows = matrix_rows(map(matrix_case, load_entries()))
    values: dict[str, list[str]] = {}
    for row in rows:
        values.setdefault(row.feature, []).append(row.value)
    groups = list(values)
    assert groups[:3] == ["cases", "operator", "opset"]
    assert groups[-3:] == ["invalid input", "flag", "decision"]
    assert set(groups[1:-3]) == set(FEATURES)
    assert values["cases"] == ["all", "valid", "must be refused"]
    assert values["sequence_lens"] == ["absent", "full", "mixed", "some-zero", "all-zero"]
    assert values["opset"] == ["7", "8", "13", "14", "15", "21", "22", "23", "24", "25"]
    assert values["decision"][:2] == ["D02", "D03"]
    by_value = {(row.feature, row.value): row for row in rows}
    every, valid, invalid = (by_value["cases", value].cases for value in values["cases"])
    assert sorted(every) == sorted((*valid, *invalid))
    assert by_value["flag", "nan"].says == "a NaN in an input or attribute"
    assert by_value["invalid input", "lengths-range"].says == "a length lies outside 0..seq (D13)"
