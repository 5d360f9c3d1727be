"""Checks after which a trial is not used: its figures are not what their names say.

A check takes a measured trial and returns its evidence, or None where all is well.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.store.layout import Phase
from dbdyno.store.model import TrialStatus

_ENDS = ("committed", "rolled_back", "failed", "dropped")


def not_completed(measured: WindowTotals) -> str | None:
    """Say how a trial ended that did not end well."""
    trial = measured.trial
    if trial.status is TrialStatus.COMPLETED:
        return None
    return f"{trial.status.value}: {trial.reason or 'no reason was given'}"


def counters_disagree(measured: WindowTotals) -> str | None:
    """Check the identity of the counters, for each transaction kind, up to each interval.

    scheduled = committed + rolled_back + failed + dropped + in_flight, where all but in_flight are
    sums over the trial so far.
    """
    intervals = measured.trial.intervals
    in_order = np.argsort(intervals["start_s"].to_numpy(), kind="stable")
    found = [
        wrong
        for kind in measured.transactions
        if (wrong := _first_wrong(intervals, kind, in_order)) is not None
    ]
    if not found:
        return None
    start_s, kind, scheduled, ended, in_flight = min(found, key=lambda wrong: wrong[0])
    return (
        f"{kind}, up to the interval at {start_s:g} s: "
        f"{scheduled} scheduled, {ended} ended, {in_flight} in flight"
    )


def _first_wrong(
    intervals: pl.DataFrame, kind: str, in_order: NDArray[np.int64]
) -> tuple[float, str, int, int, int] | None:
    """Return start, kind and counters of the first interval up to which they disagree."""
    is_of_kind = (intervals["transaction"] == kind).to_numpy()
    rows = in_order[is_of_kind[in_order]]
    ends = [intervals[name].to_numpy()[rows] for name in _ENDS]
    scheduled = np.cumsum(intervals["scheduled"].to_numpy()[rows])
    ended = np.cumsum(np.sum(ends, axis=0))
    in_flight = intervals["in_flight"].to_numpy()[rows]
    wrong = np.flatnonzero(scheduled != ended + in_flight)
    if not len(wrong):
        return None
    first = int(wrong[0])
    start_s = float(intervals["start_s"][int(rows[first])])
    return start_s, kind, int(scheduled[first]), int(ended[first]), int(in_flight[first])


def no_window(measured: WindowTotals) -> str | None:
    """Find a trial without any interval in its window."""
    if measured.window_s > 0:
        return None
    return f"{measured.trial.generator.height} intervals, none of them in the window"


def error_budget_exceeded(measured: WindowTotals) -> str | None:
    """Compare the share of failed transactions in the window with the trial's error budget."""
    budget = measured.trial.generator_plan.error_budget
    failed, ended = measured.totals["failed"], measured.ended
    if failed <= budget * ended:
        return None
    evidence = (
        f"{failed} of {ended} transactions failed ({failed / ended:.2%}), {budget:.2%} allowed"
    )
    return evidence + most_frequent_error(measured)


def most_frequent_error(measured: WindowTotals) -> str:
    """Return the error that occurred most often in the window, to be appended to evidence."""
    worst = next((error for error in measured.trial.errors if error.phase == Phase.WINDOW), None)
    if worst is None:
        return ""
    return f"; most frequent: {worst.error_class} ({worst.code}), {worst.sample}"


def clients_lost(measured: WindowTotals) -> str | None:
    """Find window intervals at whose end fewer clients were connected than configured."""
    configured = measured.trial.generator_plan.clients
    clients = measured.generator["live_clients"].to_numpy()
    fewest = int(np.argmin(clients))
    if clients[fewest] >= configured:
        return None
    return f"{clients[fewest]} of {configured} clients at {measured.start_s[fewest]:g} s"
