"""How many CPUs were busy, for showing it while it is so: made of what a watcher has just read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dbdyno.resources import HOST, PROCESS_CPU_TIMES
from dbdyno.watch.series.source import Subject

_BUSY = re.compile(r"cpu\[[^]]*\]\.busy_s")


@dataclass(frozen=True)
class CpuUse:
    """How many CPUs a member kept busy, or all that runs on a host did."""

    subject: Subject
    busy_cpus: float
    cpus: int | None = None
    """Of a host: how many it has."""


@dataclass(frozen=True)
class CpuReading:
    """What one watcher tells of a time that has just ended."""

    duration_s: float
    uses: tuple[CpuUse, ...]


def cpu_reading(
    duration_s: float, samples: Iterable[tuple[Subject, Mapping[str, float]]]
) -> CpuReading | None:
    """Return the CPUs that were busy in an interval; None where it tells nothing of any."""
    found = (_use(subject, values, duration_s) for subject, values in samples)
    uses = tuple(use for use in found if use is not None)
    return CpuReading(duration_s, uses) if uses else None


def _use(subject: Subject, values: Mapping[str, float], duration_s: float) -> CpuUse | None:
    if subject.role == HOST:
        busy_s = [value for metric, value in values.items() if _BUSY.fullmatch(metric)]
        # The kernel counts in ticks: all CPUs may come out as a little more than all.
        busy_cpus = min(sum(busy_s) / duration_s, len(busy_s))
        return CpuUse(subject, busy_cpus, len(busy_s)) if busy_s else None
    if not all(metric in values for metric in PROCESS_CPU_TIMES):
        return None
    return CpuUse(subject, sum(values[metric] for metric in PROCESS_CPU_TIMES) / duration_s)
