"""CPU time of the host by kind and by CPU, and how many tasks wanted to run."""

from __future__ import annotations

import os
from collections.abc import Mapping

from dbdyno.watch.series.source import Growth, Values

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")

_CPU_FIELDS = 8
"""user, nice, system, idle, iowait, irq, softirq and steal; the times of guests come after, and
are in those of users before them already."""

_COUNTERS = {b"ctxt": "cpu.context_switches"}
_LEVELS = {b"procs_running": "cpu.running_tasks", b"procs_blocked": "cpu.blocked_tasks"}


class CpuTimes:
    """What ``/proc/stat`` tells, and what was added since it was looked at last."""

    def __init__(self) -> None:
        self._counters = Growth()
        self._by_cpu = Growth()
        self._totals = Growth()

    def sample(self, content: bytes) -> Values:
        """Return what was added, and the levels of now."""
        counters, levels, by_cpu, totals = _read(content)
        busy_added, total_added = self._by_cpu.added(by_cpu), self._totals.added(totals)
        values = levels | self._counters.added(counters) | busy_added
        return values | busiest_share(busy_added, total_added)


def busiest_share(added: Mapping[str, float], totals: Mapping[str, float]) -> Values:
    """Return the busy share of the busiest CPU, of what was added and the whole time by CPU."""
    shares = [
        added[f"{cpu}.busy_s"] / total_s
        for cpu, total_s in totals.items()
        if total_s > 0 and f"{cpu}.busy_s" in added
    ]
    # Both are sums of floats: all may come out as a little more than all.
    return {"cpu.busiest_share": min(1.0, max(shares))} if shares else {}


def _read(content: bytes) -> tuple[Values, Values, Values, Values]:
    """Return counters and levels of the host, and by CPU its counters and its whole time."""
    counters: Values = {}
    levels: Values = {}
    by_cpu: Values = {}
    totals: Values = {}
    for line in content.splitlines():
        name, _, rest = line.partition(b" ")
        if name == b"cpu":
            counters |= _host_times(_times_s(rest))
        elif name.startswith(b"cpu"):
            cpu = f"cpu[{name[3:].decode()}]"
            times_s = _times_s(rest)
            totals[cpu] = sum(times_s)
            by_cpu |= _cpu_counters(cpu, times_s)
        elif name in _COUNTERS:
            counters[_COUNTERS[name]] = float(rest)
        elif name in _LEVELS:
            levels[_LEVELS[name]] = float(rest)
    return counters, levels, by_cpu, totals


def _times_s(fields: bytes) -> list[float]:
    return [int(ticks) / _TICKS_PER_S for ticks in fields.split()[:_CPU_FIELDS]]


def _host_times(times_s: list[float]) -> Values:
    user, nice, system, idle, iowait, irq, softirq, steal = times_s
    return {
        "cpu.user_s": user + nice,
        "cpu.system_s": system,
        "cpu.interrupt_s": irq + softirq,
        "cpu.softirq_s": softirq,
        "cpu.iowait_s": iowait,
        "cpu.steal_s": steal,
        "cpu.idle_s": idle,
    }


def _cpu_counters(cpu: str, times_s: list[float]) -> Mapping[str, float]:
    user, nice, system, _, _, irq, softirq, steal = times_s
    # Added up, not what is left of the total: rounding would let it shrink now and then.
    busy_s = user + nice + system + irq + softirq + steal
    return {f"{cpu}.busy_s": busy_s, f"{cpu}.softirq_s": softirq}
