"""The generated pages are up to date, and every public report has its case."""

import re
from pathlib import Path

from gatewise import contracts_page, machines_page, misreadings_page, reports_page
from gatewise.relations import RELATIONS
from gatewise_corpus.exact_hashes import read_exact_hashes
from gatewise_corpus.recipes import all_recipes
from gatewise_corpus.recipes.reports import REPORTS
from gatewise_corpus.store import cases_root
from gatewise_reports.hash_report import read_hash_report

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_misreadings_is_up_to_date() -> None:
    assert (DOCS / "misreadings.md").read_text(encoding="utf-8") == misreadings_page.render()


def test_the_page_of_reports_is_up_to_date() -> None:
    assert (DOCS / "reports.md").read_text(encoding="utf-8") == reports_page.render()


def test_the_page_of_machines_is_up_to_date() -> None:
    assert (DOCS / "machines.md").read_text(encoding="utf-8") == machines_page.render()


def test_the_page_of_contracts_is_up_to_date() -> None:
    assert (DOCS / "contracts.md").read_text(encoding="utf-8") == contracts_page.render()


def test_every_machine_has_the_committed_bits_in_every_configuration() -> None:
    hashes = read_exact_hashes(cases_root())
    paths = sorted((DOCS.parent / "reports" / "machines").glob("*.json"))
    assert paths
    for path in paths:
        report = read_hash_report(path)
        assert report.implementation.settings["mode"] == "exact"
        assert report.differences == {}
        common = hashes.keys() & report.cases.keys()
        assert len(common) > 600
        assert {name: report.cases[name] for name in common} == {name: hashes[name] for name in common}


def test_every_report_has_a_case_and_every_case_made_from_one_is_named() -> None:
    assert len({report.name for report in REPORTS}) == len(REPORTS) == 67
    made = {recipe.name for recipe in all_recipes()}
    assert {report.case for report in REPORTS} <= made
    # The other half of the report on biases that must differ.
    assert {name for name in made if "/report-" in name} - {report.case for report in REPORTS} == {
        "gru/report-bias-inside-reset"
    }


def test_the_page_of_relations_has_each_with_its_sentence() -> None:
    rows = re.findall(
        r"^\| `([\w-]+)` \| (.*) \|$", (DOCS / "relations.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert rows == [(relation.name, relation.sentence) for relation in RELATIONS]
