"""Checks after which a trial is not used: its figures are not what their names say.

A check takes a measured trial and returns its evidence, or None where all is well.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dbdyno.analysis.evidence import Clauses, Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.store.layout import Phase
from dbdyno.store.model import TrialStatus

_ENDED = {
    TrialStatus.FAILED: (EvidenceKind.TRIAL_FAILED, EvidenceKind.FAILED_UNEXPLAINED),
    TrialStatus.INTERRUPTED: (EvidenceKind.TRIAL_INTERRUPTED, EvidenceKind.INTERRUPTED_UNEXPLAINED),
}
"""How a trial ended that did not end well: with a reason, and without one."""

_ENDS = ("committed", "rolled_back", "failed", "dropped")
"""The counters of transactions that came to an end."""


def not_completed(measured: WindowTotals) -> Evidence | None:
    """Say how a trial ended that did not end well."""
    trial = measured.trial
    if trial.status is TrialStatus.COMPLETED:
        return None
    with_reason, unexplained = _ENDED[trial.status]
    return Evidence(with_reason, reason=trial.reason) if trial.reason else Evidence(unexplained)


def counters_disagree(measured: WindowTotals) -> Evidence | None:
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
    return Evidence(
        EvidenceKind.COUNTERS,
        transaction=kind,
        start_s=start_s,
        scheduled=scheduled,
        ended=ended,
        in_flight=in_flight,
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


def no_window(measured: WindowTotals) -> Evidence | None:
    """Find a trial without any interval in its window."""
    if measured.window_s > 0:
        return None
    return Evidence(EvidenceKind.NO_WINDOW, count=measured.trial.generator.height)


def error_budget_exceeded(measured: WindowTotals) -> Clauses | None:
    """Compare the share of failed transactions in the window with the trial's error budget."""
    budget = measured.trial.generator_plan.error_budget
    failed, ended = measured.totals["failed"], measured.ended
    if failed <= budget * ended:
        return None
    evidence = Evidence(
        EvidenceKind.OVER_BUDGET,
        failed=failed,
        ended=ended,
        failed_share=failed / ended,
        allowed_share=budget,
    )
    return evidence, *most_frequent_error(measured)


def most_frequent_error(measured: WindowTotals) -> Clauses:
    """Return the error that occurred most often in the window, where one is known."""
    worst = next((error for error in measured.trial.errors if error.phase == Phase.WINDOW), None)
    if worst is None:
        return ()
    evidence = Evidence(
        EvidenceKind.MOST_FREQUENT_ERROR,
        error_class=worst.error_class,
        code=str(worst.code),
        sample=worst.sample,
    )
    return (evidence,)


def clients_lost(measured: WindowTotals) -> Evidence | None:
    """Find window intervals at whose end fewer clients were connected than configured."""
    configured = measured.trial.generator_plan.clients
    clients = measured.generator["live_clients"].to_numpy()
    fewest = int(np.argmin(clients))
    if clients[fewest] >= configured:
        return None
    return Evidence(
        EvidenceKind.FEWER_CLIENTS,
        connected=int(clients[fewest]),
        clients=configured,
        start_s=float(measured.start_s[fewest]),
    )
