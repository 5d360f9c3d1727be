"""Checks of the server's control group: what its limits did to it in a trial."""

from __future__ import annotations

from dbdyno.analysis.evidence import Clauses, Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.store.model import TrialStatus


def killed_for_memory(measured: WindowTotals) -> Clauses | None:
    """Find that the kernel killed a process of the server because memory was short.

    A group that is not the server's alone may have lost another program: that counts only where
    the trial failed as well.
    """
    trial = measured.trial
    facts = trial.server.control_group
    kills = facts.out_of_memory_kills or 0
    is_own = trial.planned.server_limits.memory_bytes is not None
    if not kills or not (is_own or trial.status is not TrialStatus.COMPLETED):
        return None
    kind = EvidenceKind.KILLED if is_own else EvidenceKind.KILLED_IN_SHARED_GROUP
    limit_bytes = facts.control_group_memory_limit_bytes
    limit = (
        Evidence(EvidenceKind.MEMORY_LIMIT, limit_bytes=limit_bytes)
        if isinstance(limit_bytes, int)
        else Evidence(EvidenceKind.NO_MEMORY_LIMIT)
    )
    return Evidence(kind, count=kills), limit


def cpu_throttled(measured: WindowTotals) -> Clauses:
    """Find periods in which the server was ready to run and had used up its CPU time."""
    group = measured.trial.server.control_group
    return _throttled(
        EvidenceKind.SERVER_THROTTLED,
        group.cpu_throttled_periods,
        group.cpu_periods,
        group.cpu_throttled_s,
        group.cpu_throttled_limit_cores,
    )


def shared_cpu_throttled(measured: WindowTotals) -> Clauses:
    """Find periods in which the generator may have waited because the server had used its time."""
    group = measured.trial.server.control_group
    return _throttled(
        EvidenceKind.BOTH_THROTTLED,
        group.shared_cpu_throttled_periods,
        group.shared_cpu_periods,
        group.shared_cpu_throttled_s,
        group.shared_cpu_throttled_limit_cores,
    )


def _throttled(
    kind: EvidenceKind,
    throttled: int | None,
    periods: int | None,
    waited_s: float | None,
    limit_cores: float | None,
) -> Clauses:
    """Return nothing where nobody had to wait, or it is not known."""
    if not throttled:
        return ()
    waited = Evidence(kind, throttled=throttled, periods=periods or 0, waited_s=waited_s or 0.0)
    if limit_cores is None:
        return (waited,)
    return waited, Evidence(EvidenceKind.CPU_LIMIT, limit_cores=limit_cores)
