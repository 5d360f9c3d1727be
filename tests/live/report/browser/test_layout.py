"""Pages fit their window: on a phone, on a desktop, and the answer on the first screen."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.live.report.browser.examples import Examples
from tests.live.report.browser.visit import DESKTOP, PHONE, visit

pytestmark = pytest.mark.live

EXAMPLES = [
    "two_factors",
    "watched",
    "nothing_valid",
    "tpcc",
    "large",
    "hostile",
    "every_block",
    "with_errors",
]
OPEN = "document.querySelectorAll('details').forEach((each) => { each.open = true; })"
WIDTHS = "[document.documentElement.scrollWidth, innerWidth]"

OUTSIDE = """
[...document.querySelectorAll("body *")]
  .filter((each) => !each.closest(".scroll, .wide") || each.matches(".scroll, .wide"))
  .filter((each) => each.checkVisibility() && !each.closest("svg"))
  .filter((each) => {
    const box = each.getBoundingClientRect();
    return box.width && (box.right > innerWidth + 0.5 || box.left < -0.5);
  })
  .map((each) => `${each.tagName} ${each.className} ${each.textContent.slice(0, 60)}`)
"""
"""What reaches beyond the window though it is not in a box that scrolls."""

CUT = """
[...document.querySelectorAll("body *")]
  .filter((each) => !each.closest("svg") && each.checkVisibility())
  .filter((each) => ["hidden", "clip"].includes(getComputedStyle(each).overflowX))
  .filter((each) => each.scrollWidth > each.clientWidth + 1)
  .map((each) => `${each.tagName} ${each.className} ${each.textContent.slice(0, 60)}`)
"""

OVERLAPPING = """
(() => {
  const lines = (each) => {
    if (each.matches("button, input, svg")) return [each.getBoundingClientRect()];
    const range = document.createRange();
    range.selectNodeContents(each);
    return [...range.getClientRects()].filter((box) => box.width && box.height);
  };
  const shown = "button, input, h1, h2, p, figcaption, svg:not(.marker), nav a, .legend";
  const boxes = [...document.querySelectorAll(shown)]
    .filter((each) => each.checkVisibility() && !each.closest(".scroll"))
    .map((each) => [each, lines(each)]);
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
    && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return boxes.flatMap(([one, its], place) => boxes.slice(place + 1)
    .filter(([other]) => !one.contains(other))
    .filter(([, theirs]) => its.some((a) => theirs.some((b) => meet(a, b))))
    .map(([other]) => `${one.textContent} over ${other.textContent}`.slice(0, 90)));
})()
"""
"""Lines of text, buttons and drawings that lie over each other."""

SCROLLED = """
[...document.querySelectorAll(".scroll")].filter((each) => each.checkVisibility()).map((each) => {
  const widest = each.scrollWidth - each.clientWidth;
  each.scrollLeft = widest;
  const moved = each.scrollLeft;
  const first = each.querySelector("tbody tr:not(:has([colspan])) > th:first-child");
  const stays = !first || getComputedStyle(first).position !== "sticky"
    || Math.abs(first.getBoundingClientRect().left - each.getBoundingClientRect().left) < 1.5;
  return [widest, moved, stays];
})
"""


@pytest.mark.parametrize("name", EXAMPLES)
def test_nothing_reaches_beyond_the_window(
    name: str, spoken: str, browser: Browser, examples: Examples
) -> None:
    with visit(browser, examples.page(name, spoken)) as opened:
        opened.evaluate(OPEN)
        for size in (PHONE, DESKTOP):
            opened.resize(size)
            needed, had = opened.evaluate(WIDTHS)
            assert needed <= had == size[0]
            assert opened.evaluate(OUTSIDE) == []
            assert opened.evaluate(CUT) == []
            assert opened.evaluate(OVERLAPPING) == []


def test_wide_tables_scroll_inside_themselves(
    spoken: str, browser: Browser, examples: Examples
) -> None:
    with visit(browser, examples.page("every_block", spoken), size=PHONE) as opened:
        tables = opened.evaluate(SCROLLED)
        assert sum(widest > 0 for widest, _, _ in tables) >= 3
        assert all(widest == moved and stays for widest, moved, stays in tables)


def test_the_answer_is_on_the_first_screen(
    spoken: str, browser: Browser, examples: Examples
) -> None:
    with visit(browser, examples.page("two_factors", spoken)) as opened:
        facts = opened.evaluate(
            "document.querySelector('#answer .term-table').getBoundingClientRect().bottom"
        )
        assert facts <= DESKTOP[1]
        opened.resize(PHONE)
        end = opened.evaluate("document.querySelector('#answer').getBoundingClientRect().bottom")
        assert end <= 2 * PHONE[1]


def test_text_that_is_too_long_would_be_seen(browser: Browser, examples: Examples) -> None:
    html = examples.html("every_block", "en")
    unbroken = '<main><p style="white-space: nowrap">' + "word " * 200 + "</p>"
    broken = html.replace("<main>", unbroken)
    with visit(browser, examples.save("long.html", broken)) as opened:
        needed, had = opened.evaluate(WIDTHS)
        assert needed > had
    hidden = html.replace("<main>", unbroken.replace("nowrap", "nowrap; overflow: hidden"))
    with visit(browser, examples.save("hidden.html", hidden)) as opened:
        assert len(opened.evaluate(CUT)) == 1
    covered = html.replace("<h1>", '<h1 style="margin-top: -1.2rem">')
    with visit(browser, examples.save("covered.html", covered)) as opened:
        assert opened.evaluate(OVERLAPPING)
