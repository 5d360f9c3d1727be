"""A part of the time is seen in all panels, by pointer and by keys, and a link leads to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator

from dbdyno.report.over_seconds import WIDTH
from tests.live.report.browser.charts_read import (
    drag,
    line_ends,
    paths,
    place_of,
    point_at,
    press,
    time_charts,
    time_labels,
    told,
)
from tests.live.report.browser.examples import Examples
from tests.live.report.browser.test_reading import assert_told, cells_as_drawn, clean
from tests.live.report.browser.visit import PHONE, Visit
from tests.unit.report.report_examples import two_factors

pytestmark = pytest.mark.live

WHOLE = ["0", "5", "10", "15", "20", "25"]
LAST_S = 29.0
"""When the last interval of the examples begins."""
SPAN = "#over-time?from=10&to=20"
PART = ["10", "12", "14", "16", "18", "20"]
BACK = "button:has-text('Show the whole time')"


def fragment_of(opened: Visit) -> str:
    """Return the fragment of the address; the browser's driver hears of a new one later."""
    return str(opened.evaluate("location.hash"))


def span_of(opened: Visit) -> tuple[float, float]:
    """Return the span of time that the address names."""
    section, _, query = fragment_of(opened).partition("?")
    assert section == "#over-time"
    start, end = (float(each.partition("=")[2]) for each in query.split("&"))
    return start, end


def assert_whole(opened: Visit) -> None:
    assert all(time_labels(chart) == WHOLE for chart in time_charts(opened).all())
    assert "?" not in fragment_of(opened)
    assert opened.page.locator(BACK).count() == 0


def assert_part(opened: Visit) -> None:
    """Assert that all panels show the seconds from 10 to 20, and nothing beside their plots."""
    for chart in time_charts(opened).all():
        assert time_labels(chart) == PART
        for ends in line_ends(chart):
            assert ends == pytest.approx([0, WIDTH], abs=0.2)


def test_dragging_shows_a_part_of_the_time_in_all_panels(
    browser: Browser, examples: Examples
) -> None:
    with clean(browser, examples) as opened:
        before = paths(opened)
        assert_whole(opened)
        drag(opened, time_charts(opened).nth(3), 20, 10)
        assert span_of(opened) == pytest.approx((10, 20), abs=0.1)
        for chart in time_charts(opened).all():
            labels = [float(label) for label in time_labels(chart)]
            assert len(labels) > 3
            assert 9.9 < min(labels) < max(labels) < 20.1
            assert all(ends == pytest.approx([0, WIDTH], abs=0.2) for ends in line_ends(chart))
        assert paths(opened) != before


def marks_of(chart: Locator) -> list[tuple[str, float, bool]]:
    """Return what each mark of an event says, its pixel on the axis, and whether it is seen."""
    found = chart.locator(".mark-symbol path:has(title)").evaluate_all(
        """(paths) => paths.map((path) => [
            path.querySelector("title").textContent,
            Number(path.getAttribute("transform").match(/[-.\\d]+/)[0]),
            path.style.display !== "none"])"""
    )
    return [(str(said), float(x), bool(is_seen)) for said, x, is_seen in found]


def test_marks_of_events_go_where_their_seconds_are(browser: Browser, examples: Examples) -> None:
    with clean(browser, examples, "watched") as opened:
        chart = time_charts(opened).first
        before = marks_of(chart)
        assert any("12 s: 240.0 → 180.0" in said for said, _, _ in before)
        drag(opened, chart, 10, 20)
        start, end = span_of(opened)
        for (said, x, is_seen), (_, was_at, _) in zip(marks_of(chart), before, strict=True):
            second = LAST_S * was_at / WIDTH
            assert is_seen == (start <= second <= end), said
            assert x == pytest.approx(WIDTH * (second - start) / (end - start), abs=0.5)
        opened.page.keyboard.press("Escape")
        assert marks_of(chart) == before


@pytest.mark.parametrize("way", ["double click", "Escape", "button", "double tap"])
def test_the_whole_time_comes_back(way: str, browser: Browser, examples: Examples) -> None:
    is_touch = way == "double tap"
    with clean(browser, examples, fragment=SPAN, has_touch=is_touch) as opened:
        assert_part(opened)
        chart = time_charts(opened).nth(1)
        if way == "double click":
            opened.page.mouse.dblclick(*place_of(chart, 12))
        elif way == "Escape":
            chart.focus()
            opened.page.keyboard.press("Escape")
        elif way == "button":
            opened.page.locator(BACK).click()
        else:
            place = place_of(chart, 12)
            opened.page.touchscreen.tap(*place)
            opened.page.touchscreen.tap(*place)
        assert_whole(opened)
        assert fragment_of(opened) == "#over-time"


def test_lines_are_as_before_when_the_whole_time_is_back(
    browser: Browser, examples: Examples
) -> None:
    with clean(browser, examples) as opened:
        before = paths(opened)
        drag(opened, time_charts(opened).first, 3.3, 17.7)
        assert paths(opened) != before
        opened.page.mouse.dblclick(*place_of(time_charts(opened).first, 8))
        assert paths(opened) == before


def test_a_link_leads_to_a_part_of_the_time(
    spoken: str, browser: Browser, examples: Examples
) -> None:
    with clean(browser, examples, spoken=spoken, fragment=SPAN) as opened:
        assert_part(opened)
        top = opened.evaluate("document.getElementById('over-time').getBoundingClientRect().top")
        assert abs(top) < 5


def test_what_was_dragged_is_what_its_link_shows(browser: Browser, examples: Examples) -> None:
    with clean(browser, examples) as opened:
        drag(opened, time_charts(opened).first, 3.3, 17.7)
        fragment = fragment_of(opened)
        first = paths(opened)
    with clean(browser, examples, fragment=fragment) as opened:
        assert paths(opened) == first


def test_a_link_is_followed_inside_the_page(browser: Browser, examples: Examples) -> None:
    with clean(browser, examples) as opened:
        opened.evaluate("(fragment) => { location.hash = fragment; }", SPAN)
        opened.page.wait_for_function("document.querySelector('.tools button + button')")
        assert_part(opened)


@pytest.mark.parametrize(
    "fragment",
    [
        "#over-time?from=20&to=10",
        "#over-time?from=x&to=y",
        "#over-time?from=1000&to=2000",
        "#over-time?from=..&to=...",
        "#%",
        "#throughput",
    ],
)
def test_another_fragment_shows_the_whole_time(
    fragment: str, browser: Browser, examples: Examples
) -> None:
    with clean(browser, examples, fragment=fragment) as opened:
        assert all(time_labels(chart) == WHOLE for chart in time_charts(opened).all())
        top = opened.evaluate("document.getElementById('throughput').getBoundingClientRect().top")
        assert (abs(top) < 5) == (fragment == "#throughput"), "links to sections are as ever"


def test_values_are_read_in_a_part_of_the_time(browser: Browser, examples: Examples) -> None:
    cell = cells_as_drawn(two_factors())[1]
    with clean(browser, examples, fragment=SPAN) as opened:
        chart = time_charts(opened).nth(1)
        # Where 29 × 0.3 s stood, there is now the second 10 + 10 × 0.3.
        point_at(opened, chart, 29 * 0.3)
        assert_told(told(opened), cell, 13)
        chart.focus()
        opened.page.keyboard.press("End")
        assert_told(told(opened), cell, 20)


def test_keys_show_a_part_of_the_time(browser: Browser, examples: Examples) -> None:
    with clean(browser, examples) as opened:
        time_charts(opened).nth(1).focus()
        press(opened, "ArrowRight", 12)
        opened.page.keyboard.press("+")
        assert told(opened)[0][0] == "12 s", "the cursor stays where it is"
        assert span_of(opened) == pytest.approx((6, 20.5), abs=0.1)
        opened.page.keyboard.press("+")
        assert span_of(opened) == pytest.approx((9, 16.25), abs=0.1)
        press(opened, "+", 20)
        start, end = span_of(opened)
        assert end - start >= 1.9, "two points are left"
        press(opened, "-", 20)
        assert_whole(opened)


def test_the_way_back_is_large_enough_for_a_finger(browser: Browser, examples: Examples) -> None:
    with clean(browser, examples, size=PHONE, has_touch=True, fragment=SPAN) as opened:
        box = opened.page.locator(BACK).bounding_box()
        assert box is not None
        assert box["height"] >= 44
        opened.page.locator(BACK).tap()
        assert_whole(opened)


def test_on_paper_the_whole_time_is_shown(browser: Browser, examples: Examples) -> None:
    with clean(browser, examples) as whole:
        expected = paths(whole)
    with clean(browser, examples, fragment=SPAN) as opened:
        part = paths(opened)
        opened.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert paths(opened) == expected
        assert time_labels(time_charts(opened).first) == WHOLE
        opened.evaluate("dispatchEvent(new Event('afterprint'))")
        assert paths(opened) == part
        assert_part(opened)


def test_a_saved_drawing_shows_what_is_seen_but_no_cursor(
    browser: Browser, examples: Examples, tmp_path: Path
) -> None:
    with clean(browser, examples, "every_block") as opened:
        drag(opened, time_charts(opened).first, 5, 15)
        point_at(opened, time_charts(opened).first, 12)
        seen = paths(opened)[0]
        button = opened.page.locator("figure").nth(1).locator(".tools button").last
        with opened.page.expect_download() as saved:
            # A pointer that went there would take its cursor along.
            button.evaluate("(each) => each.click()")
        saved.value.save_as(tmp_path / "saved.svg")
    text = (tmp_path / "saved.svg").read_text(encoding="utf-8")
    assert seen in text
    for each in ("reading", "reach", "aria-", "data-", "tabindex", "slider"):
        assert each not in text
    assert 'role="img"' in text
