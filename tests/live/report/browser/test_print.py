"""Paper: what a browser prints, and the PDF that is written without one."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from pypdf import PageObject, PdfReader
from weasyprint import HTML

from dbdyno.report.document.model import Bullets, Details, Document
from dbdyno.report.document.parts import plain
from dbdyno.report.formats.html import write_print_html
from tests.live.report.browser.every_block import FOLDED, INSIDE, TRIALS
from tests.live.report.browser.examples import Examples
from tests.live.report.browser.visit import Visit, visit

pytestmark = pytest.mark.live

A4_POINTS = (595, 842)
MARGIN_POINTS = 45
PAPER_PX = (673, 1000)
"""What is between the margins, at 96 pixels an inch."""
PARTS = {
    "en": ("Part 1 of 2.", "Part 2 of 2."),
    "zh": ("第 1 部分，共 2 部分。", "第 2 部分，共 2 部分。"),
}
"""What a table too wide for the paper says of its parts."""
CONTROLS = ("Copy as TSV", "Save as SVG", "Light or dark", "Search trials")

BEYOND_PAPER = """
[...document.querySelectorAll("body *")]
  .filter((each) => each.checkVisibility() && !each.closest("svg.marker"))
  .filter((each) => {
    const box = each.getBoundingClientRect();
    const reach = each.closest("svg") ? box.width : Math.max(box.width, each.scrollWidth);
    return box.left + reach > innerWidth + 1;
  })
  .map((each) => `${each.tagName} ${each.className} ${each.textContent.slice(0, 60)}`)
"""


def printed(page: Page) -> PdfReader:
    """Print a page as its style sheet wants it."""
    return PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))


def words(pages: Iterable[PageObject]) -> str:
    """Return the text of pages without spaces: lines are broken elsewhere on each paper."""
    return squeezed(" ".join(page.extract_text() for page in pages))


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def verdicts(document: Document) -> list[str]:
    """Return the verdicts of a document in words."""
    (section,) = (each for each in document.sections if each.id == "verdicts-in-full")
    folded = [each for each in section.blocks if isinstance(each, Details)]
    return [
        squeezed(plain(item))
        for block in (*section.blocks, *(each for fold in folded for each in fold.blocks))
        if isinstance(block, Bullets)
        for item in block.items
    ]


def sizes(pdf: PdfReader) -> set[tuple[int, int]]:
    return {(round(float(p.mediabox.width)), round(float(p.mediabox.height))) for p in pdf.pages}


def rightmost(page: PageObject) -> float:
    """Return where the text farthest to the right begins, in points."""
    begins = [0.0]

    def see(text: str, matrix: list[float], of_text: list[float], *_: object) -> None:
        if text.strip():
            begins.append(of_text[4] * matrix[0] + of_text[5] * matrix[2] + matrix[4])

    page.extract_text(visitor_text=see)
    return max(begins)


def beyond_paper(opened: Visit) -> list[str]:
    opened.page.emulate_media(media="print")
    found: list[str] = opened.evaluate(BEYOND_PAPER)
    return found


def test_a_browser_prints_everything_but_the_buttons(
    spoken: str, browser: Browser, examples: Examples
) -> None:
    with visit(browser, examples.page("every_block", spoken)) as opened:
        pdf = printed(opened.page)
    assert len(pdf.pages) > 1
    assert sizes(pdf) == {A4_POINTS}
    text = words(pdf.pages)
    for shown in (FOLDED, INSIDE, "journal_mode", "delete", f"{212 + TRIALS}"):
        assert squeezed(shown) in text
    for control in CONTROLS:
        assert squeezed(control) not in text


@pytest.mark.parametrize("name", ["watched", "tpcc_of_many_cells", "large", "every_block"])
def test_nothing_is_wider_than_the_paper(
    name: str, spoken: str, browser: Browser, examples: Examples
) -> None:
    with visit(browser, examples.page(name, spoken), size=PAPER_PX) as opened:
        assert beyond_paper(opened) == []


def test_dark_pages_are_printed_on_light_paper(browser: Browser, examples: Examples) -> None:
    with visit(browser, examples.page("every_block", "en"), scheme="dark") as opened:
        for theme in ("light", "dark"):
            opened.evaluate("(name) => { document.documentElement.dataset.theme = name; }", theme)
            opened.page.emulate_media(media="print", color_scheme="dark")
            paper = opened.evaluate("getComputedStyle(document.body).backgroundColor")
            assert paper == "rgb(255, 255, 255)"


def test_the_pdf_says_what_the_page_says(spoken: str, browser: Browser, examples: Examples) -> None:
    pdf = PdfReader(examples.pdf("watched", spoken, False))
    assert sizes(pdf) == {A4_POINTS}
    assert len(pdf.pages) > 1
    text = words(pdf.pages)
    said = verdicts(examples.document("watched", spoken, False))
    assert len(said) >= 4
    with visit(browser, examples.page("watched", spoken)) as opened:
        opened.page.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true })")
        shown = squeezed(opened.page.locator("main").inner_text())
        summaries = opened.page.locator("summary").all_inner_texts()
    for sentence in said:
        assert sentence in text
        assert sentence in shown
    assert summaries
    for control in CONTROLS:
        assert squeezed(control) not in text


def test_the_pdf_has_every_block(spoken: str, examples: Examples) -> None:
    pdf = PdfReader(examples.pdf("every_block", spoken, False))
    text = words(pdf.pages)
    for shown in (FOLDED, INSIDE, *PARTS[spoken], f"{212 + TRIALS}", "clients=32768"):
        assert squeezed(shown) in text
    assert sizes(pdf) == {A4_POINTS}
    assert all(rightmost(page) < A4_POINTS[0] - MARGIN_POINTS for page in pdf.pages)
    assert "/Lang" in pdf.root_object


@pytest.mark.parametrize("name", ["watched", "nothing_valid"])
def test_a_summary_is_one_page(name: str, spoken: str, examples: Examples) -> None:
    pdf = PdfReader(examples.pdf(name, spoken, True))
    assert len(pdf.pages) == 1
    assert sizes(pdf) == {A4_POINTS}
    if spoken == "zh":
        assert "2026年11月25日" in words(pdf.pages), "its characters have a font that maps back"


def test_the_pdf_has_no_unknown_paint(examples: Examples) -> None:
    """A variable that is left in a drawing would be painted black."""
    html = write_print_html(examples.document("every_block", "en", False))
    drawings = re.findall(r"<svg.*?</svg>", html, flags=re.DOTALL)
    assert len(drawings) > 8
    assert not [each for each in drawings if "var(" in each or "currentColor" in each]
    assert html.count("<details open>") == html.count("<details")


def test_text_beyond_the_paper_would_be_seen(
    browser: Browser, examples: Examples, tmp_path: Path
) -> None:
    html = examples.html("nothing_valid", "en")
    wide = html.replace("<main>", f'<main><p style="white-space: nowrap">{"word " * 90}</p>')
    with visit(browser, examples.save("wide.html", wide), size=PAPER_PX) as opened:
        assert beyond_paper(opened)
    away = html.replace("<main>", '<main><p style="margin-left: 19cm">away</p>')
    HTML(string=away).write_pdf(tmp_path / "away.pdf")
    page = PdfReader(tmp_path / "away.pdf").pages[0]
    assert rightmost(page) > A4_POINTS[0] - MARGIN_POINTS
