"""The resources of one trial, summed up over its window, for lookups by name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dbdyno.analysis.series import Block
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.resources import HOST, NO_MEMBER, SERVER
from dbdyno.store.model import ResourcesZero

_LABEL = re.compile(r"^[^\[]*\[(.*)\][^\]]*$")


@dataclass(frozen=True)
class Sum:
    """One metric over the window: of how many intervals, how long, and what."""

    total: float
    duration_s: float
    highest: float
    intervals: int
    above_zero: int

    @property
    def per_s(self) -> float:
        """The rate of a counter; each metric by its own time, for rows may be missing."""
        return self.total / self.duration_s if self.duration_s else 0.0

    @property
    def mean(self) -> float:
        """The mean of a level."""
        return self.total / self.intervals


@dataclass(frozen=True)
class Member:
    """Of whom figures are: by role, name and host; a whole host has no name."""

    role: str
    name: str
    host: str


class ResourceSums:
    """All metrics of a trial by member. What was not told is None everywhere."""

    def __init__(self, rows: Sequence[tuple[Member, str, Sum]] = ()) -> None:
        self._by_member: dict[Member, dict[str, Sum]] = {}
        for member, metric, found in rows:
            self._by_member.setdefault(member, {})[metric] = found

    def of_role(self, role: str) -> Iterator[Member]:
        """Yield those who have this role."""
        return (member for member in self._by_member if member.role == role)

    def metrics(self, member: Member, prefix: str) -> dict[str, Sum]:
        """Return the metrics whose names begin so."""
        known = self._by_member.get(member, {})
        return {name: found for name, found in known.items() if name.startswith(prefix)}

    def labels(self, member: Member, kind: str) -> list[str]:
        """Return what stands in brackets: of ``disk``, the names of disks."""
        found = (_LABEL.match(name) for name in self.metrics(member, f"{kind}["))
        return sorted({match[1] for match in found if match})

    def get(self, member: Member, metric: str) -> Sum | None:
        """Return one metric."""
        return self._by_member.get(member, {}).get(metric)

    def per_s(self, member: Member, *metrics: str) -> float | None:
        """Return the rate of counters together; None where one of them is not told."""
        found = [self.get(member, metric) for metric in metrics]
        known = [each.per_s for each in found if each is not None]
        return sum(known) if len(known) == len(found) else None

    def mean(self, member: Member, metric: str) -> float | None:
        """Return the mean of a level."""
        found = self.get(member, metric)
        return None if found is None else found.mean


def whole_host(host: str) -> Member:
    """Return the host itself, as its figures have it."""
    return Member(HOST, NO_MEMBER, host)


def server(name: str, host: str) -> Member:
    """Return a server on a host."""
    return Member(SERVER, name, host)


def resource_sums(measured: WindowTotals) -> ResourceSums:
    """Sum a trial's resources up over its window; over all of it where it has no clock."""
    has_no_clock = measured.trial.resources_zero is ResourcesZero.WATCH_START
    rows: list[tuple[Member, str, Sum]] = []
    for block in measured.resources or ():
        middle_s = block.middle_s
        is_inside = (middle_s >= 0) & (middle_s <= measured.window_s)
        rows += _sums_of(block if has_no_clock else block.part(is_inside))
    return ResourceSums(rows)


def _sums_of(block: Block) -> Iterator[tuple[Member, str, Sum]]:
    intervals = len(block.start_s)
    if not intervals:
        return
    duration_s = float(block.duration_s.sum())
    totals = block.values.sum(axis=1).tolist()
    highest = block.values.max(axis=1).tolist()
    above_zero = np.count_nonzero(block.values > 0, axis=1).tolist()
    for name, *found in zip(block.names, totals, highest, above_zero, strict=True):
        total, most, above = found
        member = Member(name.role, name.member, name.host)
        yield member, name.metric, Sum(total, duration_s, most, intervals, above)
