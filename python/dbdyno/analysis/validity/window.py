"""Checks of what happened inside a trial's window.

A check takes a measured trial and returns its evidence, or None where all is well.
"""

from __future__ import annotations

import math

from dbdyno.analysis.clients import time_of_clients_s
from dbdyno.analysis.evidence import Clauses, Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.interval_counts import FINISHED
from dbdyno.analysis.validity.trial import most_frequent_error
from dbdyno.analysis.window_totals import WindowTotals

INTERVALS_MIN = 10
ABORT_SHARE_MAX = 0.01
RECORDED_SHARE_MIN = 0.8
TREND_WIDTHS = 2.0
"""A change is shown where an interval so many times as wide as that of 90 % leaves out zero."""
CHANGE_UNKNOWN = 0.25
"""Where the interval reaches so far to both sides of its middle, noise may hide any change."""
EDGES_MAX = 6.0
"""Three standard deviations of what the window's ends add or take away, in mean service times."""


def nothing_finished(measured: WindowTotals) -> Evidence | None:
    """Find a window in which the server did no work that counts."""
    if any(measured.totals[name] for name in FINISHED):
        return None
    failed, window_s = measured.totals["failed"], measured.window_s
    return Evidence(EvidenceKind.NOTHING_FINISHED, failed=failed, window_s=window_s)


def short_window(measured: WindowTotals) -> Evidence | None:
    """Find windows of too few intervals to judge steadiness by."""
    count = int(measured.whole.sum())
    if count >= INTERVALS_MIN:
        return None
    return Evidence(EvidenceKind.WHOLE_INTERVALS, count=count, window_s=measured.window_s)


def not_steady(measured: WindowTotals) -> Evidence | None:
    """Find a warm-up that came to its bound while throughput changed, or nothing was known of it.

    That it was not shown to be steady is not enough: steady load with much noise is not either.
    """
    warmup = measured.trial.warmup
    if warmup is None or warmup.ended == "steady":
        return None
    if warmup.change is None:
        return Evidence(EvidenceKind.WARMUP_NOT_JUDGED, warmup_s=warmup.duration_s)
    middle = (warmup.change.low + warmup.change.high) / 2
    half_width = (warmup.change.high - warmup.change.low) / 2
    if abs(middle) <= TREND_WIDTHS * half_width and half_width <= CHANGE_UNKNOWN:
        return None
    return Evidence(
        EvidenceKind.WARMUP_CHANGED,
        warmup_s=warmup.duration_s,
        intervals=warmup.change.intervals,
        low_change_share=warmup.change.low,
        high_change_share=warmup.change.high,
    )


def failures(measured: WindowTotals) -> Clauses | None:
    """Count failed transactions that the error budget allows."""
    failed, ended = measured.totals["failed"], measured.ended
    if not failed:
        return None
    evidence = Evidence(
        EvidenceKind.FAILURES, failed=failed, ended=ended, failed_share=failed / ended
    )
    return evidence, *most_frequent_error(measured)


def waiting_not_recorded(measured: WindowTotals) -> Evidence | None:
    """Compare the times of clients that always ask with the time that they had.

    A client that asks again at once spends all its time in transactions, so that these times add up
    to clients times window (Little's law). Where they do not, some clients wait without end, and no
    percentile has their waiting: it is recorded when a transaction ends.

    At both ends of the window a transaction of each client is cut through, so that with few long
    ones the sum scatters, by about twice the mean service time a client.
    """
    clients = measured.trial.generator_plan.clients
    services = [h for (_, name), h in measured.trial.histograms.items() if name == "service"]
    incomplete = measured.totals["failed"] or any(h.overflow for h in services)
    if not measured.always_asks or incomplete or not measured.window_s:
        return None
    recorded_s = time_of_clients_s(measured)
    mean_s = recorded_s / max(sum(h.count for h in services), 1)
    share = recorded_s / (clients * measured.window_s)
    by_chance = EDGES_MAX * mean_s / (math.sqrt(clients) * measured.window_s)
    if share + by_chance >= RECORDED_SHARE_MIN:
        return None
    return Evidence(
        EvidenceKind.WAITING,
        recorded_share=share,
        clients=clients,
        working_clients=clients * share,
    )


def histogram_overflow(measured: WindowTotals) -> Clauses:
    """Count times that were beyond the range of the histograms."""
    return tuple(
        Evidence(
            EvidenceKind.BEYOND_RANGE,
            count=histogram.overflow,
            measure=measure,
            transaction=transaction,
        )
        for (transaction, measure), histogram in measured.trial.histograms.items()
        if histogram.overflow
    )


def many_retries(measured: WindowTotals) -> Evidence | None:
    """Find a notable share of transactions whose first attempt was aborted."""
    aborted, ended = measured.totals["first_attempt_aborts"], measured.ended
    if aborted <= ABORT_SHARE_MAX * ended:
        return None
    return Evidence(
        EvidenceKind.ABORTED,
        aborted=aborted,
        ended=ended,
        aborted_share=aborted / ended,
        retries=measured.totals["retries"],
    )


def reconnects(measured: WindowTotals) -> Evidence | None:
    """Count connections that were made again, and not because they had served their time."""
    count = int(measured.generator["reconnects"].sum())
    if "renewals" in measured.generator.columns:
        count -= int(measured.generator["renewals"].sum())
    return Evidence(EvidenceKind.RECONNECTED, count=count) if count else None
