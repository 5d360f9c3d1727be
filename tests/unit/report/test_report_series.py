"""Lines over time: a few rounds as they are, many as what they range over."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from dbdyno.analysis.findings import Findings, IntervalSeries
from dbdyno.report import panels, series
from tests.unit.report.written import render_html

from .report_examples import one_cell, summary


def rounds(*rates: tuple[float, ...]) -> list[IntervalSeries]:
    """Return rounds of one-second intervals, whose p95 is a tenth of the throughput."""
    return [
        IntervalSeries(
            number,
            tuple(map(float, range(len(values)))),
            values,
            tuple(value / 10 or None for value in values),
        )
        for number, values in enumerate(rates, start=1)
    ]


def with_rounds(count: int, intervals: int = 20) -> Findings:
    findings = one_cell()
    cell = summary(findings.cells[0].cell, 1234.5, 16, rounds=count, intervals=intervals)
    return replace(findings, cells=(cell,), rounds=count)


def test_a_few_rounds_are_a_line_each() -> None:
    few = rounds(*[(100.0, 200.0)] * series.MOST_LINES)
    assert series.drawn_lines(few) == few


def test_of_many_rounds_a_stall_of_one_is_still_seen() -> None:
    steady = [(100.0 + number, 200.0, 300.0) for number in range(series.MOST_LINES)]
    lowest, highest, middle = series.drawn_lines(rounds(*steady, (90.0, 0.0, 990.0)))
    assert lowest.throughput_per_s == (90.0, 0.0, 300.0)
    assert highest.throughput_per_s == (111.0, 200.0, 990.0)
    assert middle.throughput_per_s == (105.0, 200.0, 300.0)
    assert highest.response_p95_ms == (11.1, 20.0, 99.0)


def test_rounds_of_unlike_length_and_intervals_without_a_time() -> None:
    long = rounds(*[(100.0, 0.0)] * series.MOST_LINES, (50.0, 0.0, 70.0))
    for line in series.drawn_lines(long):
        assert line.start_s == (0.0, 1.0, 2.0)
        assert line.throughput_per_s[2] == 70.0
        assert line.response_p95_ms[1] is None


@pytest.mark.parametrize("count", [series.MOST_LINES, series.MOST_LINES + 1, 200])
def test_the_page_says_what_lines_stand_for_and_does_not_grow_with_rounds(count: int) -> None:
    findings = with_rounds(count)
    page = render_html(findings, datetime.now(UTC))
    assert ("three lines stand for them" in page) == (count > series.MOST_LINES)
    (drawing,) = panels.over_time(findings)
    drawn = drawing.svg.count("mark-line")
    per_plot = count if count <= series.MOST_LINES else 3
    assert drawn == 2 * per_plot
