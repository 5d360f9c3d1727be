"""How steady one trial was, and which events its server counted beside each dip."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from dbdyno.analysis.estimates import relative_change
from dbdyno.analysis.series import Blocks, Series, picked
from dbdyno.analysis.steadiness.changes import changes_of
from dbdyno.analysis.steadiness.model import Dip, ServerEvent, TrialSteadiness
from dbdyno.analysis.window_resources import WindowSeries
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.resources import SERVER

Values = NDArray[np.float64]

FEWEST_INTERVALS = 10
"""Fewer say too little about how steady throughput was."""
DIP_SHARE = 0.5
"""Below this share of the median an interval is a part of a dip."""
MOST_DIPS = 10
"""Kept of each trial: a result may have thousands, of which as many are told."""
TREND_BATCHES = 30
"""The slope looks at all pairs of points, which would be too many of an hour of seconds."""
USUAL_SHARE = 0.5
"""What is counted in more of the window's readings than this goes on all the time, and says nothing
of a dip."""

EVENTS = {
    "postgresql.checkpoints_timed": ServerEvent.CHECKPOINT_TIMED,
    "postgresql.checkpoints_requested": ServerEvent.CHECKPOINT_REQUESTED,
    "innodb.flush_sync_waits": ServerEvent.FLUSH_WAIT,
    "postgresql.autovacuum_runs": ServerEvent.AUTOVACUUM,
}


def steadiness_of(
    measured: WindowTotals, rates_per_s: Values, watched: WindowSeries | None
) -> TrialSteadiness | None:
    """Return how steady a trial was; None of too few intervals, or where half of them are idle.

    ``rates_per_s`` are of the whole intervals, ``watched`` is what touches the window
    (``window_resources.in_window``).
    """
    variation = variation_of(rates_per_s)
    if variation is None or not np.median(rates_per_s) > 0:
        return None
    start_s, duration_s = (
        each[measured.whole] for each in (measured.start_s, measured.interval_duration_s)
    )
    shares = rates_per_s / np.median(rates_per_s)
    events = [] if watched is None else _events(watched.blocks)
    dips = [
        _dip(measured.number, shares[run], start_s[run], duration_s[run], events)
        for run in _runs(shares < DIP_SHARE)
    ]
    p5, p95 = np.percentile(shares, (5, 95))
    return TrialSteadiness(
        variation=variation,
        p5_share=float(p5),
        p95_share=float(p95),
        change_share=relative_change(rates_per_s, TREND_BATCHES),
        dips=tuple(sorted(dips, key=lambda dip: -dip.lost_s)[:MOST_DIPS]),
        dip_count=len(dips),
        dipped_s=sum(dip.duration_s for dip in dips),
        observed_s=float(duration_s.sum()),
        changes=changes_of(measured.number, start_s, rates_per_s),
    )


def variation_of(rates_per_s: Values) -> float | None:
    """Return the standard deviation of intervals over their mean; None of too few or idle ones."""
    if len(rates_per_s) < FEWEST_INTERVALS or not np.mean(rates_per_s) > 0:
        return None
    return float(np.std(rates_per_s, ddof=1) / np.mean(rates_per_s))


def _runs(is_low: NDArray[np.bool_]) -> Iterator[slice]:
    """Yield where runs of low intervals begin and end."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], is_low, [False]]).astype(np.int8)))
    for first, after in edges.reshape(-1, 2).tolist():
        yield slice(first, after)


def _dip(
    trial: int, shares: Values, start_s: Values, duration_s: Values, events: Sequence[_Counted]
) -> Dip:
    first_s, last_s = float(start_s[0]), float(start_s[-1] + duration_s[-1])
    beside = {event for begin_s, end_s, event in events if begin_s < last_s and end_s > first_s}
    return Dip(
        trial=trial,
        start_s=first_s,
        duration_s=float(duration_s.sum()),
        lowest_share=float(shares.min()),
        lost_s=float(np.sum((1 - shares) * duration_s)),
        events=tuple(event for event in ServerEvent if event in beside),
    )


_Counted = tuple[float, float, ServerEvent]
"""From when to when something was counted, and what."""


def _events(watched: Blocks) -> list[_Counted]:
    """Return when servers counted an event, of those that do not go on all the time."""
    by_metric: dict[str, list[Series]] = defaultdict(list)
    for series in picked(watched, EVENTS, role=SERVER):
        by_metric[series.name.metric].append(series)
    return [
        counted
        for metric, members in by_metric.items()
        if np.concatenate([each.value > 0 for each in members]).mean() <= USUAL_SHARE
        for each in members
        for counted in _counted(each, EVENTS[metric])
    ]


def _counted(series: Series, event: ServerEvent) -> Iterator[_Counted]:
    is_counted = series.value > 0
    starts_s = series.start_s[is_counted]
    ends_s = starts_s + series.duration_s[is_counted]
    for start_s, end_s in zip(starts_s.tolist(), ends_s.tolist(), strict=True):
        yield start_s, end_s, event
