"""Lines over time: a few rounds as they are, many as what they range over."""

from __future__ import annotations

import math
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
    lines = series.drawn_lines(rounds(*[(100.0, 200.0)] * series.MOST_LINES))
    assert [line.per_s.tolist() for line in lines] == [[100.0, 200.0]] * series.MOST_LINES
    assert [line.p95_ms.tolist() for line in lines] == [[10.0, 20.0]] * series.MOST_LINES


def test_of_many_rounds_a_stall_of_one_is_still_seen() -> None:
    steady = [(100.0 + number, 200.0, 300.0) for number in range(series.MOST_LINES)]
    lowest, highest, middle = series.drawn_lines(rounds(*steady, (90.0, 0.0, 990.0)))
    assert lowest.per_s.tolist() == [90.0, 0.0, 300.0]
    assert highest.per_s.tolist() == [111.0, 200.0, 990.0]
    assert middle.per_s.tolist() == [105.0, 200.0, 300.0]
    assert highest.p95_ms.tolist() == [11.1, 20.0, 99.0]


def test_the_middle_of_an_even_number_of_rounds_is_between_two() -> None:
    rates = [(float(number),) for number in range(series.MOST_LINES + 2)]
    assert series.drawn_lines(rounds(*rates))[-1].per_s.tolist() == [6.5]


def test_rounds_of_unlike_length_and_intervals_without_a_time() -> None:
    long = rounds(*[(100.0, 0.0)] * series.MOST_LINES, (50.0, 0.0, 70.0))
    for line in series.drawn_lines(long):
        assert line.start_s.tolist() == [0.0, 1.0, 2.0]
        assert line.per_s[2] == 70.0
        assert math.isnan(line.p95_ms[1])


@pytest.mark.parametrize("count", [series.MOST_LINES, series.MOST_LINES + 1, 200])
def test_the_page_says_what_lines_stand_for_and_does_not_grow_with_rounds(count: int) -> None:
    findings = with_rounds(count)
    page = render_html(findings, datetime.now(UTC))
    assert ("three lines stand for them" in page) == (count > series.MOST_LINES)
    (drawing,) = panels.over_time(findings)
    drawn = drawing.svg.count("mark-line")
    per_plot = count if count <= series.MOST_LINES else 3
    assert drawn == 2 * per_plot
