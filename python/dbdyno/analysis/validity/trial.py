"""Checks after which a trial is not used: its figures are not what their names say.

A check takes a measured trial and returns its evidence, or None where all is well.
"""

from __future__ import annotations

import polars as pl

from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.store.layout import Phase
from dbdyno.store.model import TrialStatus


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
    ended = pl.sum_horizontal("committed", "rolled_back", "failed", "dropped")
    sums = measured.trial.intervals.sort("start_s").select(
        "transaction",
        "start_s",
        "in_flight",
        scheduled=pl.col("scheduled").cum_sum().over("transaction"),
        ended=ended.cum_sum().over("transaction"),
    )
    wrong = sums.filter(pl.col("scheduled") != pl.col("ended") + pl.col("in_flight"))
    if wrong.is_empty():
        return None
    first = wrong.row(0, named=True)
    return (
        f"{first['transaction']}, up to the interval at {first['start_s']:g} s: "
        f"{first['scheduled']} scheduled, {first['ended']} ended, {first['in_flight']} in flight"
    )


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
    fewest = measured.generator.sort("live_clients", maintain_order=True).row(0, named=True)
    if fewest["live_clients"] >= configured:
        return None
    return f"{fewest['live_clients']} of {configured} clients at {fewest['start_s']:g} s"
