"""From the events of a trial to its tables and histogram logs, however long the trial was.

The events are read twice and never held: first to learn what there is, then interval by interval.
Times that came late are fetched from the later event that brought them, by its place in the file.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from dbdyno.contained_files import open_to_read
from dbdyno.protocol.events import (
    Connected,
    End,
    GeneratorStanding,
    HostClock,
    Started,
    WarmupEnded,
    WindowStart,
    read_event,
)
from dbdyno.protocol.intervals import Interval, Phase
from dbdyno.store import columns, layout
from dbdyno.store.histograms import HistogramWriter, IntervalTimes
from dbdyno.store.json_lines import JsonObject, each_json_line
from dbdyno.store.tables import (
    columns_of,
    error_rows,
    generator_row,
    generators_rows,
    host_rows,
    interval_columns,
    write_table,
)
from dbdyno.table_builder import Row, TableBuilder
from dbdyno.times import IntervalKey, Times, key_of, late_times

EVENTS_KEPT = 16
"""So many of the later events that were fetched are kept: neighbours ask for the same ones."""


@dataclass
class Survey:
    """What a first look at a trial's events tells."""

    connected: Connected | None = None
    end: End | None = None
    window_start: WindowStart | None = None
    standings: list[GeneratorStanding] = field(default_factory=list)
    clocks: list[HostClock] = field(default_factory=list)
    warmup: WarmupEnded | None = None
    zero_unix_s: float | None = None
    """The wall time of the start of the window.

    Where the generator did not tell it, the first interval's arrival does. That is sent a little
    after its end, and so this is late by a few milliseconds then."""
    transactions: set[str] = field(default_factory=set)
    length_s: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """By phase."""
    late: dict[IntervalKey, list[int]] = field(default_factory=lambda: defaultdict(list))
    """The places of the later events that bring times of an interval."""

    def take(self, offset: int, line: JsonObject) -> None:
        """Take one line of the file in."""
        event = read_event(line["said"])
        if isinstance(event, Interval):
            self._take_interval(offset, event, line["received_unix_s"])
        elif isinstance(event, Connected):
            self.connected = event
        elif isinstance(event, GeneratorStanding):
            self.standings.append(event)
        elif isinstance(event, HostClock):
            self.clocks.append(event)
        elif isinstance(event, Started):
            self.window_start = event.window_start
            self.zero_unix_s = event.window_start.unix_ns / 1e9
        elif isinstance(event, WarmupEnded):
            self._take_warmup(event)
        elif isinstance(event, End):
            self.end = event

    def _take_warmup(self, warmup: WarmupEnded) -> None:
        self.warmup = warmup
        if warmup.window_start is not None:
            self.window_start = warmup.window_start
            self.zero_unix_s = warmup.window_start.unix_ns / 1e9

    def shifted(self, interval: Interval) -> Interval:
        """Return an interval as it counts from the window's start.

        A generator counts its warm-up from the start that was planned.
        """
        if self.warmup is None or interval.phase is not Phase.WARMUP:
            return interval
        return replace(
            interval,
            index=interval.index + self.warmup.early_intervals,
            start_s=interval.start_s + self.warmup.early_s,
        )

    def _take_interval(self, offset: int, interval: Interval, received_unix_s: float) -> None:
        if self.zero_unix_s is None:
            self.zero_unix_s = received_unix_s - interval.end_s
        self.transactions.update(interval.transactions)
        self.length_s[interval.phase] += interval.duration_s
        for key in {key for key, _ in late_times(interval)}:
            self.late[key].append(offset)


def convert_events(folder: Path, started_unix_s: float) -> Survey:
    """Write a trial's tables and logs beside its events, which stay; return what they tell.

    ``started_unix_s`` is when the trial began, for one that never had an interval.
    """
    path = folder / layout.EVENTS_FILE
    survey = Survey()
    with open_to_read(path) as file:
        for offset, line in each_json_line(file):
            survey.take(offset, line)
    with ExitStack() as stack:
        file, later = (stack.enter_context(open_to_read(path)) for _ in range(2))
        times = HistogramWriter(
            folder,
            zero_unix_s=started_unix_s if survey.zero_unix_s is None else survey.zero_unix_s,
            length_s=survey.length_s,
            has_several_kinds=len(survey.transactions) > 1,
        )
        tables = _Tables()
        stack.enter_context(times)
        lateness = _Lateness(later, survey.late)
        for _, line in each_json_line(file):
            event = read_event(line["said"])
            if isinstance(event, Interval):
                late = lateness.of(key_of(event))
                interval = IntervalTimes(survey.shifted(event), late)
                times.add(interval)
                tables.add(interval)
    tables.write(folder)
    return survey


class _Lateness:
    """Fetches what later events say of an interval."""

    def __init__(self, file: BinaryIO, places: dict[IntervalKey, list[int]]) -> None:
        self._file = file
        self._places = places
        self._event = lru_cache(EVENTS_KEPT)(self._read)

    def of(self, interval: IntervalKey) -> Iterator[Times]:
        for offset in self._places.get(interval, ()):
            yield from (times for key, times in self._event(offset) if key == interval)

    def _read(self, offset: int) -> list[tuple[IntervalKey, Times]]:
        self._file.seek(offset)
        event = read_event(json.loads(self._file.readline())["said"])
        assert isinstance(event, Interval), "the first look has noted where intervals are"
        return list(late_times(event))


class _Tables:
    """The tables of counters, as they grow."""

    def __init__(self) -> None:
        self._intervals = TableBuilder(columns.INTERVAL_SCHEMA)
        self._generator = TableBuilder(columns.GENERATOR_SCHEMA)
        self._errors = TableBuilder(columns.ERROR_SCHEMA)
        self._hosts = TableBuilder(columns.HOST_SCHEMA)
        self._generators = TableBuilder(columns.GENERATORS_SCHEMA)

    def add(self, times: IntervalTimes) -> None:
        self._intervals.add(_transaction_rows(times))
        self._generator.add([generator_row(times.interval)])
        self._errors.add(error_rows(times.interval))
        self._hosts.add(host_rows(times.interval))
        self._generators.add(generators_rows(times.interval))

    def write(self, folder: Path) -> None:
        write_table(self._intervals.table(), folder / layout.INTERVALS_FILE)
        write_table(self._generator.table(), folder / layout.GENERATOR_FILE)
        write_table(self._errors.table(), folder / layout.ERRORS_FILE)
        if not (hosts := self._hosts.table()).is_empty():
            write_table(hosts, folder / layout.HOSTS_FILE)
        if not (generators := self._generators.table()).is_empty():
            write_table(generators, folder / layout.GENERATORS_FILE)


def _transaction_rows(times: IntervalTimes) -> Iterable[Row]:
    """Yield a row for each kind of transaction, also one of which only times came, and late."""
    counted = times.interval.transactions
    nothing = dict.fromkeys(layout.COUNTERS, 0)
    for transaction in dict.fromkeys((*counted, *times.transactions)):
        is_counted = transaction in counted
        yield (
            interval_columns(times.interval)
            | {"transaction": transaction}
            | (columns_of(counted[transaction], layout.COUNTERS) if is_counted else nothing)
            | {
                f"{measure}_overflow": times.overflow(transaction, measure)
                for measure in layout.TIMES
            }
            | {
                column: times.count(transaction, measure)
                for measure, column in layout.TIME_COUNTS.items()
            }
        )
