"""What is drawn of a cell's trials over time: all, or less where nobody could tell it apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from dbdyno.analysis.findings import CellSummary, Findings, IntervalSeries
from dbdyno.report.condensed import Values, condensed, neighbours
from dbdyno.report.drawn import drawn_cells
from dbdyno.report.language import say, sentences

MOST_POINTS = 500
"""Of a line: two for each of the 250 pixels that a panel is wide."""

FEWEST_POINTS = 50
"""Of a line: with fewer its shape would be lost."""

MOST_POINTS_IN_ALL = 150_000
"""Of all panels: a megabyte of the page. With many panels, lines have fewer points."""

MOST_LINES = 12
"""Of a panel: more lie on each other."""


@dataclass(frozen=True, eq=False)
class Line:
    """What is drawn as one line: arrays have a value an interval. NaN has no place on its axis."""

    start_s: Values
    per_s: Values
    p95_ms: Values


def drawn_lines(rounds: Sequence[IntervalSeries]) -> Sequence[Line]:
    """Return a line for each round, in order; of many rounds three lines, the middle one last."""
    return few_lines([_line(series) for series in rounds])


def few_lines(lines: Sequence[Line]) -> Sequence[Line]:
    """Return the lines of all rounds, or of many rounds three lines, the middle one last."""
    return _across(lines) if len(lines) > MOST_LINES else lines


def line_count(rounds: int) -> int:
    """Return how many lines so many rounds have."""
    return rounds if rounds <= MOST_LINES else 3


def points(start_s: Values, values: Values, most: int) -> list[tuple[float, float | None]]:
    """Return at most so many points of a line; None is a gap."""
    places = condensed(values, most)
    drawn = values[places].tolist()
    known = (None if math.isnan(value) else value for value in drawn)
    return list(zip(start_s[places].tolist(), known, strict=True))


def most_points(cells: Iterable[CellSummary]) -> int:
    """Return how many points a line may have, so that those of all panels fit into a page."""
    lines = sum(line_count(len(cell.series)) for cell in cells)
    # Each line is drawn twice: its throughput and its response times.
    share = MOST_POINTS_IN_ALL // max(2 * lines, 1)
    return min(MOST_POINTS, max(share, FEWEST_POINTS))


def is_drawable(value: float | None) -> TypeGuard[float]:
    """Tell whether a time has a place on a logarithmic axis."""
    return value is not None and 0 < value < math.inf


def note(findings: Findings) -> str:
    """Return what a line and a point stand for, where rounds or intervals are too many."""
    cells = drawn_cells(findings.cells)
    longest = max((len(s.start_s) for cell in cells for s in cell.series), default=0)
    rounds = max((len(cell.series) for cell in findings.cells), default=0)
    return note_on_lines(rounds, longest, most_points(cells))


def note_on_lines(rounds: int, longest: int, most: int) -> str:
    """Return the same of a figure whose largest panel has so many rounds and intervals."""
    return sentences([_note_on_rounds(rounds), _note_on_points(longest, most)])


def _line(series: IntervalSeries) -> Line:
    p95_ms = np.array(series.response_p95_ms, dtype=np.float64)
    p95_ms[~(np.isfinite(p95_ms) & (p95_ms > 0))] = np.nan
    return Line(np.array(series.start_s), np.array(series.throughput_per_s), p95_ms)


def _across(lines: Sequence[Line]) -> list[Line]:
    """Return lowest, highest and median of all rounds at each interval; some may end earlier."""
    longest = max(lines, key=lambda line: len(line.start_s))
    rates = _range([line.per_s for line in lines])
    times_ms = _range([line.p95_ms for line in lines])
    return [Line(longest.start_s, *each) for each in zip(rates, times_ms, strict=True)]


def _range(rows: Sequence[Values]) -> tuple[Values, Values, Values]:
    """Return the lowest, the highest and the median at each place of those rows that have one."""
    table = np.full((len(rows), max(map(len, rows))), np.nan)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    table.sort(axis=0)  # NaN comes last.
    count = np.count_nonzero(~np.isnan(table), axis=0)
    at = np.arange(table.shape[1])
    last = np.maximum(count - 1, 0)
    median = (table[last // 2, at] + table[np.minimum(count // 2, last), at]) / 2
    return table[0], table[last, at], median


def _note_on_rounds(rounds: int) -> str:
    if rounds <= MOST_LINES:
        return ""
    return say(
        "Where a cell has more than {rounds} rounds, three lines stand for them: at each "
        "interval the lowest, the highest and, the strongest line, the median of all rounds.",
        rounds=MOST_LINES,
    )


def _note_on_points(longest: int, most: int) -> str:
    if longest <= most:
        return ""
    return say(
        "A line has {most} points at most. For a longer trial, it shows the lowest and the highest "
        "of up to {width} neighbouring intervals, so that a dip of one interval stays visible.",
        most=most,
        width=neighbours(longest, most),
    )
