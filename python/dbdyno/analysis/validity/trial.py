"""Checks after which a trial is not used: its figures are not what their names say.

A check takes a measured trial and returns its evidence, or None where all is well.
"""

from __future__ import annotations

import polars as pl

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
    names = ("transaction", "start_s", "scheduled", "ended", "in_flight")
    return Evidence(EvidenceKind.COUNTERS, **{name: first[name] for name in names})


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
    fewest = measured.generator.sort("live_clients", maintain_order=True).row(0, named=True)
    if fewest["live_clients"] >= configured:
        return None
    return Evidence(
        EvidenceKind.FEWER_CLIENTS,
        connected=fewest["live_clients"],
        clients=configured,
        start_s=fewest["start_s"],
    )
