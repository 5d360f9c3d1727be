"""Every drawing of a page is seen, whole, and its axes say what they measure and in which unit."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.live.report.browser.examples import Examples
from tests.live.report.browser.visit import DESKTOP, PHONE, visit

pytestmark = pytest.mark.live

TOLERANCE_PX = 1.5
"""Half a stroke may lie outside of a drawing."""

DRAWINGS = """
(tolerance) => {
  for (const each of document.querySelectorAll("details")) each.open = true;
  const isSeen = (e) => !["none", "transparent", null].includes(e.getAttribute("fill"))
    || !["none", "transparent", null].includes(e.getAttribute("stroke"));
  return [...document.querySelectorAll("svg:not(.marker)")].map((svg) => {
    const whole = svg.getBoundingClientRect();
    const marks = [...svg.querySelectorAll("[class*=role-mark] > *")].filter(isSeen);
    const shapes = [...marks, ...svg.querySelectorAll("text")];
    const boxes = shapes.map((each) => [each, each.getBoundingClientRect()]);
    return {
      title: svg.querySelector("title").textContent,
      description: svg.querySelector("desc").textContent,
      width: whole.width,
      height: whole.height,
      marks: marks.length,
      empty: boxes.filter(([each, box]) => (each.textContent || each.tagName !== "text")
        && box.width + box.height <= 0).length,
      outside: boxes
        .filter(([, box]) => box.left < whole.left - tolerance || box.top < whole.top - tolerance
          || box.right > whole.right + tolerance || box.bottom > whole.bottom + tolerance)
        .map(([each, box]) => `${each.tagName} ${each.textContent} ${box.right - whole.right}`),
      axes: [...svg.querySelectorAll(".role-axis-title text")].map((each) => each.textContent),
    };
  });
}
"""

UNIT = re.compile(
    r"%|, ms|CPU|/s\b|/min|per second|per minute|seconds|percentile|tpmC|NOPM"
    r"|\(logarithmic\)|秒|分钟|百分|，ms|（ms）|对数刻度|/秒"
)
"""What names a unit; a logarithmic axis of a factor has the factor's own."""
FACTORS = ("journal_mode", "clients", "engine", "target", "terminals", "round", "轮次")


def drawings(opened: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = opened.evaluate(DRAWINGS, TOLERANCE_PX)
    return found


@pytest.mark.parametrize(
    "name",
    ["two_factors", "watched", "names_only", "scaling_laws", "tpcc", "with_errors", "every_block"],
)
def test_every_mark_is_seen_inside_its_drawing(
    name: str, spoken: str, browser: Browser, examples: Examples
) -> None:
    with visit(browser, examples.page(name, spoken)) as opened:
        for size in (DESKTOP, PHONE):
            opened.resize(size)
            found = drawings(opened)
            assert found
            for each in found:
                assert (each["empty"], each["outside"]) == (0, []), each["title"]
                assert each["marks"] > 0, each["title"]
                assert each["width"] > 200, each["title"]
                assert each["height"] > 40, each["title"]
                assert len(each["description"]) > 20, each["title"]
                assert each["axes"], each["title"]
                assert all(UNIT.search(title) or title in FACTORS for title in each["axes"])


def test_a_level_has_the_colour_of_its_legend(browser: Browser, examples: Examples) -> None:
    """No drawing is black because a colour is not known."""
    with visit(browser, examples.page("every_block", "en")) as opened:
        paints = opened.evaluate(
            """[...document.querySelectorAll("svg [class*=role-mark] > *")].flatMap((each) => {
              const style = getComputedStyle(each);
              return ["fill", "stroke"].filter((name) => each.getAttribute(name)?.includes("var("))
                .map((name) => style[name]);
            })"""
        )
        assert len(set(paints)) > 2
        assert "rgb(0, 0, 0)" not in paints


def test_a_mark_outside_and_an_empty_drawing_would_be_seen(
    browser: Browser, examples: Examples
) -> None:
    html = examples.html("two_factors", "en")
    cut = re.sub(r'<svg class="marks" width="\d+"', '<svg class="marks" width="99"', html)
    cut = re.sub(r'viewBox="0 0 \d+', 'viewBox="0 0 99', cut)
    with visit(browser, examples.save("cut.html", cut)) as opened:
        assert all(each["outside"] for each in drawings(opened))
    bare = re.sub(r'class="mark-\w+ role-mark[^"]*"', 'class="gone"', html)
    with visit(browser, examples.save("bare.html", bare)) as opened:
        assert not any(each["marks"] for each in drawings(opened))
