"""What is drawn of a cell's trials over time: all, or less where nobody could tell it apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from statistics import fmean, median
from typing import TypeGuard

from dbdyno.analysis.findings import Findings, IntervalSeries
from dbdyno.report.language import say, sentences

MOST_POINTS = 600
"""Of a line: more than there are pixels to tell apart."""

MOST_LINES = 12
"""Of a panel: more lie on each other."""


def drawn_lines(rounds: Sequence[IntervalSeries]) -> list[IntervalSeries]:
    """Return a line for each round, in order; of many rounds three lines, the middle one last."""
    if len(rounds) > MOST_LINES:
        rounds = [_across(rounds, of) for of in (min, max, median)]
    return [_thinned(series) for series in rounds]


def is_drawable(value: float | None) -> TypeGuard[float]:
    """Tell whether a time has a place on a logarithmic axis."""
    return value is not None and 0 < value < math.inf


def note(findings: Findings) -> str:
    """Return what a line and a point stand for, where rounds or intervals are too many."""
    return sentences([_note_on_rounds(findings), _note_on_points(findings)])


def _across(
    rounds: Sequence[IntervalSeries], of: Callable[[Iterable[float]], float]
) -> IntervalSeries:
    """Return one figure of all rounds at each interval; rounds that are shorter end earlier."""
    longest = max(rounds, key=lambda series: len(series.start_s))
    rates = zip_longest(*(series.throughput_per_s for series in rounds))
    times_ms = zip_longest(*(series.response_p95_ms for series in rounds))
    return IntervalSeries(
        round=longest.round,
        start_s=longest.start_s,
        throughput_per_s=tuple(of([v for v in each if v is not None]) for each in rates),
        response_p95_ms=tuple(
            of(known) if (known := list(filter(is_drawable, each))) else None for each in times_ms
        ),
    )


def _thinned(series: IntervalSeries) -> IntervalSeries:
    """Return a series of at most so many points, each of as many neighbouring intervals.

    A point has the mean throughput of its intervals and the largest of their p95: percentiles are
    never averaged.
    """
    width = math.ceil(len(series.start_s) / MOST_POINTS) or 1
    if width == 1:
        return series
    starts = range(0, len(series.start_s), width)
    return IntervalSeries(
        round=series.round,
        start_s=series.start_s[::width],
        throughput_per_s=tuple(fmean(series.throughput_per_s[at : at + width]) for at in starts),
        response_p95_ms=tuple(
            max(filter(is_drawable, series.response_p95_ms[at : at + width]), default=None)
            for at in starts
        ),
    )


def _note_on_rounds(findings: Findings) -> str:
    if all(len(cell.series) <= MOST_LINES for cell in findings.cells):
        return ""
    return say(
        "Where a cell has more than {rounds} rounds, three lines stand for them: at each "
        "interval the lowest, the highest and, the strongest line, the median of all rounds.",
        rounds=MOST_LINES,
    )


def _note_on_points(findings: Findings) -> str:
    longest = max((len(s.start_s) for cell in findings.cells for s in cell.series), default=0)
    if longest <= MOST_POINTS:
        return ""
    return say(
        "Of trials with more than {intervals} intervals, up to {neighbours} neighbours are drawn "
        "as one point: their mean throughput, and the largest of their p95.",
        intervals=MOST_POINTS,
        neighbours=math.ceil(longest / MOST_POINTS),
    )
