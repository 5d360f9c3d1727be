"""Sums over the resources of a trial, window or not; ``dbdyno.resources`` says what these are.

They see the host that dbdyno ran on, which is the server's only where both share it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dbdyno.analysis.series import Blocks, aligned, picked
from dbdyno.resources import (
    CPU_TIMES,
    GENERATOR,
    HOST,
    LOCAL_HOST,
    PROCESS_CPU_TIMES,
    SERVER,
)

_BUSY = ("cpu.user_s", "cpu.system_s")


def total(resources: Blocks, *metrics: str) -> float:
    """Add metrics of the host up over a trial."""
    found = picked(resources, metrics, role=HOST, host=LOCAL_HOST)
    return sum(float(series.value.sum()) for series in found)


def stolen_share(resources: Blocks) -> float | None:
    """Return the share of all CPU time that the hypervisor gave to other machines."""
    known = _known_together(resources, [(HOST, name) for name in CPU_TIMES])
    if known is None:
        return None
    total_s = known.sum([(HOST, name) for name in CPU_TIMES])
    return known.sum([(HOST, "cpu.steal_s")]) / total_s if total_s else None


def others_cores(resources: Blocks, *, is_embedded: bool = False) -> float | None:
    """Return how many CPUs were busy with neither server nor generator; None where not known.

    An embedded database is a part of the generator's process, and no server is watched.
    """
    busy = [(HOST, name) for name in _BUSY]
    roles = (GENERATOR,) if is_embedded else (SERVER, GENERATOR)
    ours = [(role, name) for role in roles for name in PROCESS_CPU_TIMES]
    known = _known_together(resources, busy + ours)
    if known is None or not known.duration_s:
        return None
    return (known.sum(busy) - known.sum(ours)) / known.duration_s


Wanted = Sequence[tuple[str, str]]
"""Roles and metrics."""


@dataclass(frozen=True)
class _Known:
    """Metrics by role, added up over those intervals in which all of them are known."""

    duration_s: float
    sums: Mapping[tuple[str, str], float]

    def sum(self, wanted: Wanted) -> float:
        """Add some of the metrics up."""
        return sum(self.sums[each] for each in wanted)


def _known_together(resources: Blocks, wanted: Wanted) -> _Known | None:
    """Add metrics up where all are known; None where one never is. Members of a role are one."""
    terms = [picked(resources, (metric,), role=role, host=LOCAL_HOST) for role, metric in wanted]
    if not all(terms):
        return None
    _, duration_s, values = aligned([series for each in terms for series in each])
    parts = np.split(values, np.cumsum([len(each) for each in terms])[:-1])
    is_known = np.ones(len(duration_s), dtype=bool)
    for part in parts:
        is_known &= ~np.isnan(part).all(axis=0)
    sums = [float(np.nansum(part[:, is_known])) for part in parts]
    return _Known(float(duration_s[is_known].sum()), dict(zip(wanted, sums, strict=True)))
