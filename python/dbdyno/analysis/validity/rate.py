"""Whether the server kept up with the rate of an open loop.

It did where as many transactions ended as were offered. What is under way at any time is no
backlog: with a rate and a mean response time, rate x response time transactions are (Little's law).
The number of clients says nothing about it: a backlog of 100 fits into 200 clients and still grows.
"""

from __future__ import annotations

import math

import numpy as np

from dbdyno.analysis.estimates import trend
from dbdyno.analysis.evidence import Clauses, Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.window_totals import WindowTotals

COMPLETED_SHARE_MIN = 0.99
BACKLOG_BATCHES = 10
BACKLOG_P_VALUE_MAX = 0.005
BACKLOG_RISE_SHARE_MIN = 0.5
FLUCTUATION_SIGMAS = 3.0


def rate_not_reached(measured: WindowTotals) -> Clauses | None:
    """Find an open loop of which work was dropped, did not end in time, or piled up."""
    if measured.offered_per_s is None:
        return None
    dropped = measured.counts.whole_total("dropped")
    if not (dropped or _falls_behind(measured) or _backlog_grows(measured)):
        return None
    offered, backlog = int(measured.interval_scheduled.sum()), int(measured.in_flight[-1])
    evidence = Evidence(
        EvidenceKind.BEHIND_RATE,
        ended=measured.ended,
        offered=offered,
        ended_share=measured.ended / offered if offered else 1.0,
    )
    left = Evidence(EvidenceKind.BACKLOG, count=backlog)
    if not dropped:
        return evidence, left
    return evidence, left, Evidence(EvidenceKind.NEVER_STARTED, count=dropped)


def _falls_behind(measured: WindowTotals) -> bool:
    """Tell whether too few ended in the window, and still in its second half.

    A window without a warm-up begins with nothing under way, so the first half may end fewer than
    were offered although the server keeps up.
    """
    second_half = slice(len(measured.start_s) // 2, None)
    return _is_short(measured, slice(None)) and _is_short(measured, second_half)


def _is_short(measured: WindowTotals, part: slice) -> bool:
    offered = int(measured.interval_scheduled[part].sum())
    lacking = offered - int(measured.interval_ended[part].sum())
    return lacking > (1 - COMPLETED_SHARE_MIN) * offered and lacking > _fluctuation(measured)


def _backlog_grows(measured: WindowTotals) -> bool:
    """Tell whether what is waiting or under way rises steadily, by more than it fluctuates.

    A backlog that grows evenly from nothing is, at its end, at most twice what Little's law
    explains by the mean response time, so half of that is where a rise begins to count.
    """
    levels = measured.in_flight.astype(np.float64)
    found = trend(levels, BACKLOG_BATCHES)
    if found.p_value >= BACKLOG_P_VALUE_MAX:
        return False
    rise = found.relative_change * float(np.median(levels))
    return rise > max(BACKLOG_RISE_SHARE_MIN * _under_way(measured), _fluctuation(measured))


def _fluctuation(measured: WindowTotals) -> float:
    """Return by how much the number under way may differ between two moments, by chance alone."""
    return 1 + FLUCTUATION_SIGMAS * math.sqrt(2 * _under_way(measured))


def _under_way(measured: WindowTotals) -> float:
    """Return how many transactions are under way on average, by Little's law."""
    return measured.totals["scheduled"] / measured.window_s * measured.mean_s("response")
