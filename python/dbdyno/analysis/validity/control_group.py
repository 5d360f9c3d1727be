"""Checks of the server's control group: what its limits did to it in a trial."""

from __future__ import annotations

from typing import Any

from dbdyno.analysis.measured import Measured
from dbdyno.store.model import TrialStatus


def killed_for_memory(measured: Measured) -> str | None:
    """Find that the kernel killed a process of the server because memory was short.

    A group that is not the server's alone may have lost another program: that counts only where
    the trial failed as well.
    """
    trial = measured.trial
    facts = _facts(measured)
    kills = facts.get("out_of_memory_kills") or 0
    is_own = trial.planned.server_limits.memory_bytes is not None
    if not kills or not (is_own or trial.status is not TrialStatus.COMPLETED):
        return None
    killed = f"{kills} process{'es' if kills > 1 else ''} killed"
    if not is_own:
        killed += " in the control group that the server was in, which others may share"
    limit_bytes = facts.get("control_group_memory_limit_bytes")
    if not isinstance(limit_bytes, int):
        return f"{killed}; the group has no limit, so that the machine was short of memory"
    return f"{killed}; the memory limit was {limit_bytes / 2**20:,.0f} MiB"


def cpu_throttled(measured: Measured) -> str | None:
    """Find periods in which the server was ready to run and had used up its CPU time."""
    waited = _throttled(_facts(measured), "cpu")
    return None if waited is None else f"it had to wait in {waited}"


def shared_cpu_throttled(measured: Measured) -> str | None:
    """Find periods in which the generator may have waited because the server had used its time."""
    waited = _throttled(_facts(measured), "shared_cpu")
    return None if waited is None else f"both had to wait in {waited}"


def _throttled(facts: dict[str, Any], prefix: str) -> str | None:
    throttled = facts.get(f"{prefix}_throttled_periods") or 0
    if not throttled:
        return None
    return (
        f"{throttled:,} of {facts[f'{prefix}_periods']:,} periods, "
        f"{facts[f'{prefix}_throttled_s']:.1f} s in all, at a limit of "
        f"{_cores(facts.get(f'{prefix}_throttled_limit_cores'))}"
    )


def _cores(limit: object) -> str:
    return f"{limit:g} CPUs" if isinstance(limit, int | float) else "so much CPU time"


def _facts(measured: Measured) -> dict[str, Any]:
    facts: dict[str, Any] = measured.trial.server.get("control_group", {})
    return facts
