"""The page as text; test_browser.py opens it."""

import json
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import msgspec
import pytest

from gatewise_corpus.store import Entry
from gatewise_reports.matrix import html
from gatewise_reports.matrix.matrix import Matrix, make_matrix
from gatewise_reports.record import Result
from gatewise_reports.report import Report

VOID = {"meta", "link", "input", "br"}


class Reader(HTMLParser):
    """Every start tag with its attributes; raises where an end tag does not close the innermost element."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


@pytest.fixture
def page(matrix: Matrix) -> str:
    return html.render(matrix)


def test_every_element_is_closed_and_every_id_is_there_once(page: str) -> None:
    ids = Counter(attributes["id"] for _, attributes in Reader(page).tags if "id" in attributes)
    assert max(ids.values()) == 1
    assert {"gru/lengths", "lstm/clip", "lstm/nan", "rnn/plain", "rnn/refused"} < ids.keys()


def test_a_case_may_be_called_as_a_part_of_the_page_is(entries: list[Entry], killed: Report) -> None:
    tags = Reader(html.render(make_matrix([("a", killed)], entries))).tags
    own = [str(attributes["id"]) for _, attributes in tags if "id" in attributes and "class" not in attributes]
    assert {"data", "filters", "matrix", "panel", "ran-0"} < set(own)
    result = Result("", "GRU-14 -> Y", "wrong", 0.1)
    report = replace(killed, results=[msgspec.structs.replace(result, case=name) for name in own])
    tags = Reader(html.render(make_matrix([("a", report)], [replace(entries[0], name=name) for name in own]))).tags
    ids = Counter(attributes["id"] for _, attributes in tags if "id" in attributes)
    assert max(ids.values()) == 1
    assert len(ids) == 2 * len(own)
    targets = {str(attributes["href"])[1:] for tag, attributes in tags if tag == "a"}
    assert targets - {"ran-0"} == {f"/{own[0]}"}


def test_nothing_is_loaded_from_elsewhere(page: str) -> None:
    links = [
        attributes[name]
        for _, attributes in Reader(page).tags
        for name in ("src", "href", "action")
        if name in attributes
    ]
    assert {str(link)[:1] for link in links if link != "data:,"} == {"#"}
    assert "url(" not in page
    assert "@import" not in page


def test_every_link_leads_to_something_in_the_page(page: str) -> None:
    tags = Reader(page).tags
    ids = {attributes["id"] for _, attributes in tags if "id" in attributes}
    targets = {str(attributes["href"])[1:] for tag, attributes in tags if tag == "a"}
    assert targets <= ids
    assert {"gru/lengths", "ran-1"} <= targets


def test_markup_in_names_and_messages_is_text(page: str) -> None:
    assert "<i>[bold]" not in page
    assert "&lt;i&gt;[bold]other|`x`" in page
    assert "no &lt;b&gt;lengths&lt;/b&gt; &amp; no [red]rows" in page
    assert "<code>serve:./other --mode=&lt;b&gt;</code>" in page


def test_a_failing_result_is_told_in_full(page: str) -> None:
    (article,) = re.findall(
        r'id="gru/lengths".*?(<article data-column="2" data-mark="wrong">.*?</article>)', page, re.DOTALL
    )
    words = [re.sub("<.*?>", "", line) for line in re.findall(r"<p>.*?</p>", article)]
    assert words == [
        "wrong (D18): breaks the specification: no float32 evaluation of the formulas gives these values",
        (
            "first at Y[2,0,1,3] (direction forward, row 1, step 2, unit 3, past the row&#39;s length);"
            " 12 elements are outside"
        ),
        "value 0.48132566, admissible only 0, outside by any measure",
        "the whole output is what this reading gives: sequence_lens is not read [lengths-ignored]",
        "run again: gatewise gate -i engine --examples 0 --only gru/lengths",
    ]
    assert (
        article.count("<svg") == article.count("<figcaption>Error in units of the bound (log), over the steps<") == 1
    )
    assert '<path class="forward infinite"' in article


def test_known_failures_are_told_and_unexpected_ones_marked(page: str) -> None:
    assert "<p>known: hangs</p>" in page
    titles = re.findall(r'id="lstm/nan".*?</summary>', page, re.DOTALL)[0]
    assert re.findall(r'<b class="([^"]*)" data-column="\d" title="(.*?)">(.*?)</b>', titles) == [
        ("crashed", "engine 1.10.0: timed out", "! <small>engine 1.10.0</small>"),
        ("crashed new", "engine 1.2.0: crashed", "! <small>engine 1.2.0</small>"),
    ]


def test_one_implementation_is_not_named_beside_each_mark(matrix: Matrix) -> None:
    alone = html.render(Matrix(matrix.columns[:1], matrix.rows, matrix.cases))
    assert 'title="engine 1.10.0: timed out">!</b>' in alone


def test_the_legend_tells_signs_and_words_apart_and_what_is_not_known_has_no_row(page: str) -> None:
    assert '<b class="right">✓ right</b>: right values, or an invalid case refused' in page
    assert page.count("<dt>versions</dt>") == 2  # of three columns
    assert "<dt>settings</dt>" not in page


def test_an_unfinished_run_is_marked_so(page: str) -> None:
    assert re.findall(r"<a href=\"#ran-\d\">([^<]*)</a> <em>(.*?)</em>", page) == [
        ("&lt;i&gt;[bold]other|`x`", "unfinished")
    ]


def test_a_right_result_has_no_details(page: str) -> None:
    assert re.findall(r'<article data-column="(\d)" data-mark="([\w-]+)">', page) == [
        ("1", "unsupported"),
        ("2", "wrong"),
        ("0", "deviates"),
        ("1", "raised"),
        ("2", "deviates"),
        ("0", "crashed"),
        ("2", "crashed"),
        ("0", "wrong"),
        ("2", "accepted"),
    ]


def test_the_data_for_the_script_is_that_of_the_matrix(page: str, matrix: Matrix) -> None:
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)
    data = json.loads(text)
    assert data["columns"] == ["abgCa", "EF...", "CbGaD"]
    assert [name for name, _ in data["cases"]] == list(matrix.cases)
    rows = [[data["cases"][position][0] for position in row] for row in data["rows"]]
    assert rows == [list(row.cases) for row in matrix.rows]


def test_what_changed_between_versions_stands_in_the_page(page: str) -> None:
    (section,) = re.findall(r'<section id="changes">.*?</section>', page, re.DOTALL)
    assert "<b>From engine 1.2.0 to engine 1.10.0</b>: 2 fixed, 1 broke" in section
    assert 'wrong → pass, 1: <a href="#gru/lengths">gru/lengths</a>' in section


def test_without_versions_there_is_no_such_section(matrix: Matrix) -> None:
    alone = Matrix(matrix.columns[:2], matrix.rows, matrix.cases)
    assert 'id="changes"' not in html.render(alone)
