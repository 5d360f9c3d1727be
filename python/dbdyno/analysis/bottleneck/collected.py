"""What trials say, added up by cell as they pass: no table of theirs is kept.

A result may have thousands of trials. Of each figure a cell keeps count, sum, lowest and highest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from dbdyno.analysis.bottleneck.generators import generator_readings
from dbdyno.analysis.bottleneck.hosts import host_readings
from dbdyno.analysis.bottleneck.model import Figure, FigureName, TimeKind, TimeShare, Unknown
from dbdyno.analysis.bottleneck.processors import cpu_readings
from dbdyno.analysis.bottleneck.readings import Reading, Subject
from dbdyno.analysis.bottleneck.servers import database_lock_readings, server_readings
from dbdyno.analysis.bottleneck.sums import resource_sums
from dbdyno.analysis.bottleneck.thresholds import THRESHOLDS
from dbdyno.analysis.bottleneck.time_spent import sessions_by_kind
from dbdyno.analysis.bottleneck.unknown import not_judged
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.experiment.plan import Cell
from dbdyno.facts.host import HostFacts, OtherHost
from dbdyno.resources import LOCAL_HOST

Load = tuple[float, int]
"""What was asked for: transactions a second, infinite in a closed loop, and clients."""


@dataclass
class _Spread:
    """One figure over trials."""

    count: int = 0
    total: float = 0.0
    lowest: float = float("inf")
    highest: float = float("-inf")

    def add(self, value: float) -> None:
        """Add one trial's."""
        self.count += 1
        self.total += value
        self.lowest, self.highest = min(self.lowest, value), max(self.highest, value)


@dataclass
class SubjectFigures:
    """What a cell's trials say of one thing; ``complete`` are those that judge it."""

    use: tuple[FigureName, ...]
    waits: tuple[FigureName, ...]
    complete: int = 0
    spreads: dict[FigureName, _Spread] = field(default_factory=dict)

    def add(self, reading: Reading) -> None:
        """Add one trial's reading."""
        self.complete += reading.is_complete
        for part in (reading.use, reading.waits, reading.context):
            for name, value in part.items():
                if value is not None:
                    self.spreads.setdefault(name, _Spread()).add(value)

    def mean(self, name: FigureName) -> float:
        """Return the mean over trials; 0 where no trial has it."""
        spread = self.spreads.get(name)
        return spread.total / spread.count if spread else 0.0

    def reach(self, names: tuple[FigureName, ...]) -> bool:
        """Tell whether all of these figures reach their thresholds on average."""
        return all(self.mean(name) >= THRESHOLDS[name].value for name in names)

    def figures(self) -> tuple[Figure, ...]:
        """Return all figures, those first that judge it."""
        judging = (*self.use, *self.waits)
        return tuple(
            Figure(
                name,
                spread.total / spread.count,
                spread.lowest,
                spread.highest,
                spread.count,
                THRESHOLDS[name].value if name in judging else None,
            )
            for name, spread in self.spreads.items()
        )


@dataclass
class CellFigures:
    """What the valid trials of a cell say together."""

    load: Load
    trials: int = 0
    done_per_s: float = 0.0
    service_s: float = 0.0
    """Both added up over trials, the latter being the mean of one transaction."""
    subjects: dict[Subject, SubjectFigures] = field(default_factory=dict)
    unknown: dict[Unknown, int] = field(default_factory=lambda: defaultdict(int))
    sessions: dict[TimeKind, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, readings: list[Reading]) -> None:
        """Add what one trial says."""
        for reading in readings:
            known = self.subjects.setdefault(
                reading.subject, SubjectFigures(tuple(reading.use), tuple(reading.waits))
            )
            known.add(reading)

    def never_judged(self) -> tuple[Unknown, ...]:
        """Return what no trial of the cell could judge."""
        return tuple(each for each, trials in self.unknown.items() if trials == self.trials)

    def time(self) -> tuple[TimeShare, ...]:
        """Return where sessions' time went, in shares that are 1 together."""
        total = sum(self.sessions.values())
        if not total:
            return ()
        return tuple(
            TimeShare(kind, self.sessions[kind] / total)
            for kind in TimeKind
            if kind in self.sessions
        )


class Collected:
    """What all trials say that have passed, by cell."""

    def __init__(self, host: HostFacts, other_hosts: Mapping[str, OtherHost]) -> None:
        self.cells: dict[Cell, CellFigures] = {}
        self._speeds = dict(_link_speeds(host, other_hosts))

    def add(self, measured: WindowTotals) -> None:
        """Add a valid trial; its tables are in memory at this moment, and not needed any more."""
        planned, plan = measured.trial.planned, measured.trial.generator_plan
        rate = plan.offered_per_s
        load = (float("inf") if rate is None else rate, plan.clients)
        cell = self.cells.setdefault(planned.cell, CellFigures(load))
        sums, server = resource_sums(measured), measured.trial.server
        sessions = _sessions(measured)
        readings = [
            *generator_readings(measured),
            *cpu_readings(sums, server.cpus, sessions),
            *host_readings(sums, self._speeds, sessions),
            *database_lock_readings(measured),
            *server_readings(sums, sessions, server.settings),
        ]
        cell.trials += 1
        cell.done_per_s += measured.throughput_per_s
        cell.service_s += measured.mean_s("service")
        cell.add(readings)
        for unknown in dict.fromkeys(not_judged(measured, sums, readings)):
            cell.unknown[unknown] += 1
        for kind, count in sessions_by_kind(sums, sessions).items():
            cell.sessions[kind] += count


def _sessions(measured: WindowTotals) -> float:
    """Return how many transactions were under way on average, those that wait to begin left out."""
    service = measured.all_times("service")
    if not service.count or not measured.window_s:
        return 0.0
    return service.mean_ns / 1e9 * service.count / measured.window_s


def _link_speeds(
    host: HostFacts, other_hosts: Mapping[str, OtherHost]
) -> Iterator[tuple[tuple[str, str], int]]:
    known = {name: other.facts for name, other in other_hosts.items() if other.facts is not None}
    for name, facts in {LOCAL_HOST: host, **known}.items():
        for interface in facts.network_interfaces:
            if interface.speed_mbit_per_s:
                yield (name, interface.name), interface.speed_mbit_per_s
