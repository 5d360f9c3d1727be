"""The trial at hand, followed through the files that a run writes while it measures."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.host_usage import HOST_USAGE, HostUsage
from dbdyno.json_documents import read_document
from dbdyno.protocol.events import (
    Connected,
    End,
    GeneratorStanding,
    HostClock,
    Started,
    TrialEvent,
    WarmupEnded,
    WindowStart,
    read_event,
)
from dbdyno.protocol.intervals import Interval, Phase
from dbdyno.serve.points import Point, point_of
from dbdyno.serve.tail import LineTail
from dbdyno.store import layout
from dbdyno.store.json_lines import JsonObject
from dbdyno.store.record import (
    TRIAL,
)
from dbdyno.times import decode_histogram, finite, quantile_ms

MARKS_MAX = 200
"""A trial that loses connections all the time has one a second, and no chart shows so many."""
WHOLE = -1
"""Stands for the one generator of a trial that has no others."""


@dataclass
class GeneratorView:
    """One generator as it was heard last."""

    index: int
    host: str = ""
    lag_p99_ms: float | None = None
    busiest_worker_share: float | None = None
    clock_bound_ms: float | None = None
    heard_unix_s: float | None = None
    standing: str = ""


@dataclass
class TrialView:
    """A trial that is being measured. What is told of it stays when it is over."""

    directory: Path
    planned: PlannedTrial
    started_ms: int = 0
    """When this attempt began; 0 as long as its load has not."""
    window_unix_s: float | None = None
    connected: int | None = None
    has_ended: bool = False
    last: Point | None = None
    last_measured: Point | None = None
    """The last one in which clients began transactions; what only ends in the drain is no rate."""
    usages: dict[str, HostUsage] = field(default_factory=dict)
    generators: dict[int, GeneratorView] = field(default_factory=dict)
    marks: deque[tuple[float, str, str]] = field(default_factory=lambda: deque(maxlen=MARKS_MAX))
    """What happened last: the second in the window, a code, and whom it was of."""
    window_transactions: float = 0.0
    window_s: float = 0.0
    heard_unix_s: float = 0.0
    """When anything of it was written last."""

    def __post_init__(self) -> None:
        folder = layout.unfinished_directory(self.directory, self.planned.number)
        self._folder = folder
        self._events = LineTail(folder / layout.EVENTS_FILE)
        self._usage = LineTail(folder / layout.USAGE_FILE)

    def has_begun(self) -> bool:
        """Tell whether the load has begun, of which the run writes first when that was."""
        if not self.started_ms:
            with suppress(InputError):
                record = read_document(self._folder / layout.TRIAL_FILE, TRIAL)
                self.started_ms = started_ms(record.clock)
        return bool(self.started_ms)

    def new_points(self) -> Iterator[Point]:
        """Yield the intervals that have been told since the last call."""
        for line in self._usage.lines():
            self._take_usage(line)
        for line in self._events.lines():
            point = self._take(line)
            if point is not None:
                self.count(point)
                yield point
        modified_s = max(self._events.modified_unix_s, self._usage.modified_unix_s)
        self.heard_unix_s = max(self.heard_unix_s, modified_s)

    def close(self) -> None:
        """Let go of its files."""
        self._events.close()
        self._usage.close()

    def throughput_per_s(self) -> float | None:
        """Return the mean over the window so far; None before it."""
        return self.window_transactions / self.window_s if self.window_s else None

    def count(self, point: Point) -> None:
        """Note an interval as the last one; the window's make its mean."""
        self.last = point
        if point.phase != Phase.DRAIN:
            self.last_measured = point
        if point.phase == Phase.WINDOW:
            self.window_transactions += point.throughput_per_s * point.duration_s
            self.window_s += point.duration_s

    def _take(self, line: JsonObject) -> Point | None:
        try:
            event = read_event(line["said"])
        except (KeyError, ValueError):
            return None
        heard_unix_s = float(line.get("received_unix_s", 0.0))
        if isinstance(event, Interval):
            return self._interval(event, heard_unix_s)
        if isinstance(event, TrialEvent):
            self._told(event)
        return None

    def _told(self, event: TrialEvent) -> None:
        match event:
            case Connected():
                self.connected = (self.connected or 0) + event.clients
            case Started():
                self.window_unix_s = _unix_s(event.window_start)
            case WarmupEnded() if event.window_start is not None:
                self.window_unix_s = _unix_s(event.window_start)
            case GeneratorStanding():
                self._generator(event.generator_index).standing = event.standing
                at_s = self.last.start_s + self.last.duration_s if self.last else 0.0
                self.marks.append((at_s, event.standing, str(event.generator_index + 1)))
            case HostClock():
                bound_ns = max(event.bound_ns, event.end_bound_ns)
                self._generator(event.generator_index).clock_bound_ms = bound_ns / 1e6
            case End():
                self.has_ended = True
            case _:
                pass

    def _interval(self, interval: Interval, heard_unix_s: float) -> Point | None:
        if self.window_unix_s is None:
            # An older generator does not say when its window began.
            self.window_unix_s = heard_unix_s - interval.end_s
        if interval.generators:
            health = {each.generator_index: each.health for each in interval.generators}
        else:
            health = {WHOLE: interval.generator}
        for index, told in health.items():
            view = self._generator(index)
            lag = decode_histogram(told.loop_lag_histogram)
            view.lag_p99_ms = finite(quantile_ms(lag, 0.99))
            view.busiest_worker_share = told.busiest_worker_share
            view.heard_unix_s = heard_unix_s
        if interval.reconnects > (interval.renewals or 0):
            self.marks.append((interval.end_s, "reconnects", ""))
        return point_of(interval, self.planned, self.started_ms, self.window_unix_s)

    def _generator(self, index: int) -> GeneratorView:
        if index not in self.generators:
            parts = self.planned.generator_plan.generators
            host = parts[index].host if 0 <= index < len(parts) else ""
            self.generators[index] = GeneratorView(index, host)
        return self.generators[index]

    def _take_usage(self, line: JsonObject) -> None:
        try:
            usage = HOST_USAGE.validate_python(line["usage"])
        except (KeyError, ValueError):
            return
        self.usages[usage.host] = usage


def started_ms(clock: dict[str, float]) -> int:
    """Return when an attempt began, which tells it from others; 0 where nobody said it."""
    return round(clock.get("started_unix_s", 0.0) * 1000)


def _unix_s(start: WindowStart) -> float:
    return start.unix_ns / 1e9
