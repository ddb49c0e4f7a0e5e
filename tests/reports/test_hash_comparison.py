"""Hash reports compared: who differs from whom, in which cases, and what goes with it; and how that is told."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from gatewise_corpus.machine import Machine
from gatewise_corpus.store import cases_root, load_entry
from gatewise_reports.hash_comparison import ComparedOperator, compare_reports, report_names
from gatewise_reports.hash_report import HASH_FORMAT, HashReport, HashRun, by_operator
from gatewise_reports.hash_view import MOST_CASES, render_markdown, render_pretty
from gatewise_reports.record import Implementation
from gatewise_reports.report import ReportError

SCALAR, WIDE = "scalar,threads=1", "avx2,threads=3"
SMALL, LARGE, GRU = "rnn/smallest", "rnn/hidden-33", "gru/activation-f-elu"
HASHES = {SMALL: "1" * 64, LARGE: "2" * 64, GRU: "3" * 64}
OTHER = "f" * 64


def a_report(
    name: str,
    features: tuple[str, ...] = (),
    differences: dict[str, dict[str, str]] | None = None,
    corpus: str = "c",
    configurations: tuple[str, ...] = (SCALAR, WIDE),
    **changes: str,
) -> HashReport:
    hashes = {**HASHES, **{case.replace("__", "/").replace("_", "-"): hash_ for case, hash_ in changes.items()}}
    return HashReport(
        format=HASH_FORMAT,
        gatewise="0.1.0",
        spec="reference",
        implementation=Implementation("reference", {"reference": "0.1.0", "compiler": "gcc 12"}),
        machine=Machine(name, "x86_64", features, "Linux"),
        run=HashRun("2026-11-30T12:00:00+00:00", 1.0),
        corpus=corpus,
        configurations=configurations,
        hash=f"hash of {name}",
        operators=by_operator(hashes, {case: case.partition("/")[0].upper() for case in hashes}),
        differences=differences or {},
    )


def rows(text: str) -> list[list[str]]:
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]


def test_equal_reports_are_identical() -> None:
    comparison = compare_reports({"a": a_report("haswell", ("avx2",)), "b": a_report("nehalem")})
    assert comparison.differing == ()
    assert (comparison.cases, comparison.left_out, comparison.same_corpus) == (3, 0, True)
    assert comparison.operators == (ComparedOperator("GRU", 0, 1), ComparedOperator("RNN", 0, 2))
    assert (comparison.features_shared, comparison.features_lacked) == ((), ())
    text = render_pretty(comparison)
    assert text.startswith("identical: 3 cases have the same bits in all 4 configurations\n")
    assert [line.split()[:2] for line in text.splitlines()[3:]] == [["a", "haswell"], ["b", "nehalem"]]
    assert render_pretty(msgspec.structs.replace(comparison, cases=1)).startswith(
        "identical: 1 case has the same bits in all 4 configurations\n"
    )


def test_the_majority_is_the_norm_and_the_others_differ() -> None:
    reports = {
        "a": a_report("a", ("avx2", "avx512f", "gfni", "sse4_1"), gru__activation_f_elu=OTHER, rnn__smallest=OTHER),
        "b": a_report("b", ("avx2", "clwb", "fma", "sse4_1")),
        "c": a_report("c", ("avx2", "avx512f", "vaes"), rnn__hidden_33=OTHER),
        "d": a_report("d", ("fma", "sse4_1")),
    }
    comparison = compare_reports(reports)
    assert {report.name: report.configurations for report in comparison.reports} == {
        "a": {SCALAR: 2, WIDE: 2},
        "b": {SCALAR: 0, WIDE: 0},
        "c": {SCALAR: 1, WIDE: 1},
        "d": {SCALAR: 0, WIDE: 0},
    }
    assert comparison.operators == (ComparedOperator("GRU", 1, 1), ComparedOperator("RNN", 2, 2))
    assert comparison.features_shared == ("avx512f",)
    assert comparison.features_lacked == ("fma",)
    text = render_pretty(comparison)
    assert text.startswith("different: 3 of 3 cases have not the same bits in all 8 configurations\n")
    assert (
        "The machines that differ (a, c)\n"
        "- have, and the others have not: avx512f\n"
        "- have not, and the others have: fma\n"
    ) in text
    markdown = rows(render_markdown(comparison))
    assert ["a", "each", "2"] in markdown
    assert ["c", "each", "1"] in markdown
    assert not [row for row in markdown if row[0] in {"b", "d"} and len(row) == 3]


def test_the_smallest_case_comes_first_with_who_has_which_hash() -> None:
    reports = {"a": a_report("a"), "b": a_report("b", rnn__hidden_33=OTHER, rnn__smallest=OTHER)}
    first, second = compare_reports(reports).differing
    case = load_entry(cases_root() / SMALL).case
    assert (first.name, first.line) == (SMALL, case.summary())
    assert first.elements == sum(array.size for array in case.inputs.values()) < second.elements
    assert list(first.hashes.items()) == [("1" * 64, ("a",)), (OTHER, ("b",))]
    text = render_pretty(compare_reports(reports))
    assert f"- {SMALL}: {case.summary()}\n  - 111111111111: a\n  - ffffffffffff: b\n" in text


def test_of_two_the_first_is_the_norm() -> None:
    two = {"b": a_report("b", ("fma",), rnn__smallest=OTHER), "a": a_report("a", ("vx",))}
    comparison = compare_reports(two)
    assert list(comparison.differing[0].hashes) == [OTHER, "1" * 64]
    assert (comparison.features_shared, comparison.features_lacked) == (("vx",), ("fma",))


def test_a_path_and_number_of_threads_that_differs_within_a_report_is_named() -> None:
    one = {"a": a_report("a", differences={GRU: {WIDE: OTHER}})}
    comparison = compare_reports(one)
    assert comparison.reports[0].configurations == {SCALAR: 0, WIDE: 1}
    assert comparison.differing[0].hashes == {"3" * 64: (SCALAR,), OTHER: (WIDE,)}
    assert ["a", WIDE, "1"] in rows(render_markdown(comparison))
    assert "The machines that differ" not in render_pretty(comparison)
    two = compare_reports(one | {"b": a_report("b")})
    assert two.differing[0].hashes == {"3" * 64: (f"a: {SCALAR}", "b"), OTHER: (f"a: {WIDE}",)}


def test_cases_that_only_some_have_are_left_out_and_counted() -> None:
    reports = {"a": a_report("a", rnn__new="9"), "b": a_report("b", corpus="d")}
    comparison = compare_reports(reports)
    assert (comparison.cases, comparison.left_out, comparison.same_corpus) == (3, 1, False)
    text = render_pretty(comparison)
    assert "3 cases have the same bits in all 4 configurations; 1 more in some reports only\n" in text
    assert "different corpora" in text


def test_a_case_that_is_not_in_this_corpus_comes_last() -> None:
    reports = {"a": a_report("a", rnn__foreign="9"), "b": a_report("b", rnn__foreign=OTHER, rnn__smallest=OTHER)}
    comparison = compare_reports(reports)
    assert [case.name for case in comparison.differing] == [SMALL, "rnn/foreign"]
    assert "- rnn/foreign (not in this corpus)\n" in render_markdown(comparison)


def test_many_cases_and_owners_are_cut_short() -> None:
    names = [f"rnn__case_{index}" for index in range(MOST_CASES + 2)]
    ways = tuple(f"scalar,threads={number}" for number in range(1, 8))
    cases: Mapping[str, str] = dict.fromkeys(names, "9")
    differences = {name.replace("__", "/").replace("_", "-"): {ways[-1]: OTHER} for name in names}
    text = render_pretty(compare_reports({"a": a_report("a", differences=differences, configurations=ways, **cases)}))
    assert "... and 2 more; --format json has them all.\n" in text
    assert "  - 9: scalar,threads=1; scalar,threads=2; scalar,threads=3; scalar,threads=4; and 2 more\n" in text


def test_reports_without_a_common_case_are_not_compared() -> None:
    other = msgspec.structs.replace(a_report("b"), operators=by_operator({"rnn/new": "9"}, {"rnn/new": "RNN"}))
    with pytest.raises(ReportError, match="the reports have no case in common"):
        compare_reports({"a": a_report("a"), "b": other})


def test_reports_are_called_by_their_files_or_paths() -> None:
    assert report_names([Path("x/a.json"), Path("b.json")]) == ["a", "b"]
    assert report_names([Path("x/a.json"), Path("a.json")]) == ["x/a.json", "a.json"]
