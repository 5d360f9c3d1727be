"""A member's control groups as a source: what their limits have cost it."""

from __future__ import annotations

from pathlib import Path

from dbdyno.control_group_disks import (
    AMOUNTS,
    FIRST_CONTROLLER,
    disk_amounts,
    disk_limits_per_s,
    disk_name,
)
from dbdyno.control_groups import (
    Groups,
    groups_of,
    membership_of,
    memory_limit_events,
    on_the_way_up,
    out_of_memory_kills,
    throttling,
)
from dbdyno.watch.series.source import Growth, Subject, Values

THROTTLED = "control_group.cpu_throttled_s"
LIMIT_EVENTS = "control_group.memory_limit_events"
KILLS = "control_group.memory_kills"


class ControlGroup:
    """The groups that a process is in, and those above, whose limits hold for it as well."""

    def __init__(self, subject: Subject, process_id: int, groups: Groups | None = None) -> None:
        groups = groups_of(membership_of(process_id)) if groups is None else groups
        self.subject = subject
        self._cpu = [(group, Growth()) for group in on_the_way_up(groups, "cpu")]
        self._memory = [(group, Growth()) for group in on_the_way_up(groups, "memory")]
        self._disks = [(group, Growth()) for group in on_the_way_up(groups, FIRST_CONTROLLER)]

    def sample(self) -> Values:
        """Return what was added by the group that cost most; nothing where no group tells."""
        throttled = [growth.added(_cpu_counters(group)) for group, growth in self._cpu]
        short = [growth.added(_memory_counters(group)) for group, growth in self._memory]
        values = _largest(throttled, THROTTLED) | _largest(short, LIMIT_EVENTS)
        for group, growth in self._disks:
            for metric, added in growth.added(_disk_counters(group)).items():
                # Of two groups that limit the same, the one whose limit is nearer.
                values[metric] = max(added, values.get(metric, 0.0))
        return values


def _cpu_counters(group: Path) -> Values:
    told = throttling(group)
    if told is None:
        return {}
    periods, throttled_periods, throttled_s = told
    return {
        "control_group.cpu_periods": float(periods),
        "control_group.cpu_throttled_periods": float(throttled_periods),
        THROTTLED: throttled_s,
    }


def _memory_counters(group: Path) -> Values:
    told = {LIMIT_EVENTS: memory_limit_events(group), KILLS: out_of_memory_kills(group)}
    return {metric: float(count) for metric, count in told.items() if count is not None}


def _disk_counters(group: Path) -> Values:
    """Return what was read and written of each disk that a group limits.

    How much of a limit was used is told in seconds: how long so much would take at the limit.
    """
    limits, amounts = disk_limits_per_s(group), disk_amounts(group)
    counters: Values = {}
    for number, limited in limits.items():
        disk = f"control_group.disk[{disk_name(number)}]"
        used = amounts.get(number, {})
        counters |= {f"{disk}.{amount}": float(used.get(amount, 0)) for amount in AMOUNTS}
        for amount, limit_per_s in limited.items():
            counters[f"{disk}.{amount}_limit_used_s"] = used.get(amount, 0) / limit_per_s
    return counters


def _largest(by_group: list[Values], metric: str) -> Values:
    nothing: Values = {}
    return max(by_group, key=lambda values: values.get(metric, -1.0), default=nothing)
