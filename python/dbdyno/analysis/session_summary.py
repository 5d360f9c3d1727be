"""How transactions were sent: what was asked for, what was read back, and the round trips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dbdyno.analysis.findings import Sending
from dbdyno.analysis.interval_counts import FINISHED
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.protocol.trial_plan import TrialPlan
from dbdyno.store.model import StoredTrial

NOT_KNOWN = "not known"

_OF_CONNECTIONS = ("round_trips", "renewals", "renewal_s")
_OF_WAITING = ("naps", "napped_s")
"""Of ``window_totals.SUMS_OF_GENERATOR``."""


def summarise_sending(trials: Sequence[WindowTotals]) -> Sending | None:
    """Return what all trials of a cell have in common; they were asked the same."""
    if not trials:
        return None
    plan = trials[0].trial.generator_plan
    finished = sum(measured.totals[name] for measured in trials for name in FINISHED)
    totals = _totals(trials)
    round_trips, renewals, renewal_s = (totals[name] for name in _OF_CONNECTIONS)
    return Sending(
        protocol=plan.protocol,
        isolation=_isolation(trials, plan.session.isolation),
        autocommit=plan.session.autocommit,
        reconnect=plan.session.reconnect,
        connect_mean_ms=renewal_s / renewals * 1000 if renewals and renewal_s else None,
        round_trips_per_transaction=round_trips / finished if round_trips and finished else None,
        waiting=_waiting(plan, totals),
    )


def isolation_of(trial: StoredTrial) -> str | None:
    """Return the isolation level that a trial's connections ran with, as it was read back."""
    session = None if trial.connected is None else trial.connected.session
    return None if session is None else session.isolation


def _isolation(trials: Sequence[WindowTotals], asked: str | None) -> str:
    levels = dict.fromkeys(isolation_of(measured.trial) or NOT_KNOWN for measured in trials)
    told = " or ".join(levels)
    return f"{told} (asked for: {asked})" if asked is not None and told != asked else told


def _waiting(plan: TrialPlan, totals: Mapping[str, float | None]) -> str:
    """Say how the generator waited for answers, where that was not by sleeping until the first."""
    words = ["polls without sleeping"] if plan.busy_poll else []
    if plan.coalesce_us:
        words.append(f"waits {plan.coalesce_us} µs for more answers")
    naps, napped_s = (totals[name] for name in _OF_WAITING)
    if naps and napped_s:
        words.append(f"took {naps:,.0f} naps of {napped_s / naps * 1e6:.0f} µs on average")
    return ", ".join(words)


def _totals(trials: Sequence[WindowTotals]) -> dict[str, float | None]:
    """Add up, by column; None where a trial lacks it, as results of earlier versions do."""
    totals: dict[str, float | None] = {}
    for name in (*_OF_CONNECTIONS, *_OF_WAITING):
        known = [measured.generator_sums[name] for measured in trials]
        told = [value for value in known if value is not None]
        totals[name] = sum(told) if len(told) == len(known) else None
    return totals
