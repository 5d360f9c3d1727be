"""Samples the host and the watched processes in the background while a trial runs.

The table has one row per interval and the columns of ``RESOURCES_SCHEMA``. ``time_s`` is the
interval's end on CLOCK_MONOTONIC, the clock of ``time.monotonic()`` and of the load engine.
A value is null where this machine does not tell, or where no process of a role is left.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Self

import polars as pl
import psutil

from dbdyno.table_builder import Row, TableBuilder
from dbdyno.watch.counters import (
    HOST_COUNTERS,
    HOST_LEVELS,
    PROCESS_COUNTERS,
    PROCESS_LEVELS,
    Reading,
    children,
    host_reading,
    process_reading,
    thread_switches,
)

ROLES = ("server", "generator")

STOP_LIMIT_S = 10.0


def _column_type(name: str) -> pl.DataType:
    return pl.Float64() if name.endswith(("_s", "_share")) else pl.Int64()


_HOST_COLUMNS = [f"host_{name}" for name in (*HOST_COUNTERS, "busiest_cpu_share", *HOST_LEVELS)]
_ROLE_LEVELS = ("resident_bytes", "threads")
_PROCESS_COLUMNS = [
    f"{role}_{name}" for role in ROLES for name in (*PROCESS_COUNTERS, *_ROLE_LEVELS)
]

RESOURCES_SCHEMA = pl.Schema(
    {
        name: _column_type(name)
        for name in ("time_s", "duration_s", *_HOST_COLUMNS, *_PROCESS_COLUMNS)
    }
)
"""``resources.parquet``: counters are what was added in the interval of ``duration_s``."""


class Sampler:
    """A thread that takes a row each interval; as a context manager it samples what is inside.

    ``processes`` are process numbers by role (``ROLES``); those of one role are added up, and the
    processes that they start with them.
    """

    def __init__(self, processes: Mapping[str, Iterable[int]], interval_s: float = 1.0) -> None:
        self._host = _HostWatch()
        self._roles = {role: _RoleWatch(processes.get(role, ())) for role in ROLES}
        self._interval_s = interval_s
        self._rows = TableBuilder(RESOURCES_SCHEMA)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._sample, name="sampler", daemon=True)

    def start(self) -> None:
        """Begin with the first interval."""
        self._thread.start()

    def stop(self) -> None:
        """End at once; the interval that has begun is left out."""
        self._stopping.set()
        self._thread.join(STOP_LIMIT_S)

    def table(self) -> pl.DataFrame:
        """Return the rows so far."""
        return self._rows.table()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def _sample(self) -> None:
        """Take rows at multiples of the interval; one that is missed makes the next one longer."""
        self._row()
        due_s = last_s = time.monotonic()
        while True:
            due_s += self._interval_s * max(1, math.ceil((last_s - due_s) / self._interval_s))
            if self._stopping.wait(due_s - time.monotonic()):
                return
            row = self._row()
            now_s = time.monotonic()
            self._rows.add([{"time_s": now_s, "duration_s": now_s - last_s, **row}])
            last_s = now_s

    def _row(self) -> Row:
        row = {f"host_{name}": value for name, value in self._host.row().items()}
        for role, watch in self._roles.items():
            row |= {f"{role}_{name}": value for name, value in watch.row().items()}
        return row


class _HostWatch:
    """The host, with its counters as they were a moment ago."""

    def __init__(self) -> None:
        self._last: Reading = {}
        self._last_cpus: list[tuple[float, float]] = []

    def row(self) -> Row:
        """Return what was added since the last call, and the levels of now."""
        reading, cpus = host_reading()
        row = _added(HOST_COUNTERS, self._last, reading)
        row |= {name: reading[name] for name in HOST_LEVELS}
        row["busiest_cpu_share"] = _busiest_share(self._last_cpus, cpus)
        self._last, self._last_cpus = reading, cpus
        return row


class _RoleWatch:
    """The processes of one role: those that are named, and those that they have started.

    A server with a process for each connection shares most of its memory among them; of the shared
    parts, which overlap, the largest counts.
    """

    def __init__(self, process_ids: Iterable[int]) -> None:
        self._roots = tuple(process_ids)
        self._processes: dict[int, _ProcessWatch] = {}

    def row(self) -> Row:
        """Add up the processes that are still there."""
        self._find_processes()
        rows = [row for process in self._processes.values() if (row := process.row()) is not None]
        row = {name: _sum(rows, name) for name in (*PROCESS_COUNTERS, "threads")}
        shared = max((row["shared_bytes"] or 0.0 for row in rows), default=None)
        row["resident_bytes"] = (
            None if shared is None else shared + (_sum(rows, "private_bytes") or 0)
        )
        return row

    def _find_processes(self) -> None:
        present = [*self._roots, *(child for root in self._roots for child in children(root))]
        is_first_look = not self._processes
        self._processes = {
            process_id: self._processes.get(process_id)
            or _ProcessWatch(process_id, was_there=is_first_look)
            for process_id in present
        }


class _ProcessWatch:
    """One process, with its counters as they were a moment ago."""

    def __init__(self, process_id: int, *, was_there: bool) -> None:
        """Watch from now on.

        All that a process did which was not there before has just been done.
        """
        try:
            self._process: psutil.Process | None = psutil.Process(process_id)
        except psutil.NoSuchProcess:
            self._process = None
        self._last: Reading = {} if was_there else dict.fromkeys(PROCESS_COUNTERS, 0.0)
        self._last_switches: dict[int, tuple[int, int]] | None = None if was_there else {}

    def row(self) -> Row | None:
        """Return what was added since the last call, and the levels of now; None when gone."""
        if self._process is None:
            return None
        reading = process_reading(self._process)
        if reading is None:
            self._process = None
            return None
        switches = thread_switches(self._process)
        row = _added(PROCESS_COUNTERS, self._last, reading)
        row |= {name: reading[name] for name in PROCESS_LEVELS}
        row |= _added_switches(self._last_switches, switches)
        self._last, self._last_switches = reading, switches
        return row


def _added(names: Iterable[str], last: Reading, now: Reading) -> Row:
    return {
        name: now[name] - last[name] if name in now and name in last else None for name in names
    }


def _added_switches(
    last: dict[int, tuple[int, int]] | None, now: dict[int, tuple[int, int]] | None
) -> Row:
    """Add up over threads. A new thread counts from zero; what one did before it ended is lost."""
    if last is None or now is None:
        return {"voluntary_switches": None, "involuntary_switches": None}
    before = ((now[thread], last.get(thread, (0, 0))) for thread in now)
    added = [(new[0] - old[0], new[1] - old[1]) for new, old in before]
    return {
        "voluntary_switches": sum(voluntary for voluntary, _ in added),
        "involuntary_switches": sum(involuntary for _, involuntary in added),
    }


def _busiest_share(last: list[tuple[float, float]], now: list[tuple[float, float]]) -> float | None:
    """Return how much of its time the busiest CPU was busy; None where CPUs came or went."""
    if len(last) != len(now):
        return None
    added = [(new[0] - old[0], new[1] - old[1]) for old, new in zip(last, now, strict=True)]
    # Both are sums of floats: all may come out as a little more than all.
    shares = [min(1.0, busy_s / total_s) for busy_s, total_s in added if total_s > 0]
    return max(shares, default=None)


def _sum(rows: list[Row], name: str) -> float | None:
    """Add up over processes; a sum of which a part is not told is not known."""
    values = [value for row in rows if (value := row[name]) is not None]
    return sum(values) if values and len(values) == len(rows) else None
