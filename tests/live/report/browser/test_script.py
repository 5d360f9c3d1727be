"""What the page's script does, and that nothing is missing where scripts are off."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Download, Page

from dbdyno.report.formats.standalone import light_palette
from tests.live.report.browser.every_block import CELLS, TRIALS
from tests.live.report.browser.examples import Examples
from tests.live.report.browser.visit import Scheme, Visit, visit

pytestmark = pytest.mark.live

SVG = "{http://www.w3.org/2000/svg}"
COLOURS = """
(names) => names.map((name) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim())
"""


def copied(opened: Visit, table: str) -> list[list[str]]:
    """Copy a table by its button and return what the clipboard holds."""
    opened.evaluate("navigator.clipboard.writeText('')")
    opened.page.locator(f".scroll:has({table}) + .tools button").click()
    # The button says so for two seconds only, which a busy machine may miss.
    opened.page.wait_for_function("navigator.clipboard.readText()")
    text: str = opened.evaluate("navigator.clipboard.readText()")
    return list(csv.reader(io.StringIO(text), delimiter="\t"))


def saved(page: Page, directory: Path, figure: int) -> list[Path]:
    """Save a figure's drawings and return their files."""
    place = page.locator("figure").nth(figure)
    count = place.locator("svg:not(.marker)").count()
    downloads: list[Download] = []

    def keep(download: Download) -> None:
        downloads.append(download)

    page.on("download", keep)
    with page.expect_event("download", lambda _: len(downloads) == count):
        place.locator(".tools button").click()
    page.remove_listener("download", keep)
    paths = [directory / each.suggested_filename for each in downloads]
    for path, each in zip(paths, downloads, strict=True):
        each.save_as(path)
    return paths


def shown_trials(page: Page) -> list[str]:
    rows = page.locator("#trials-table tbody tr:visible th")
    return [text.strip() for text in rows.all_inner_texts()]


def test_trials_are_searched_by_all_words(
    spoken: str, browser: Browser, examples: Examples
) -> None:
    with visit(browser, examples.page("every_block", spoken)) as opened:
        assert len(shown_trials(opened.page)) == TRIALS
        search = opened.page.locator("input[type=search]")
        search.fill("share ERROR")
        assert shown_trials(opened.page) == ["7"]
        search.fill("no such trial")
        assert shown_trials(opened.page) == []
        search.fill("")
        assert len(shown_trials(opened.page)) == TRIALS


def test_a_table_is_copied_with_exact_figures(
    spoken: str, browser: Browser, examples: Examples
) -> None:
    with visit(browser, examples.page("every_block", spoken)) as opened:
        trials = copied(opened, "#trials-table")
        assert trials[0] == ["trial", "round", "mode", "transactions/s", "why"]
        assert trials[7] == ["7", "1", "wal", "219.015625", "error share 31 %"]
        assert len(trials) == TRIALS + 1


def test_every_copied_row_has_a_field_for_each_column(browser: Browser, examples: Examples) -> None:
    with visit(browser, examples.page("every_block", "en")) as opened:
        rates = copied(opened, "#rates")
        assert [row[:2] for row in rates[1:]] == [
            ["delete", "1"],
            ["", "2"],
            ["wal", "1"],
            ["", "2"],
        ]
        matrix = copied(opened, "table.matrix")
        assert matrix[:2] == [["journal_mode", "clients", "", "", ""], ["", "1", "2", "4", "8"]]
        resources = copied(opened, "#resources")
        assert {len(row) for row in resources} == {CELLS + 1}


def test_a_level_of_a_legend_is_isolated_and_released(browser: Browser, examples: Examples) -> None:
    dimmed = """
    (level) => {
      const figure = document.querySelectorAll("figure")[1];
      const strokes = [...figure.querySelectorAll(".role-mark [stroke^='var(--series']")];
      return strokes.map((e) => [e.getAttribute("stroke"), getComputedStyle(e).opacity < 0.2]);
    }
    """
    with visit(browser, examples.page("every_block", "en")) as opened:
        legend = opened.page.locator("figure").nth(1).locator(".legend button")
        first, second = legend.nth(0), legend.nth(1)
        first.click()
        seen = opened.evaluate(dimmed)
        assert {paint for paint, is_dim in seen if not is_dim} == {"var(--series-1)"}
        assert {paint for paint, is_dim in seen if is_dim} == {"var(--series-2)"}
        second.click()
        assert [first.get_attribute("aria-pressed"), second.get_attribute("aria-pressed")] == [
            "false",
            "true",
        ]
        second.click()
        assert not any(is_dim for _, is_dim in opened.evaluate(dimmed))


def test_light_and_dark_are_switched(spoken: str, browser: Browser, examples: Examples) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    with visit(browser, examples.page("every_block", spoken), scheme="dark") as opened:
        dark = opened.evaluate(paper)
        opened.page.locator("#theme").click()
        light = opened.evaluate(paper)
        assert (light, dark) == ("rgb(255, 255, 255)", "rgb(21, 24, 27)")
        opened.page.locator("#theme").click()
        assert opened.evaluate(paper) == dark


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_saved_drawing_needs_no_page(
    scheme: Scheme, browser: Browser, examples: Examples, tmp_path: Path
) -> None:
    with visit(browser, examples.page("every_block", "en"), scheme=scheme) as opened:
        (wide,) = saved(opened.page, tmp_path, 0)
        several = saved(opened.page, tmp_path, 1)
        assert [path.name for path in [wide, *several[:2]]] == [
            *("drawn-1-1.svg", "drawn-2-1.svg", "drawn-2-2.svg")
        ]
        assert len({path.name for path in several}) == len(several) > 2
        for path in [wide, *several]:
            text = path.read_text(encoding="utf-8")
            drawing = ElementTree.fromstring(text)
            assert drawing.tag == f"{SVG}svg"
            behind = drawing.find(f"{SVG}rect")
            assert "var(" not in text
            assert "currentColor" not in text
            paper, ink = opened.evaluate(COLOURS, ["--paper", "--ink"])
            assert ink in text
            assert behind is not None
            assert behind.attrib == {"width": "100%", "height": "100%", "fill": paper}


def test_print_has_the_colours_of_the_light_page(browser: Browser, examples: Examples) -> None:
    palette = light_palette()
    with visit(browser, examples.page("every_block", "en")) as opened:
        assert opened.evaluate(COLOURS, list(palette)) == list(palette.values())


def test_without_a_script_everything_is_there(
    spoken: str, browser: Browser, examples: Examples
) -> None:
    counts = [
        *("main table", "main table tr", "main svg:not(.marker)", "details", ".legend li"),
        *("section", "dd", "nav a"),
    ]
    path = examples.page("every_block", spoken)
    with (
        visit(browser, path) as scripted,
        visit(browser, path, has_script=False) as plain,
    ):
        for each in counts:
            assert plain.page.locator(each).count() == scripted.page.locator(each).count() > 0
        assert plain.page.locator("button, input").count() == 0, "nothing that would do nothing"
        drawn = plain.page.locator("main svg:not(.marker):visible").all()
        assert drawn
        for svg in drawn:
            box = svg.bounding_box()
            assert box is not None
            assert box["width"] > 200
