"""Checks of what happened inside a trial's window.

A check takes a measured trial and returns its evidence, or None where all is well.
"""

from __future__ import annotations

import math

from dbdyno.analysis.interval_counts import FINISHED
from dbdyno.analysis.validity.trial import most_frequent_error
from dbdyno.analysis.window_totals import WindowTotals

INTERVALS_MIN = 10
ABORT_SHARE_MAX = 0.01
RECORDED_SHARE_MIN = 0.8
EDGES_MAX = 6.0
"""Three standard deviations of what the window's ends add or take away, in mean service times."""


def nothing_finished(measured: WindowTotals) -> str | None:
    """Find a window in which the server did no work that counts."""
    if any(measured.totals[name] for name in FINISHED):
        return None
    return f"{measured.totals['failed']} failed, none finished in {measured.window_s:g} s"


def short_window(measured: WindowTotals) -> str | None:
    """Find windows of too few intervals to judge steadiness by."""
    count = int(measured.whole.sum())
    if count >= INTERVALS_MIN:
        return None
    return f"{count} whole intervals in {measured.window_s:g} s"


def not_steady(measured: WindowTotals) -> str | None:
    """Find a warm-up that was to end when throughput is steady, and came to its bound."""
    warmup = measured.trial.warmup
    if warmup is None or warmup.ended == "steady":
        return None
    if warmup.change is None:
        return f"{warmup.duration_s:g} s, with too little done to judge it by"
    change = warmup.change
    low, high = (f"{end:+.0%}".replace("-", "−") for end in (change.low, change.high))
    return (
        f"{warmup.duration_s:g} s; over its last {change.intervals} intervals throughput changed "
        f"by {low} to {high} (90 % confidence)"
    )


def failures(measured: WindowTotals) -> str | None:
    """Count failed transactions that the error budget allows."""
    failed, ended = measured.totals["failed"], measured.ended
    if not failed:
        return None
    return (
        f"{failed} of {ended} transactions failed ({100 * failed / ended:.2g} %)"
        f"{most_frequent_error(measured)}"
    )


def waiting_not_recorded(measured: WindowTotals) -> str | None:
    """Compare the service times of clients that always ask with the time that they had.

    A client that is always served or waiting for it spends all its time in transactions, so that
    their service times add up to clients times window (Little's law). Where they do not, some
    clients wait without end, and no percentile has their waiting: it is recorded when a
    transaction ends.

    At both ends of the window a transaction of each client is cut through, so that with few long
    ones the sum scatters, by about twice the mean service time a client.
    """
    clients = measured.trial.generator_plan.clients
    services = [h for (_, name), h in measured.trial.histograms.items() if name == "service"]
    incomplete = measured.totals["failed"] or any(h.overflow for h in services)
    if not measured.always_asks or incomplete or not measured.window_s:
        return None
    recorded_s = sum(h.mean_ns * h.count for h in services) / 1e9
    share = recorded_s / (clients * measured.window_s)
    mean_s = recorded_s / max(sum(h.count for h in services), 1)
    by_chance = EDGES_MAX * mean_s / (math.sqrt(clients) * measured.window_s)
    if share + by_chance >= RECORDED_SHARE_MIN:
        return None
    return (
        f"service times add up to {share:.0%} of what {clients} clients had: as if "
        f"{clients * share:.1f} of them had worked"
    )


def histogram_overflow(measured: WindowTotals) -> str | None:
    """Count times that were beyond the range of the histograms."""
    counts = {
        f"{transaction} {measure}": histogram.overflow
        for (transaction, measure), histogram in measured.trial.histograms.items()
        if histogram.overflow
    }
    return ", ".join(f"{count} of {name}" for name, count in counts.items()) or None


def many_retries(measured: WindowTotals) -> str | None:
    """Find a notable share of transactions whose first attempt was aborted."""
    aborted, ended = measured.totals["first_attempt_aborts"], measured.ended
    if aborted <= ABORT_SHARE_MAX * ended:
        return None
    return (
        f"{aborted} of {ended} transactions ({aborted / ended:.1%}), "
        f"{measured.totals['retries']} retries"
    )


def reconnects(measured: WindowTotals) -> str | None:
    """Count connections that were made again, and not because they had served their time."""
    count = int(measured.generator["reconnects"].sum())
    if "renewals" in measured.generator.columns:
        count -= int(measured.generator["renewals"].sum())
    return f"{count} connections made again" if count else None
