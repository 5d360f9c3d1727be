"""Checks of what happened inside a trial's window.

A check takes a measured trial and returns its evidence, or None where all is well.
"""

from __future__ import annotations

import numpy as np

from dbdyno.analysis.estimates import trend
from dbdyno.analysis.measured import FINISHED, Measured

INTERVALS_MIN = 10
TREND_BATCHES = 10
TREND_CHANGE_MIN = 0.05
TREND_P_VALUE_MAX = 0.01
COMPLETED_SHARE_MIN = 0.99
ABORT_SHARE_MAX = 0.01
RECORDED_SHARE_MIN = 0.8


def nothing_finished(measured: Measured) -> str | None:
    """Find a window in which the server did no work that counts."""
    if any(measured.totals[name] for name in FINISHED):
        return None
    return f"{measured.totals['failed']} failed, none finished in {measured.window_s:g} s"


def short_window(measured: Measured) -> str | None:
    """Find windows of too few intervals to judge steadiness by."""
    count = len(measured.start_s)
    if count >= INTERVALS_MIN:
        return None
    return f"{count} intervals in {measured.window_s:g} s"


def trend_in_window(measured: Measured) -> str | None:
    """Test throughput for a monotone trend that is both significant and of a size that matters."""
    found = trend(measured.interval_throughput_per_s, TREND_BATCHES)
    if found.p_value >= TREND_P_VALUE_MAX or abs(found.relative_change) < TREND_CHANGE_MIN:
        return None
    direction = "rose" if found.relative_change > 0 else "fell"
    return (
        f"throughput {direction} by {abs(found.relative_change):.0%} over the window "
        f"(Theil-Sen; Mann-Kendall p = {found.p_value:.1g})"
    )


def stalls(measured: Measured) -> str | None:
    """Count intervals in which nothing finished, where something did in others.

    Clients that wait by themselves, or for a rate, may well do nothing for an interval.
    """
    idle = int(np.count_nonzero(measured.interval_throughput_per_s == 0))
    count = len(measured.start_s)
    if not measured.always_asks or idle in {0, count}:
        return None
    first_s = measured.start_s[measured.interval_throughput_per_s == 0][0]
    return f"{idle} of {count} intervals, the first at {first_s:g} s"


def rate_not_reached(measured: Measured) -> str | None:
    """Compare what ended with what was offered, and look whether a backlog grew (open loop).

    Up to one transaction a client may be under way at any time; that much is no backlog.
    """
    if measured.offered_per_s is None:
        return None
    offered, backlog = measured.totals["scheduled"], int(measured.in_flight[-1])
    if backlog <= measured.trial.generator_plan["clients"]:
        return None
    completed_share = measured.ended / offered if offered else 1.0
    grows = trend(measured.in_flight.astype(np.float64), TREND_BATCHES)
    growing = grows.relative_change > 0 and grows.p_value < TREND_P_VALUE_MAX
    if completed_share >= COMPLETED_SHARE_MIN and not growing:
        return None
    return (
        f"{measured.ended} of {offered} offered transactions ended in the window "
        f"({completed_share:.1%}); {backlog} were waiting or under way at its end"
    )


def waiting_not_recorded(measured: Measured) -> str | None:
    """Compare the service times of clients that always ask with the time that they had.

    A client that is always served or waiting for it spends all its time in transactions, so that
    their service times add up to clients times window (Little's law). Where they do not, some
    clients wait without end, and no percentile has their waiting: it is recorded when a
    transaction ends.
    """
    clients = int(measured.trial.generator_plan["clients"])
    services = [h for (_, name), h in measured.trial.histograms.items() if name == "service"]
    incomplete = measured.totals["failed"] or any(h.overflow for h in services)
    if not measured.always_asks or incomplete or not measured.window_s:
        return None
    recorded_s = sum(h.mean_ns * h.count for h in services) / 1e9
    share = recorded_s / (clients * measured.window_s)
    if share >= RECORDED_SHARE_MIN:
        return None
    return (
        f"service times add up to {share:.0%} of what {clients} clients had: as if "
        f"{clients * share:.1f} of them had worked"
    )


def histogram_overflow(measured: Measured) -> str | None:
    """Count times that were beyond the range of the histograms."""
    counts = {
        f"{transaction} {measure}": histogram.overflow
        for (transaction, measure), histogram in measured.trial.histograms.items()
        if histogram.overflow
    }
    return ", ".join(f"{count} of {name}" for name, count in counts.items()) or None


def many_retries(measured: Measured) -> str | None:
    """Find a notable share of transactions whose first attempt was aborted."""
    aborted, ended = measured.totals["first_attempt_aborts"], measured.ended
    if aborted <= ABORT_SHARE_MAX * ended:
        return None
    return (
        f"{aborted} of {ended} transactions ({aborted / ended:.1%}), "
        f"{measured.totals['retries']} retries"
    )


def reconnects(measured: Measured) -> str | None:
    """Count connections that were made again, and not because they had served their time."""
    count = int(measured.generator["reconnects"].sum())
    if "renewals" in measured.generator.columns:
        count -= int(measured.generator["renewals"].sum())
    return f"{count} connections made again" if count else None
