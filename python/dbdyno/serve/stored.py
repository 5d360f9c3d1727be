"""Trials that are over, read back from what is stored of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from dbdyno.errors import InputError
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.host_usage import HostUsage, usage_of
from dbdyno.json_documents import read_document
from dbdyno.protocol.intervals import Phase
from dbdyno.resources import HOST
from dbdyno.serve.points import Point, stored_points
from dbdyno.serve.trial_view import started_ms
from dbdyno.store import layout
from dbdyno.store.record import (
    TRIAL,
    TrialRecord,
)
from dbdyno.store.trial_tables import StoredTables


@dataclass(frozen=True)
class StoredTrial:
    """A trial's intervals, and what hosts did on the mean of its window."""

    started_ms: int
    points: tuple[Point, ...]
    usages: tuple[HostUsage, ...]


def read_stored(directory: Path, planned: PlannedTrial) -> StoredTrial | None:
    """Return a trial that is over; None where it left no intervals, or none that can be read."""
    folder = layout.trial_directory(directory, planned.number)
    tables = StoredTables(folder)
    try:
        record = read_document(folder / layout.TRIAL_FILE, TRIAL)
        begun_ms = started_ms(record.clock)
        points = stored_points(tables, planned, begun_ms, _window_unix_s(record))
        return StoredTrial(begun_ms, tuple(points), _usages(tables))
    except (InputError, pl.exceptions.PolarsError):
        return None


def window_throughput_per_s(directory: Path, number: int) -> float | None:
    """Return the mean throughput of a trial's window; None where there is none."""
    try:
        table = StoredTables(layout.trial_directory(directory, number)).intervals()
    except InputError:
        return None
    window = table.filter(pl.col("phase") == Phase.WINDOW.value)
    duration_s = float(window.unique("index")["duration_s"].sum())
    ended = int((window["committed"] + window["rolled_back"]).sum())
    return ended / duration_s if duration_s else None


def _window_unix_s(record: TrialRecord) -> float:
    if record.window_start is not None:
        return record.window_start.unix_ns / 1e9
    return record.clock.get("started_unix_s", 0.0)


def _usages(tables: StoredTables) -> tuple[HostUsage, ...]:
    """Return what each host did on the mean of the window, as far as anybody watched it."""
    table = tables.resources()
    if table is None:
        return ()
    window = table.filter(pl.col("role").cast(pl.String) == HOST, pl.col("start_s") >= 0)
    usages = []
    for (host,), of_host in window.group_by("host", maintain_order=True):
        sums = of_host.group_by("metric").agg(pl.col("value").sum())
        duration_s = float(of_host.unique("start_s")["duration_s"].sum())
        values = dict(zip(sums["metric"].cast(pl.String), sums["value"], strict=True))
        usages.append(usage_of(str(host), duration_s, values))
    return tuple(usage for usage in usages if usage is not None)
