"""What hosts, servers and generators used in each cell's windows: a mean and a p95 a resource.

Trials are looked at one after the other, and of each only its figures are kept: a result may have
thousands of trials, each with many series of many intervals.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

import numpy as np

from dbdyno.analysis.series import Series, SeriesName, Values, aligned
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.experiment.plan import Cell
from dbdyno.resources import CPU_TIMES, GENERATOR, HOST, PROCESS_CPU_TIMES, SERVER
from dbdyno.store.model import ResourcesZero


class Resource(StrEnum):
    """What is used of a host, or by a server or a generator; the unit comes last."""

    CPU_CORES = "cpu_cores"
    CPU_COUNT = "cpu_count"
    """How many CPUs the host has; all of its CPU time a second."""
    BUSIEST_CPU_SHARE = "busiest_cpu_share"
    STOLEN_SHARE = "stolen_share"
    """Of all CPU time, what the hypervisor gave to other machines."""
    IO_PRESSURE_SHARE = "io_pressure_share"
    """Of the time, that in which some task waited for a disk."""
    MEMORY_AVAILABLE_BYTES = "memory_available_bytes"
    DISK_READ_BYTES_PER_S = "disk_read_bytes_per_s"
    DISK_WRITE_BYTES_PER_S = "disk_write_bytes_per_s"
    DISK_AWAIT_S = "disk_await_s"
    """Mean time of a request; the p95 is of the intervals' means."""
    NETWORK_RECEIVE_BYTES_PER_S = "network_receive_bytes_per_s"
    NETWORK_SEND_BYTES_PER_S = "network_send_bytes_per_s"
    PROCESS_CPU_CORES = "process_cpu_cores"


LEFT_OVER = frozenset({Resource.MEMORY_AVAILABLE_BYTES})
"""What is left, so that little of it is a lot of use."""


@dataclass(frozen=True)
class UsageKey:
    """Whose figure it is: a host's, one of its devices', or that of a member that runs there."""

    host: str
    member: str
    """Empty where it is the whole host's."""
    device: str
    """A disk or a network interface; empty where there is none."""
    resource: Resource


@dataclass(frozen=True)
class Usage:
    """The mean over the windows of trials, and the p95 of intervals where a trial's was highest.

    Percentiles of several trials are not averaged. Of what is left of something, memory, ``p95``
    is what 95 % of the intervals had at least, in the trial in which that was lowest.
    """

    mean: float
    p95: float


CellUsage = Mapping[UsageKey, Usage]


@dataclass(frozen=True)
class _Formula:
    """A figure of an interval: the sum of ``counted`` by that of ``per``, or by its seconds."""

    counted: tuple[str, ...]
    per: tuple[str, ...] = ()
    is_level: bool = False
    """A level counts for as long as its interval lasts."""


_FORMULAS: Mapping[Resource, _Formula] = {
    Resource.CPU_CORES: _Formula(("cpu.user_s", "cpu.system_s", "cpu.interrupt_s")),
    Resource.CPU_COUNT: _Formula(CPU_TIMES),
    Resource.BUSIEST_CPU_SHARE: _Formula(("cpu.busiest_share",), is_level=True),
    Resource.STOLEN_SHARE: _Formula(("cpu.steal_s",), per=CPU_TIMES),
    Resource.IO_PRESSURE_SHARE: _Formula(("pressure.io_some_s",)),
    Resource.MEMORY_AVAILABLE_BYTES: _Formula(("memory.available_bytes",), is_level=True),
    Resource.DISK_READ_BYTES_PER_S: _Formula(("disk.read_bytes",)),
    Resource.DISK_WRITE_BYTES_PER_S: _Formula(("disk.write_bytes",)),
    Resource.DISK_AWAIT_S: _Formula(
        ("disk.read_wait_s", "disk.write_wait_s"), per=("disk.reads", "disk.writes")
    ),
    Resource.NETWORK_RECEIVE_BYTES_PER_S: _Formula(("network.receive_bytes",)),
    Resource.NETWORK_SEND_BYTES_PER_S: _Formula(("network.send_bytes",)),
    Resource.PROCESS_CPU_CORES: _Formula(PROCESS_CPU_TIMES),
}


class UsageByCell:
    """What was used in each cell, added up trial by trial as they pass."""

    def __init__(self) -> None:
        self._cells: dict[Cell, dict[UsageKey, _Summed]] = {}

    def add(self, measured: WindowTotals) -> None:
        """Add a valid trial."""
        cell = self._cells.setdefault(measured.trial.planned.cell, {})
        for key, usage in usage_of(measured).items():
            cell.setdefault(key, _Summed()).add(key, usage)

    def found(self) -> dict[Cell, CellUsage]:
        """Return what was used; a figure that no trial of a cell has is left out."""
        return {
            cell: {key: summed.together() for key, summed in by_key.items()}
            for cell, by_key in self._cells.items()
            if by_key
        }


@dataclass
class _Summed:
    """One figure over the trials of a cell."""

    count: int = 0
    total: float = 0.0
    worst: float | None = None

    def add(self, key: UsageKey, usage: Usage) -> None:
        worse = min if key.resource in LEFT_OVER else max
        self.count += 1
        self.total += usage.mean
        self.worst = usage.p95 if self.worst is None else worse(self.worst, usage.p95)

    def together(self) -> Usage:
        return Usage(mean=self.total / self.count, p95=self.worst or 0.0)


def usage_of(measured: WindowTotals) -> dict[UsageKey, Usage]:
    """Return what was used in one trial's window; nothing where it cannot be told from the rest."""
    if measured.trial.resources_zero is ResourcesZero.WATCH_START:
        return {}
    terms: dict[UsageKey, _Terms] = {}
    for block in measured.resources or ():
        middle_s = block.middle_s
        inside = block.part((middle_s >= 0) & (middle_s < measured.window_s))
        for series in inside.series() if len(inside.start_s) else ():
            for key, is_divisor in _uses_of(series.name):
                parts = terms.setdefault(key, _Terms([], []))
                (parts.per if is_divisor else parts.counted).append(series)
    known = {key: _usage(key, parts) for key, parts in terms.items()}
    found = {key: usage for key, usage in known.items() if usage is not None}
    return {key: _within_the_host(key, usage, found) for key, usage in found.items()}


def _within_the_host(key: UsageKey, usage: Usage, found: CellUsage) -> Usage:
    """Return CPUs of no more than the host has.

    The kernel counts CPU time a moment after it was used. Of a short interval that a watcher reads
    late, it may be more than there is.
    """
    count = found.get(UsageKey(key.host, "", "", Resource.CPU_COUNT))
    if count is None or key.resource not in (Resource.CPU_CORES, Resource.PROCESS_CPU_CORES):
        return usage
    return replace(usage, p95=min(usage.p95, float(round(count.mean))))


@dataclass(frozen=True)
class _Terms:
    """The series that a figure is made of."""

    counted: list[Series]
    per: list[Series]


_DEVICE = re.compile(r"(disk|network)\[(.*)\]\.(.*)")
_ROLES = frozenset({HOST, SERVER, GENERATOR})


@lru_cache(10_000)
def _uses_of(name: SeriesName) -> tuple[tuple[UsageKey, bool], ...]:
    """Return the figures that a series is for, and whether they are divided by it.

    Trials have the same series over and over.
    """
    if name.role not in _ROLES:
        return ()
    device = _DEVICE.fullmatch(name.metric)
    metric = f"{device[1]}.{device[3]}" if device else name.metric
    return tuple(
        (UsageKey(name.host, name.member, device[2] if device else "", resource), is_divisor)
        for resource, is_divisor in _USES.get(metric, ())
    )


def _uses() -> dict[str, list[tuple[Resource, bool]]]:
    """Return by metric in which figures it is counted, or divided by."""
    uses: defaultdict[str, list[tuple[Resource, bool]]] = defaultdict(list)
    for resource, formula in _FORMULAS.items():
        for names, is_divisor in ((formula.counted, False), (formula.per, True)):
            for name in names:
                uses[name].append((resource, is_divisor))
    return dict(uses)


_USES = _uses()


def _usage(key: UsageKey, terms: _Terms) -> Usage | None:
    """Return a figure over the intervals in which there is something to divide by."""
    formula = _FORMULAS[key.resource]
    _, duration_s, values = aligned([*terms.counted, *terms.per])
    parts = np.nan_to_num(values)
    counted = parts[: len(terms.counted)].sum(axis=0)
    if formula.is_level:
        counted = counted * duration_s
    per = parts[len(terms.counted) :].sum(axis=0) if formula.per else duration_s
    # Without a request there is no time that one took.
    is_known = per > 0
    if not is_known.any():
        return None
    counted, per = counted[is_known], per[is_known]
    worst = 0.05 if key.resource in LEFT_OVER else 0.95
    return Usage(float(counted.sum() / per.sum()), _nearest(counted / per, worst))


def _nearest(values: Values, quantile: float) -> float:
    """Return the value that is nearest to a quantile."""
    place = math.floor((len(values) - 1) * quantile + 0.5)
    return float(np.partition(values, place)[place])
