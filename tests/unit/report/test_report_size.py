"""How large a page is, and what is left to see of trials that are longer than a panel is wide."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.report import over_seconds, panels, series
from dbdyno.report.condensed import condensed, neighbours
from dbdyno.report.drawing import Drawing

from .report_examples import one_cell, summary
from .report_page import line_points
from .written import render_html

INTERVALS = 1200
PLOT_HEIGHT_PX = 90
USUAL_PER_S = 1000.0


def experiment(cells: int, rounds: int, intervals: int = INTERVALS) -> Findings:
    """Return findings of so many cells of one factor, with long trials."""
    names = tuple(f"engine{number}" for number in range(cells))
    summaries = tuple(
        summary(Cell((("engine", name),)), 1000.0 + place, 8, rounds=rounds, intervals=intervals)
        for place, name in enumerate(names)
    )
    factors = (FactorLevels("engine", names, "server.engine"),)
    return replace(one_cell(), factors=factors, cells=summaries, rounds=rounds, compared=())


def page_bytes(findings: Findings) -> int:
    return len(render_html(findings, datetime.now(UTC)).encode())


def drawn_points(drawing: Drawing) -> list[int]:
    """Return how many points each line of a panel has."""
    return [sum(map(len, line)) for line in line_points(drawing.svg)]


def test_thirty_trials_of_twenty_minutes_take_less_than_a_megabyte() -> None:
    for cells, rounds in ((3, 10), (5, 6), (30, 1)):
        assert page_bytes(experiment(cells, rounds)) < 1_000_000


def test_a_line_has_two_points_for_each_pixel_however_long_the_trial_is() -> None:
    for intervals in (INTERVALS, 10 * INTERVALS):
        (first, *_) = panels.over_time(experiment(1, 2, intervals))
        assert max(drawn_points(first)) <= series.MOST_POINTS == 2 * over_seconds.WIDTH
        assert min(drawn_points(first)) > series.MOST_POINTS / 2


@pytest.mark.parametrize(("cells", "rounds"), [(50, 20), (100, 10), (300, 3), (1000, 1)])
def test_all_lines_of_a_thousand_trials_fit_into_a_page(cells: int, rounds: int) -> None:
    # The lines of a cell are as long as those of another, so that one of them stands for all.
    one = experiment(1, rounds)
    most = series.most_points(one.cells * cells)
    drawn = replace(one, cells=one.cells * cells).cells
    lines = sum(len(series.drawn_lines(cell.series)) for cell in drawn[:1]) * cells
    assert 2 * lines * most <= series.MOST_POINTS_IN_ALL
    assert most >= series.FEWEST_POINTS


def test_what_is_drawn_has_no_more_digits_than_pixels_have_tenths() -> None:
    (drawing,) = panels.over_time(experiment(1, 2))
    coordinates = re.findall(r' (?:d|transform)="([^"]*)"', drawing.svg)
    assert not re.search(r"\.\d\d", " ".join(coordinates))


def test_few_points_are_all_drawn() -> None:
    assert condensed(np.arange(100.0), 100).tolist() == list(range(100))
    assert neighbours(100, 100) == 1


def test_of_neighbours_the_lowest_and_the_highest_are_drawn_in_order() -> None:
    values = np.array([5.0, 1, 9, 5, 5, 5, 7, 2, 5, 3, 3, 3])
    # Of twelve values at most ten: three neighbours each, and both ends.
    assert condensed(values, 10).tolist() == [0, 1, 2, 3, 6, 7, 9, 11]


def test_a_gap_is_drawn_where_all_neighbours_are_gaps() -> None:
    values = np.array([5.0, 1, 9, np.nan, np.nan, np.nan, 7, np.nan, 5, 3, 3, 3])
    places = condensed(values, 10)
    assert np.flatnonzero(np.isnan(values[places])).tolist() == [3]


def dipping(cell: CellSummary, random: np.random.Generator, share: float) -> CellSummary:
    """Return a cell with steady trials; one interval of one trial has so much of the usual rate."""
    rates = random.normal(USUAL_PER_S, USUAL_PER_S / 50, (len(cell.series), INTERVALS))
    rates[random.integers(len(rates)), random.integers(INTERVALS)] = share * USUAL_PER_S
    return replace(
        cell,
        series=tuple(
            replace(trial, throughput_per_s=tuple(own.tolist()))
            for trial, own in zip(cell.series, rates, strict=True)
        ),
    )


@pytest.mark.parametrize("rounds", [1, 20])
@pytest.mark.parametrize("share", [0.0, 0.6])
def test_a_dip_of_one_interval_is_seen_wherever_it_is(rounds: int, share: float) -> None:
    findings = experiment(1, rounds)
    for seed in range(10):
        cell = dipping(findings.cells[0], np.random.default_rng(seed), share)
        highest = 1.05 * max(max(trial.throughput_per_s) for trial in cell.series)
        (drawing,) = panels.over_time(replace(findings, cells=(cell,)))
        dip_px = PLOT_HEIGHT_PX * (1 - share * USUAL_PER_S / highest)
        assert lowest_px(drawing) == pytest.approx(dip_px, abs=0.1)


def lowest_px(drawing: Drawing) -> float:
    """Return how far below the top of its plot a line of throughput comes."""
    lines = line_points(drawing.svg)
    throughput = lines[: len(lines) // 2]
    return max(y for line in throughput for part in line for _, y in part)


def test_the_page_says_how_long_trials_are_drawn() -> None:
    long, short = (
        render_html(experiment(1, 2, intervals), datetime.now(UTC)) for intervals in (1200, 120)
    )
    assert "the lowest and the highest of up to 5 neighbouring intervals" in long
    assert "neighbouring intervals" not in short
