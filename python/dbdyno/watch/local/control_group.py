"""A member's control groups as a source: what their limits have cost it."""

from __future__ import annotations

from pathlib import Path

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

    def sample(self) -> Values:
        """Return what was added by the group that cost most; nothing where no group tells."""
        throttled = [growth.added(_cpu_counters(group)) for group, growth in self._cpu]
        short = [growth.added(_memory_counters(group)) for group, growth in self._memory]
        return _largest(throttled, THROTTLED) | _largest(short, LIMIT_EVENTS)


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


def _largest(by_group: list[Values], metric: str) -> Values:
    nothing: Values = {}
    return max(by_group, key=lambda values: values.get(metric, -1.0), default=nothing)
