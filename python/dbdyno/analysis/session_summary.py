"""How transactions were sent: what was asked for, what was read back, and the round trips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dbdyno.analysis.findings import Sending
from dbdyno.analysis.interval_counts import FINISHED
from dbdyno.analysis.waiting import Waiting
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.protocol.trial_plan import TrialPlan
from dbdyno.store.model import StoredTrial

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
        isolation=tuple(dict.fromkeys(isolation_of(each.trial) for each in trials)),
        asked_isolation=plan.session.isolation,
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


def _waiting(plan: TrialPlan, totals: Mapping[str, float | None]) -> Waiting:
    waiting = Waiting(plan.wait, placement=plan.placement)
    naps, napped_s = (totals[name] for name in _OF_WAITING)
    if not naps or not napped_s:
        return waiting
    return replace(waiting, naps=round(naps), nap_mean_us=napped_s / naps * 1e6)


def _totals(trials: Sequence[WindowTotals]) -> dict[str, float | None]:
    """Add up, by column; None where a trial lacks it, as results of earlier versions do."""
    totals: dict[str, float | None] = {}
    for name in (*_OF_CONNECTIONS, *_OF_WAITING):
        known = [measured.generator_sums[name] for measured in trials]
        told = [value for value in known if value is not None]
        totals[name] = sum(told) if len(told) == len(known) else None
    return totals
