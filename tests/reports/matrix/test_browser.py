"""The page in a browser: filters, the cases of a cell, a phone, the dark, and no script."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from gatewise_corpus.store import Entry
from gatewise_reports.matrix import html
from gatewise_reports.matrix.marks import STATES
from gatewise_reports.matrix.matrix import Matrix, make_matrix
from gatewise_reports.record import Implementation, Result
from gatewise_reports.report import Report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1400, "height": 900}


@pytest.fixture
def address(matrix: Matrix, tmp_path: Path) -> str:
    path = tmp_path / "index.html"
    path.write_text(html.render(matrix), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def page(browser: "Browser", address: str) -> Iterator["Page"]:
    """The opened page; at the end nothing was said on the console, and nothing else was asked for."""
    with browser.new_context(viewport=DESK) as context:
        page = context.new_page()
        heard: list[str] = []
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: heard.append(request.url))
        page.goto(address)
        yield page
        assert heard == [address]


def rows(page: "Page") -> list[str]:
    """The shown rows below the summary, as feature and value."""
    script = """[...document.querySelectorAll("#matrix tbody:not(.summary) tr[data-row]")]
        .filter((row) => row.checkVisibility())
        .map((row) => row.closest("tbody").querySelector(".group").textContent.trim() + " "
            + row.firstElementChild.firstChild.textContent)"""
    found: list[str] = page.evaluate(script)
    return found


def cases(page: "Page") -> list[str]:
    found: list[str] = page.evaluate(
        '[...document.querySelectorAll("details.case")].filter((one) => one.checkVisibility()).map((one) => one.id)'
    )
    return found


def cells(page: "Page", row: str) -> list[str]:
    """What the cells of a row say."""
    line = page.locator("#matrix tr[data-row]", has=page.locator("th", has_text=row)).first
    return [" ".join(text.split()) for text in line.locator("td").all_text_contents()]


def clear(page: "Page") -> None:
    """Resets the filters; the page filters again in a task of its own, which is done when a later one is."""
    page.click("text=Clear")
    page.evaluate("() => new Promise((done) => setTimeout(done))")


def test_the_text_filter_looks_for_features_and_for_cases(page: "Page") -> None:
    every = rows(page)
    page.fill("[name=text]", " Clip")
    assert rows(page) == ["clip absent", "clip positive"]
    assert cases(page) == ["lstm/clip"]
    assert page.locator("#shown").text_content() == "2 rows; 1 of 5 cases not right everywhere"
    page.fill("[name=text]", "mixed")
    assert rows(page) == ["sequence_lens mixed"]
    assert cases(page) == []
    assert page.locator("#shown").text_content() == "1 row; 0 of 5 cases not right everywhere"
    page.fill("[name=text]", "Nowhere")
    assert page.locator("#shown").text_content() == "No row and no listed case fits “Nowhere”"
    clear(page)
    assert rows(page) == every
    assert len(cases(page)) == 5
    assert page.locator("#shown").text_content() == f"{len(every)} rows; 5 of 5 cases not right everywhere"


def test_the_operator_filter_counts_again(page: "Page") -> None:
    assert cells(page, "forward") == ["✓ 1 ≈ 1 ✗ 1* ! 1", "– 1* ^ 1*", "✓ 1 ≈ 1 ✗ 1* ! 1*"]  # noqa: RUF001
    page.select_option("[name=operator]", "LSTM")
    assert cells(page, "forward") == ["≈ 1 ! 1", "^ 1*", "≈ 1 ! 1*"]
    assert cells(page, "all") == ["≈ 1 ! 1", "^ 1*", "≈ 1 ! 1*"]
    assert cases(page) == ["lstm/clip", "lstm/nan"]
    assert str(page.locator("#shown").text_content()).endswith(" rows; 2 of 2 cases not right everywhere")
    assert "operator LSTM" in rows(page)
    assert not {"operator GRU", "operator RNN", "invalid input hidden-size-mismatch"} & set(rows(page))


def test_the_verdict_filter_shows_where_it_occurs(page: "Page") -> None:
    page.select_option("[name=verdict]", "accepted")
    assert rows(page) == ["invalid input hidden-size-mismatch", "decision D20"]
    assert cases(page) == ["rnn/refused"]
    page.select_option("[name=verdict]", "wrong")
    assert cases(page) == ["gru/lengths", "rnn/plain"]
    page.click("[id='gru/lengths'] > summary")
    shown = page.locator("[id='gru/lengths'] article").evaluate_all("all => all.map((one) => one.checkVisibility())")
    assert shown == [False, True]


def test_a_cell_opens_its_cases(page: "Page") -> None:
    page.locator("#matrix tr[data-row='0'] td a").nth(2).click()
    panel = page.locator("#panel")
    assert panel.locator("h2").text_content() == "cases: all"
    assert panel.locator("h2 + p").text_content() == "engine 1.2.0"
    assert panel.locator("h3").all_text_contents() == ["≈ 1 deviates", "✗ 1* wrong", "∈ 1* accepted", "! 1* crashed"]
    assert panel.locator("summary").all_text_contents() == [
        "lstm/clip deviates (D04)",
        "gru/lengths wrong (D18)",
        "rnn/refused accepted",
        "lstm/nan crashed",
        "✓ 1 right",
    ]
    panel.locator("summary", has_text="gru/lengths").click()
    article = panel.locator("article:visible")
    assert article.count() == 1
    assert "value 0.48132566, admissible only 0" in str(article.text_content())
    assert article.locator("svg").is_visible()
    assert "run again: gatewise gate -i engine" in str(article.text_content())
    page.keyboard.press("Escape")
    assert not panel.is_visible()


def test_a_cell_opens_only_cases_of_the_chosen_operator(page: "Page") -> None:
    page.select_option("[name=operator]", "GRU")
    page.locator("#matrix tr[data-row='0'] td a").nth(0).click()
    assert page.locator("#panel summary").all_text_contents() == ["✓ 1 right"]
    page.click("#panel summary")
    assert page.locator("#panel details p").text_content() == "gru/lengths "


def test_an_address_with_a_case_opens_it(page: "Page", address: str) -> None:
    page.evaluate("location.hash = 'lstm/nan'")
    page.wait_for_selector("[id='lstm/nan'][open]")
    assert page.locator("[id='lstm/nan'] article").first.is_visible()
    with page.context.new_page() as another:  # a fresh one; here the address is known before the script runs
        another.goto(f"{address}#gru%2Flengths")
        assert another.locator("[id='gru/lengths'] article").first.is_visible()


@pytest.fixture
def long(newer: Report, killed: Report, entries: list[Entry], tmp_path: Path) -> str:
    """The address of a page with two columns and so many cases that each of them can stand at the top of a screen."""
    cases = [replace(entries[0], name=f"gru/lengths-{number}") for number in range(60)]
    results = [Result(case.name, "GRU-14 -> Y", "wrong", 0.1) for case in cases]
    reports = [(name, replace(report, results=results)) for name, report in (("a", newer), ("b", killed))]
    path = tmp_path / "long.html"
    path.write_text(html.render(make_matrix(reports, cases)), encoding="utf-8")
    return path.as_uri()


SHORT = {"width": 900, "height": 400}


@pytest.mark.parametrize("viewport", [PHONE, SHORT, DESK], ids=["phone", "short", "desk"])
@pytest.mark.parametrize("implementations", [False, True], ids=["closed", "open"])
def test_what_an_address_names_stands_below_the_filters(
    browser: "Browser", long: str, viewport: Any, implementations: bool
) -> None:
    """The point in the middle of its first line is not covered."""
    seen = """(id) => {
        const line = document.getElementById(id).querySelector("summary");
        const { x, y, width, height } = line.getBoundingClientRect();
        return y >= 0 && line.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    }"""
    with browser.new_context(viewport=viewport) as context:
        page = context.new_page()
        page.goto(f"{long}#gru/lengths-20")
        assert page.evaluate(seen, "gru/lengths-20")
        if implementations:
            page.click("#filters summary")
        for name in ("gru/lengths-30", "ran-0"):
            page.evaluate("(name) => { location.hash = name; }", name)
            page.wait_for_selector(f"[id='{name}'][open]")
            assert page.evaluate(seen, name)


def test_the_head_of_the_table_stands_below_the_filters(page: "Page") -> None:
    page.set_viewport_size({"width": 1400, "height": 500})
    page.click("#filters summary")
    page.locator("#matrix tbody").last.scroll_into_view_if_needed()
    filters, head = page.locator("#filters").bounding_box(), page.locator("#matrix thead th").first.bounding_box()
    assert filters
    assert head
    assert filters["y"] == 0
    assert head["y"] == pytest.approx(filters["height"], abs=1)


def test_a_phone_shows_names_of_columns_without_a_break_in_a_word(
    browser: "Browser", entries: list[Entry], newer: Report, tmp_path: Path
) -> None:
    def named(name: str) -> tuple[str, Report]:
        implementation = Implementation(name, {name: "1.32.0"})
        return name, replace(newer, header=msgspec.structs.replace(newer.header, implementation=implementation))

    path = tmp_path / "two.html"
    path.write_text(html.render(make_matrix([named("onnxruntime"), named("openvino")], entries)), encoding="utf-8")
    with browser.new_context(viewport=PHONE) as context:
        page = context.new_page()
        page.goto(path.as_uri())
        lines = page.locator("#matrix thead a:visible").evaluate_all("""(all) => all.map((one) =>
            [...one.firstChild.data.matchAll(/\\S+/g)].map((word) => {
                const range = document.createRange();
                range.setStart(one.firstChild, word.index);
                range.setEnd(one.firstChild, word.index + word[0].length);
                return range.getClientRects().length;
            }))""")
        assert lines == [[1, 1], [1, 1]]


def test_a_phone_shows_whose_mark_it_is(browser: "Browser", address: str) -> None:
    with browser.new_context(viewport=PHONE) as context:
        page = context.new_page()
        page.goto(address)
        marks = page.locator("[id='lstm/nan'] > summary b:visible")
        assert [" ".join(text.split()) for text in marks.all_inner_texts()] == ["! engine 1.10.0", "! engine 1.2.0"]


def test_a_case_that_is_called_as_a_part_of_the_page_opens(
    browser: "Browser", entries: list[Entry], killed: Report, tmp_path: Path
) -> None:
    names = "data", "filters"
    results = [msgspec.structs.replace(killed.results[0], case=name) for name in names]
    found = make_matrix([("a", replace(killed, results=results))], [replace(entries[0], name=name) for name in names])
    path = tmp_path / "named.html"
    path.write_text(html.render(found), encoding="utf-8")
    with browser.new_page() as page:
        page.goto(f"{path.as_uri()}#/data")
        assert page.locator("[id='/data'] article").is_visible()
        page.locator("#matrix tr[data-row='0'] td a").click()
        page.locator("#panel summary", has_text="filters").click()
        assert "unsupported" in str(page.locator("#panel article:visible").text_content())


def test_only_the_chosen_implementations_are_shown(page: "Page") -> None:
    page.click("#filters summary")
    page.uncheck("[name=column][value='0']")
    page.uncheck("[name=column][value='2']")
    heads = page.locator("#matrix thead th:visible").all_text_contents()
    assert [" ".join(head.split()) for head in heads] == ["feature", "<i>[bold]other|`x` unfinished"]
    assert page.locator("#matrix tr[data-row='0'] td:visible").count() == 1
    assert cases(page) == ["gru/lengths", "lstm/clip"]
    page.select_option("[name=verdict]", "crashed")
    assert rows(page) == []
    clear(page)
    assert page.locator("#matrix thead th:visible").count() == 4
    assert len(cases(page)) == 5


@pytest.fixture
def varied(entries: list[Entry], older: Report, killed: Report, tmp_path: Path) -> str:
    """The address of a page with cells of every state."""
    picky = Report(msgspec.structs.replace(older.header, implementation=Implementation("picky")))
    picky.results += [
        Result("gru/lengths", "GRU-14 -> Y,Y_h", "unsupported", 0.1),
        *(Result(name, "LSTM-14 -> Y", "pass", 0.1) for name in ("lstm/clip", "lstm/nan", "rnn/plain")),
        Result("rnn/refused", "RNN-14 -> Y", "not judged", 0.1),
    ]
    reports = [("a", older), ("b", picky), ("c", killed)]
    path = tmp_path / "varied.html"
    path.write_text(html.render(make_matrix(reports, entries)), encoding="utf-8")
    return path.as_uri()


def words(page: "Page") -> list[str]:
    return [" ".join(text.split()) for text in page.locator("#matrix td").all_text_contents()]


def states(page: "Page") -> list[str | None]:
    return [cell.get_attribute("class") for cell in page.locator("#matrix td").all()]


def test_the_page_says_the_same_without_a_script(browser: "Browser", address: str, varied: str) -> None:
    with browser.new_context(java_script_enabled=False) as context, browser.new_page() as scripted:
        scripted.goto(varied)
        plain = context.new_page()
        plain.goto(varied)
        assert words(plain) == words(scripted)
        assert states(plain) == states(scripted)
        assert set(states(plain)) == {*STATES, "nothing"}
        assert not plain.locator("#filters").is_visible()
        plain.goto(address)
        plain.locator("#matrix tr[data-row='0'] td a").nth(2).click()
        assert plain.url == f"{address}#gru/lengths"
        plain.click("[id='gru/lengths'] > summary")
        assert plain.locator("[id='gru/lengths'] article svg").is_visible()


@pytest.fixture
def many(entries: list[Entry], newer: Report, killed: Report, tmp_path: Path) -> str:
    """The address of a page with ten columns."""
    reports = [("killed", killed)]
    for number in range(9):
        spec = f"engine:provider=some-long-name-{number}"
        reports.append((spec, replace(newer, header=msgspec.structs.replace(newer.header, spec=spec))))
    path = tmp_path / "many.html"
    path.write_text(html.render(make_matrix(reports, entries)), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("viewport", [PHONE, {"width": 768, "height": 1024}, DESK], ids=["phone", "tablet", "desk"])
def test_nothing_is_wider_than_the_screen(browser: "Browser", many: str, viewport: dict[str, int]) -> None:
    size: Any = viewport
    with browser.new_context(viewport=size) as context:
        page = context.new_page()
        page.goto(many)
        for details in page.locator("details").all():
            details.evaluate("one => one.open = true")
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        page.locator("#matrix tr[data-row='0'] td a").first.click()
        assert page.evaluate("document.querySelector('#panel').scrollWidth") <= viewport["width"]


def test_a_phone_shows_the_name_in_each_cell(browser: "Browser", many: str) -> None:
    with browser.new_context(viewport=PHONE) as context:
        page = context.new_page()
        page.goto(many)
        cell = page.locator("#matrix td").nth(1)
        assert cell.evaluate("one => getComputedStyle(one, '::before').content") == (
            '"engine 1.10.0 provider=some-long-name-0"'
        )
        assert not page.locator("#matrix thead").is_visible()


def colours(browser: "Browser", address: str, scheme: Any) -> list[tuple[float, float]]:
    """The luminance, 0 to 1, of the ground and of the words on it: page, headings, counts of cells, results."""
    script = """(all) => all.map((one) => {
        let ground = one;
        while (getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)") ground = ground.parentElement;
        return [getComputedStyle(ground).backgroundColor, getComputedStyle(one).color];
    })"""
    with browser.new_context(color_scheme=scheme) as context:
        page = context.new_page()
        page.goto(address)
        pairs = page.locator("body, #matrix th, #matrix small, #matrix td b, article p").evaluate_all(script)
    return [(luminance(ground), luminance(words)) for ground, words in pairs]


def luminance(colour: str) -> float:
    """WCAG 2.2's relative luminance."""
    channels = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(ground: float, words: float) -> float:
    """WCAG 2.2's contrast ratio, which must be 4.5 for text."""
    low, high = sorted((ground, words))
    return (high + 0.05) / (low + 0.05)


def test_words_can_be_read_in_the_light_and_in_the_dark(browser: "Browser", varied: str) -> None:
    light, dark = (colours(browser, varied, scheme) for scheme in ("light", "dark"))
    assert len(light) == len(dark) > 100
    assert light[0][0] > 0.9
    assert dark[0][0] < 0.1
    assert min(contrast(*pair) for pair in (*light, *dark)) >= 4.5
