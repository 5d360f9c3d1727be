"""What was used in a trial's window: the series that touch it, and what they add up to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dbdyno.analysis.series import Block, Blocks, SeriesName, Values
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.store.model import ResourcesZero

COVERED_MIN = 0.9
"""What was told for less of the window than this share is not known."""


@dataclass(frozen=True, eq=False)
class WindowSeries:
    """The intervals of a trial's resources that touch its window, which may reach beyond it."""

    start_s: float
    end_s: float
    """Of the window."""
    blocks: Blocks


@dataclass(frozen=True)
class Used:
    """What was used of one thing in the window.

    ``amount`` is of a counter: an interval that lies in the window in part counts in part, and what
    is missing of the window is taken to be like the rest. ``level`` is the mean of a level.
    """

    name: SeriesName
    amount: float
    level: float


def in_window(measured: WindowTotals) -> WindowSeries | None:
    """Return what touches the window; None where nobody watched, or its start is not known."""
    blocks = measured.resources
    is_placed = measured.trial.resources_zero is not ResourcesZero.WATCH_START
    if blocks is None or not is_placed or not len(measured.start_s):
        return None
    start_s = float(measured.start_s[0])
    end_s = float(measured.start_s[-1] + measured.interval_duration_s[-1])
    parts = (block.part(_covered_s(block, start_s, end_s) > 0) for block in blocks)
    return WindowSeries(start_s, end_s, tuple(part for part in parts if len(part.start_s)))


def used_in(watched: WindowSeries, window_s: float) -> list[Used]:
    """Return what was used in the window of each series that tells enough of it."""
    return [
        used
        for block in watched.blocks
        for used in _used(block, _covered_s(block, watched.start_s, watched.end_s), window_s)
    ]


def _covered_s(block: Block, start_s: float, end_s: float) -> Values:
    """Return how much of each interval lies in the window."""
    ends_s = np.minimum(block.start_s + block.duration_s, end_s)
    covered_s: Values = ends_s - np.maximum(block.start_s, start_s)
    return covered_s


def _used(block: Block, covered_s: Values, window_s: float) -> Iterator[Used]:
    told_s = float(covered_s.sum())
    if told_s < COVERED_MIN * window_s:
        return
    amounts = (block.values * (covered_s / block.duration_s)).sum(axis=1) * window_s / told_s
    levels = (block.values * covered_s).sum(axis=1) / told_s
    for name, amount, level in zip(block.names, amounts.tolist(), levels.tolist(), strict=True):
        yield Used(name, amount, level)
