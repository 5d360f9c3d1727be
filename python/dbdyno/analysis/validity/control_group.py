"""Checks of the server's control group: what its limits did to it in a trial."""

from __future__ import annotations

from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.store.model import TrialStatus


def killed_for_memory(measured: WindowTotals) -> str | None:
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
    killed = f"{kills} process{'es' if kills > 1 else ''} killed"
    if not is_own:
        killed += " in the control group that the server was in, which others may share"
    limit_bytes = facts.control_group_memory_limit_bytes
    if not isinstance(limit_bytes, int):
        return f"{killed}; the group has no limit, so that the machine was short of memory"
    return f"{killed}; the memory limit was {limit_bytes / 2**20:,.0f} MiB"


def cpu_throttled(measured: WindowTotals) -> str | None:
    """Find periods in which the server was ready to run and had used up its CPU time."""
    group = measured.trial.server.control_group
    waited = _throttled(
        group.cpu_throttled_periods,
        group.cpu_periods,
        group.cpu_throttled_s,
        group.cpu_throttled_limit_cores,
    )
    return None if waited is None else f"it had to wait in {waited}"


def shared_cpu_throttled(measured: WindowTotals) -> str | None:
    """Find periods in which the generator may have waited because the server had used its time."""
    group = measured.trial.server.control_group
    waited = _throttled(
        group.shared_cpu_throttled_periods,
        group.shared_cpu_periods,
        group.shared_cpu_throttled_s,
        group.shared_cpu_throttled_limit_cores,
    )
    return None if waited is None else f"both had to wait in {waited}"


def _throttled(
    throttled: int | None, periods: int | None, waited_s: float | None, limit_cores: float | None
) -> str | None:
    if not throttled:
        return None
    cores = "so much CPU time" if limit_cores is None else f"{limit_cores:g} CPUs"
    return (
        f"{throttled:,} of {periods or 0:,} periods, {waited_s or 0.0:.1f} s in all, at a limit of "
        f"{cores}"
    )
