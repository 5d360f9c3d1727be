"""Where things are in the charts of an open page, and what is told beside them."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator

from tests.live.report.browser.visit import Visit

TIME_CHARTS = "svg[data-seconds]"

_PLACE = """
(svg, second) => {
  const [first, last, , width] = svg.dataset.seconds.split(" ").map(Number);
  svg.scrollIntoView({ block: "center" });
  const matrix = svg.querySelector("[class*=' concat_'] g > g").getScreenCTM();
  const x = width * (second - first) / (last - first);
  return [matrix.e + matrix.a * x, matrix.f + matrix.d * 40];
}
"""

_CURSORS = """
(svgs) => svgs.map((svg) => [...svg.querySelectorAll(".reading line")].map((line) => {
  const [first, last, , width] = svg.dataset.seconds.split(" ").map(Number);
  return first + (last - first) * line.x1.baseVal.value / width;
}))
"""

_LABELS = """
(svg) => [...svg.querySelector(".role-axis-tick").parentNode
  .querySelectorAll(".role-axis-label text")].map((text) => text.textContent)
"""

_ENDS = """
(svg) => [...svg.querySelectorAll(".mark-line path")].map((path) => {
  const box = path.getBBox();
  return [box.x, box.x + box.width];
})
"""


def time_charts(opened: Visit) -> Locator:
    """Return the panels over time."""
    return opened.page.locator(TIME_CHARTS)


def place_of(chart: Locator, second: float) -> tuple[float, float]:
    """Bring a panel into view and return where a second of the whole window is on the screen."""
    x, y = chart.evaluate(_PLACE, second)
    return x, y


def point_at(opened: Visit, chart: Locator, second: float) -> None:
    """Move the pointer to a second of a panel."""
    opened.page.mouse.move(*place_of(chart, second))


def drag(opened: Visit, chart: Locator, first: float, last: float) -> None:
    """Drag over a panel from one second to another."""
    point_at(opened, chart, first)
    opened.page.mouse.down()
    opened.page.mouse.move(*place_of(chart, last), steps=4)
    opened.page.mouse.up()


def press(opened: Visit, key: str, times: int) -> None:
    """Press a key so many times."""
    for _ in range(times):
        opened.page.keyboard.press(key)


def told(opened: Visit) -> list[list[str]]:
    """Return the rows beside a chart; none where nothing is told."""
    readout = opened.page.locator(".readout")
    if not readout.count():
        return []
    texts = readout.locator("span").all_inner_texts()
    columns = int(readout.evaluate("(each) => each.style.getPropertyValue('--columns')"))
    return [texts[at : at + columns] for at in range(0, len(texts), columns)]


def cursors(opened: Visit) -> list[list[float]]:
    """Return the seconds at which each panel has a cursor, one a plot."""
    found: list[list[float]] = time_charts(opened).evaluate_all(_CURSORS)
    return found


def time_labels(chart: Locator) -> list[str]:
    """Return the labels of a panel's axis of time."""
    found: list[str] = chart.evaluate(_LABELS)
    return found


def line_ends(chart: Locator) -> list[list[float]]:
    """Return where each line of a panel begins and ends, in pixels of its plot."""
    found: list[list[float]] = chart.evaluate(_ENDS)
    return found


def paths(opened: Visit) -> Any:
    """Return all lines over time as they are drawn."""
    lines = opened.page.locator(f"{TIME_CHARTS} .mark-line path")
    return lines.evaluate_all("(all) => all.map((each) => each.getAttribute('d'))")
