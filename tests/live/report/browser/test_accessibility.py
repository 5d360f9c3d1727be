"""Pages can be read and used by everybody: contrast, names, keyboard, targets for a finger."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.live.report.browser.examples import Examples
from tests.live.report.browser.visit import PHONE, Scheme, visit

pytestmark = pytest.mark.live

SMALLEST_PX = 24
FINGER_PX = 44
"""Of what is pressed on a phone, as Apple's and Google's guidelines have it."""

OPEN = "document.querySelectorAll('details').forEach((each) => { each.open = true; })"

REACHABLE = """
[...document.querySelectorAll("a[href], button, input, summary, [tabindex='0']")]
  .filter((each) => each.checkVisibility() && !each.disabled)
  .map((each, place) => { each.dataset.place = place; return place; })
"""

FOCUSED = """
(() => {
  const each = document.activeElement;
  const style = getComputedStyle(each);
  const box = each.getBoundingClientRect();
  return {
    place: each.dataset.place === undefined ? null : Number(each.dataset.place),
    is_marked: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1.5,
    is_in_view: box.bottom > 0 && box.top < innerHeight,
  };
})()
"""

TARGETS = """
[...document.querySelectorAll("a[href], button, input, summary")]
  .filter((each) => each.checkVisibility())
  .map((each) => {
    const box = each.getBoundingClientRect();
    return {
      name: `${each.tagName} ${each.textContent}`,
      // A link in a line of text has the height of its line.
      is_inline: each.matches("p a, li a, dd a, caption a, td a"),
      width: box.width,
      height: box.height,
    };
  })
"""


def violations(page: Page) -> list[str]:
    """Return what axe-core finds of serious and critical impact."""
    found: dict[str, Any] = Axe().run(page).response
    return [
        f"{each['id']}: {node['html'][:120]} {node.get('failureSummary', '')}"
        for each in found["violations"]
        if each["impact"] in {"serious", "critical"}
        for node in each["nodes"]
    ]


def focused_in_turn(page: Page, most: int) -> list[dict[str, Any]]:
    """Press Tab until the focus leaves the page, and return what had it."""
    turn: list[dict[str, Any]] = []
    for _ in range(most):
        page.keyboard.press("Tab")
        has_focus = page.evaluate(FOCUSED)
        if has_focus["place"] is None or (turn and has_focus["place"] == turn[0]["place"]):
            break
        turn.append(has_focus)
    return turn


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("name", "spoken"),
    [
        *(("watched", "zh"), ("with_errors", "en"), ("nothing_valid", "en"), ("tpcc", "en")),
        *(("every_block", "en"), ("every_block", "zh")),
    ],
)
def test_axe_finds_nothing_serious(
    name: str, scheme: Scheme, spoken: str, browser: Browser, examples: Examples
) -> None:
    with visit(browser, examples.page(name, spoken), scheme=scheme) as opened:
        opened.evaluate(OPEN)
        assert violations(opened.page) == []


def test_axe_finds_nothing_serious_on_a_phone(
    spoken: str, browser: Browser, examples: Examples
) -> None:
    with visit(browser, examples.page("every_block", spoken), size=PHONE) as opened:
        opened.evaluate(OPEN)
        assert violations(opened.page) == []


@pytest.mark.parametrize("name", ["two_factors", "every_block"])
def test_the_keyboard_reaches_everything(
    name: str, spoken: str, browser: Browser, examples: Examples
) -> None:
    with visit(browser, examples.page(name, spoken)) as opened:
        expected = opened.evaluate(REACHABLE)
        turn = focused_in_turn(opened.page, len(expected) + 5)
        assert sorted(each["place"] for each in turn) == expected
        assert all(each["is_marked"] and each["is_in_view"] for each in turn)


def test_a_table_is_scrolled_and_details_are_opened_with_keys(
    browser: Browser, examples: Examples
) -> None:
    with visit(browser, examples.page("every_block", "en"), size=PHONE) as opened:
        table = opened.page.locator(".scroll:has(table)").first
        table.focus()
        opened.page.keyboard.press("ArrowRight")
        opened.page.wait_for_function("(each) => each.scrollLeft > 0", arg=table.element_handle())
        opened.page.locator("summary").first.focus()
        opened.page.keyboard.press("Enter")
        assert opened.page.locator("details").first.get_attribute("open") is not None


@pytest.mark.parametrize("name", ["watched", "nothing_valid", "every_block"])
def test_a_finger_can_press_what_is_pressed(
    name: str, spoken: str, browser: Browser, examples: Examples
) -> None:
    with visit(browser, examples.page(name, spoken), size=PHONE) as opened:
        opened.evaluate(OPEN)
        targets = opened.evaluate(TARGETS)
        assert targets
        for each in targets:
            if not each["is_inline"]:
                assert each["height"] >= FINGER_PX, each
            assert each["is_inline"] or each["width"] >= SMALLEST_PX, each


def test_a_page_that_shuts_people_out_would_be_seen(browser: Browser, examples: Examples) -> None:
    html = examples.html("nothing_valid", "en")
    faults = {
        "color-contrast": ("--muted: #5a636d", "--muted: #b0b6bc"),
        "html-has-lang": ('<html lang="en">', "<html>"),
        "button-name": ("<main>", "<main><button></button>"),
    }
    bad = html
    for right, wrong in faults.values():
        bad = bad.replace(right, wrong)
    with visit(browser, examples.save("bad.html", bad)) as opened:
        found = {each.split(":")[0] for each in violations(opened.page)}
        assert found >= faults.keys()
    with visit(browser, examples.save("still.html", html)) as opened:
        opened.page.add_style_tag(content="* { outline: none !important; }")
        expected = opened.evaluate(REACHABLE)
        turn = focused_in_turn(opened.page, len(expected))
        assert not any(each["is_marked"] for each in turn)
