"""How transactions were sent: what was asked for, what was read back, and the round trips."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from dbdyno.analysis.findings import Sending
from dbdyno.analysis.window_totals import FINISHED, WindowTotals
from dbdyno.protocol.trial_plan import TrialPlan
from dbdyno.store.model import StoredTrial

NOT_KNOWN = "not known"


def summarise_sending(trials: Sequence[WindowTotals]) -> Sending | None:
    """Return what all trials of a cell have in common; they were asked the same."""
    if not trials:
        return None
    plan = trials[0].trial.generator_plan
    finished = sum(measured.totals[name] for measured in trials for name in FINISHED)
    round_trips = _total(trials, "round_trips")
    renewals, renewal_s = _total(trials, "renewals"), _total(trials, "renewal_s")
    return Sending(
        protocol=plan.protocol,
        isolation=_isolation(trials, plan.session.isolation),
        autocommit=plan.session.autocommit,
        reconnect=plan.session.reconnect,
        connect_mean_ms=renewal_s / renewals * 1000 if renewals and renewal_s else None,
        round_trips_per_transaction=round_trips / finished if round_trips and finished else None,
        waiting=_waiting(plan, trials),
    )


def isolation_of(trial: StoredTrial) -> str | None:
    """Return the isolation level that a trial's connections ran with, as it was read back."""
    session = None if trial.connected is None else trial.connected.session
    return None if session is None else session.isolation


def _isolation(trials: Sequence[WindowTotals], asked: str | None) -> str:
    levels = dict.fromkeys(isolation_of(measured.trial) or NOT_KNOWN for measured in trials)
    told = " or ".join(levels)
    return f"{told} (asked for: {asked})" if asked is not None and told != asked else told


def _waiting(plan: TrialPlan, trials: Sequence[WindowTotals]) -> str:
    """Say how the generator waited for answers, where that was not by sleeping until the first."""
    words = ["polls without sleeping"] if plan.busy_poll else []
    if plan.coalesce_us:
        words.append(f"waits {plan.coalesce_us} µs for more answers")
    naps, napped_s = _total(trials, "naps"), _total(trials, "napped_s")
    if naps and napped_s:
        words.append(f"took {naps:,.0f} naps of {napped_s / naps * 1e6:.0f} µs on average")
    return ", ".join(words)


def _total(trials: Sequence[WindowTotals], column: str) -> float | None:
    """Add up what results of earlier versions do not have."""
    tables = [measured.generator for measured in trials]
    if any(column not in table.columns or table[column].null_count() for table in tables):
        return None
    return float(sum(pl.Series(table[column]).sum() for table in tables))
