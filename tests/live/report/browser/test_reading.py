"""Values are read off charts by pointer, finger and keys, and they are those that were found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator

from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.report import panels
from dbdyno.report.grammar import cell_label
from dbdyno.report.series import MOST_LINES
from tests.live.report.browser.charts_read import (
    cursors,
    place_of,
    point_at,
    press,
    time_charts,
    told,
)
from tests.live.report.browser.examples import WRITTEN_AT, Examples
from tests.live.report.browser.test_accessibility import OPEN, violations
from tests.live.report.browser.visit import PHONE, Scheme, Visit, visit
from tests.unit.report.report_examples import two_factors
from tests.unit.report.test_report_size import experiment
from tests.unit.report.written import render_html

pytestmark = pytest.mark.live

SAME = 0.02
"""How far a value that is read off may be from the exact one: as far as a drawing is rounded."""
MARKED = "figure svg[role=slider]:not([data-seconds])"
NUMBER = re.compile(r"[\d,.]+")


@contextmanager
def clean(browser: Browser, examples: Examples, name: str = "two_factors", spoken: str = "en",
          **options: Any) -> Iterator[Visit]:  # fmt: skip
    """Open an example; in the end, its console has no error and its policy refused nothing."""
    with visit(browser, examples.page(name, spoken), **options) as opened:
        # A chart that is folded away is read once a reader has opened what it lies in.
        opened.page.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true })")
        yield opened
        assert opened.complaints == []
        assert opened.violations() == []


def number(text: str) -> float:
    found = NUMBER.match(text)
    assert found is not None, text
    return float(found[0].replace(",", ""))


def cells_as_drawn(findings: Findings) -> list[CellSummary]:
    by_label = {cell_label(cell.cell): cell for cell in findings.cells}
    return [by_label[drawing.heading] for drawing in panels.over_time(findings)]


def exact(cell: CellSummary, second: int) -> list[list[float | None]]:
    """Return throughput and p95 of each round in an interval of one second."""
    return [[each.throughput_per_s[second], each.response_p95_ms[second]] for each in cell.series]


def assert_told(rows: list[list[str]], cell: CellSummary, second: int) -> None:
    """Assert that all rounds' values of a second are told, each with its round and its unit."""
    assert rows[0] == [f"{second} s", "transactions per second", "p95 response time, ms"]
    assert [name for name, *_ in rows[1:]] == [f"round {each.round}" for each in cell.series]
    for (_, *texts), values in zip(rows[1:], exact(cell, second), strict=True):
        assert [number(text) for text in texts] == pytest.approx(values, rel=SAME)


def test_a_pointer_reads_all_rounds_at_its_second(browser: Browser, examples: Examples) -> None:
    cells = cells_as_drawn(two_factors())
    with clean(browser, examples) as opened:
        charts = time_charts(opened)
        assert charts.count() == len(cells)
        for place, second in ((0, 0), (1, 12), (4, 29), (7, 13)):
            point_at(opened, charts.nth(place), second + 0.3)
            assert_told(told(opened), cells[place], second)
        opened.page.mouse.move(2, 2)
        assert told(opened) == []
        assert not any(cursors(opened))


def test_one_cursor_stands_in_all_panels(browser: Browser, examples: Examples) -> None:
    with clean(browser, examples) as opened:
        charts = time_charts(opened)
        for second in (11, 20):
            point_at(opened, charts.nth(2), second)
            found = cursors(opened)
            assert len(found) == charts.count() > 4
            # Throughput and response time are plots of their own.
            assert all(each == pytest.approx([second, second]) for each in found)


def test_keys_read_every_second(browser: Browser, examples: Examples) -> None:
    cell = cells_as_drawn(two_factors())[1]
    last = len(cell.series[0].start_s) - 1
    with clean(browser, examples) as opened:
        chart = time_charts(opened).nth(1)
        chart.focus()
        for second in range(last + 1):
            assert_told(told(opened), cell, second)
            text = chart.get_attribute("aria-valuetext")
            assert text is not None
            assert text.startswith(f"{second} s")
            opened.page.keyboard.press("ArrowRight")
        assert told(opened)[0][0] == f"{last} s", "there is nothing beyond"
        for key, second in (("ArrowLeft", last - 1), ("Home", 0), ("PageUp", 10), ("End", last)):
            opened.page.keyboard.press(key)
            assert told(opened)[0][0] == f"{second} s"
        opened.page.keyboard.press("Escape")
        assert told(opened) == []


def test_the_cursor_goes_along_to_the_next_panel(browser: Browser, examples: Examples) -> None:
    with clean(browser, examples) as opened:
        time_charts(opened).nth(0).focus()
        press(opened, "ArrowRight", 5)
        opened.page.keyboard.press("Tab")
        assert_told(told(opened), cells_as_drawn(two_factors())[1], 5)


def test_a_tap_reads_and_a_tap_elsewhere_ends_it(browser: Browser, examples: Examples) -> None:
    with clean(browser, examples, size=PHONE, has_touch=True) as opened:
        chart = time_charts(opened).nth(1)
        opened.page.touchscreen.tap(*place_of(chart, 13))
        assert_told(told(opened), cells_as_drawn(two_factors())[1], 13)
        box = opened.page.locator(".readout").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE[0]
        opened.page.touchscreen.tap(5, 5)
        assert told(opened) == []


def test_words_are_of_the_language_of_the_page(browser: Browser, examples: Examples) -> None:
    with clean(browser, examples, spoken="zh") as opened:
        point_at(opened, time_charts(opened).nth(0), 12)
        rows = told(opened)
        assert rows[0][0] == "12 秒"
        assert [name for name, *_ in rows[1:]] == ["第 1 轮", "第 2 轮", "第 3 轮"]


def test_a_point_at_another_second_than_the_cursor_says_so(
    browser: Browser, examples: Examples
) -> None:
    """Of a long trial, not every interval has a point in every line."""
    findings = experiment(1, 2)
    cell = findings.cells[0]
    html = examples.save("long.html", render_html(findings, WRITTEN_AT))
    with visit(browser, html) as opened:
        chart = time_charts(opened).first
        others = 0
        for second in (37, 400, 401, 811):
            point_at(opened, chart, second)
            rows = told(opened)
            at = int(number(rows[0][0]))
            for (_, *texts), place in zip(rows[1:], (0, 1), strict=True):
                own = [int(found[1]) if (found := re.search(r"\((\d+) s\)", text)) else at
                       for text in texts]  # fmt: skip
                others += sum(each != at for each in own)
                series = cell.series[place]
                values = [series.throughput_per_s[own[0]], series.response_p95_ms[own[1]]]
                assert [number(text) for text in texts] == pytest.approx(values, rel=SAME)
        assert others > 0
        assert opened.complaints == []


def test_three_lines_for_many_rounds_have_their_names(browser: Browser, examples: Examples) -> None:
    findings = experiment(1, MOST_LINES + 1, 30)
    rates = sorted(each.throughput_per_s[7] for each in findings.cells[0].series)
    html = examples.save("many.html", render_html(findings, WRITTEN_AT))
    with visit(browser, html) as opened:
        point_at(opened, time_charts(opened).first, 7)
        rows = told(opened)[1:]
    assert [name.split()[0] for name, *_ in rows] == ["lowest", "highest", "median"]
    expected = [rates[0], rates[-1], rates[len(rates) // 2]]
    assert [number(text) for _, text, _ in rows] == pytest.approx(expected, rel=SAME)


def test_a_gap_has_no_value(browser: Browser, examples: Examples) -> None:
    findings = two_factors()
    first = cells_as_drawn(findings)[0]
    times = tuple(None if second in (5, 6) else 8.0 for second in range(30))
    broken = replace(first, series=(replace(first.series[0], response_p95_ms=times),))
    cells = tuple(broken if cell.cell == first.cell else cell for cell in findings.cells)
    html = examples.save("gap.html", render_html(replace(findings, cells=cells), WRITTEN_AT))
    with visit(browser, html) as opened:
        chart = time_charts(opened).first
        for second, time in ((4, "8"), (5, "–"), (6, "–"), (7, "8")):
            point_at(opened, chart, second)
            rows = told(opened)
            assert number(rows[1][1]) == pytest.approx(exact(first, second)[0][0], rel=SAME)
            assert rows[1][2].split(".")[0] == time
        assert opened.complaints == []


def middle(mark: Locator) -> tuple[float, float]:
    box = mark.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("name", ["two_factors", "scaling_laws", "names_only"])
def test_a_pointer_reads_the_marks_of_other_charts(
    name: str, browser: Browser, examples: Examples
) -> None:
    with clean(browser, examples, name) as opened:
        charts = opened.page.locator(MARKED)
        assert charts.count() >= 3
        for chart in charts.all():
            chart.scroll_into_view_if_needed()
            mark = chart.locator("g :has(> title)").last
            opened.page.mouse.move(*middle(mark))
            said = mark.locator("title").text_content()
            assert said
            (texts,) = told(opened)
            assert texts[0].split() == said.split()
            assert chart.locator(".reading circle").count() == 1
        opened.page.mouse.move(2, 2)
        assert told(opened) == []


def test_a_tap_near_a_mark_reads_its_value_and_interval(
    browser: Browser, examples: Examples
) -> None:
    with clean(browser, examples, size=PHONE, has_touch=True) as opened:
        chart = opened.page.locator(MARKED).nth(1)
        mark = chart.locator("g :has(> title)").first
        mark.evaluate("(each) => each.scrollIntoView({ block: 'center', inline: 'center' })")
        x, y = middle(mark)
        # A finger hits 44 pixels.
        opened.page.touchscreen.tap(x + 15, y - 15)
        assert re.search(r"[+−]\d.*%.*\[.+, .+\]$", told(opened)[0][0])


def test_keys_read_every_mark(browser: Browser, examples: Examples) -> None:
    with clean(browser, examples) as opened:
        for chart in opened.page.locator(MARKED).all():
            marks = chart.locator("g title").all_text_contents()
            for key in ("ArrowRight", "ArrowDown"):
                chart.focus()
                opened.page.keyboard.press("Home")
                seen = set()
                for _ in marks:
                    seen.add(chart.get_attribute("aria-valuetext"))
                    opened.page.keyboard.press(key)
                # Down begins at the mark at the left, which need not be the highest.
                assert key == "ArrowDown" or seen == set(marks)
            opened.page.keyboard.press("Escape")
            assert told(opened) == []


def test_a_dimmed_mark_is_not_read(browser: Browser, examples: Examples) -> None:
    with clean(browser, examples) as opened:
        figure = opened.page.locator("#throughput figure").first
        figure.locator(".legend button").first.click()
        chart = figure.locator("svg[role=slider]")
        chart.focus()
        opened.page.keyboard.press("Home")
        # Of both levels, the one that stands first by its place is the other one.
        assert "journal_mode=delete" in told(opened)[0][0]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_beside_a_chart(
    scheme: Scheme, spoken: str, browser: Browser, examples: Examples
) -> None:
    with clean(browser, examples, spoken=spoken, scheme=scheme) as opened:
        opened.evaluate(OPEN)
        for chart in (time_charts(opened).first, opened.page.locator(MARKED).first):
            chart.focus()
            assert told(opened)
            assert violations(opened.page) == []


def test_nothing_is_read_off_in_print(browser: Browser, examples: Examples) -> None:
    with clean(browser, examples) as opened:
        point_at(opened, time_charts(opened).first, 12)
        opened.page.emulate_media(media="print")
        for each in (".readout", ".reading", ".hint"):
            assert opened.page.locator(each).count()
            assert opened.page.locator(f"{each}:visible").count() == 0


def test_nothing_moves_by_itself(browser: Browser, examples: Examples) -> None:
    moving = """
    [...document.querySelectorAll("*")].filter((each) => {
      const style = getComputedStyle(each);
      return style.animationName !== "none" || parseFloat(style.transitionDuration) > 0;
    }).length
    """
    with clean(browser, examples) as opened:
        point_at(opened, time_charts(opened).first, 12)
        assert opened.evaluate(moving) == 0
