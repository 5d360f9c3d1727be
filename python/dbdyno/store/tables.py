"""From a generator's events (ARCHITECTURE.md) to the tables that are stored."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from dbdyno.store.layout import (
    COUNTERS,
    ERROR_SCHEMA,
    GENERATOR_SCHEMA,
    GENERATOR_SWITCHES,
    GENERATOR_TIMES,
    HOST_SCHEMA,
    INTERVAL_SCHEMA,
    MEASURES,
    STATEMENT_KINDS,
)

Event = Mapping[str, Any]


def interval_events(events: Iterable[Event]) -> list[Event]:
    """Return the events that are intervals, in the order in which they came."""
    return [event for event in events if event["event"] == "interval"]


def intervals_table(intervals: Sequence[Event]) -> pl.DataFrame:
    """Return one row per interval and transaction kind; see ``INTERVAL_SCHEMA``."""
    rows = [
        _key(interval)
        | {"transaction": transaction}
        | {name: counters[name] for name in COUNTERS}
        | {f"{measure}_overflow": overflow(counters, measure) for measure in MEASURES}
        for interval in intervals
        for transaction, counters in interval["transactions"].items()
    ]
    return pl.DataFrame(rows, schema=INTERVAL_SCHEMA)


def generator_table(intervals: Sequence[Event]) -> pl.DataFrame:
    """Return one row per interval; see ``GENERATOR_SCHEMA``."""
    rows = [
        _key(interval)
        | {f"statements_{kind}": interval["statements"][kind] for kind in STATEMENT_KINDS}
        | {"live_clients": interval["live_clients"], "reconnects": interval["reconnects"]}
        | {name: interval.get(name) for name in ("renewals", "renewal_s", "round_trips")}
        | {name: interval["generator"][name] for name in GENERATOR_TIMES + GENERATOR_SWITCHES}
        | {"loop_lag_overflow": overflow(interval["generator"], "loop_lag")}
        for interval in intervals
    ]
    return pl.DataFrame(rows, schema=GENERATOR_SCHEMA)


def errors_table(intervals: Sequence[Event]) -> pl.DataFrame:
    """Return one row per interval and error; see ``ERROR_SCHEMA``."""
    rows = [_key(interval) | error for interval in intervals for error in interval["errors"]]
    return pl.DataFrame(rows, schema=ERROR_SCHEMA)


def hosts_table(intervals: Sequence[Event]) -> pl.DataFrame:
    """Return one row per interval and host, none where there is one host; see ``HOST_SCHEMA``."""
    rows = [_key(interval) | host for interval in intervals for host in interval.get("hosts", ())]
    return pl.DataFrame(rows, schema=HOST_SCHEMA)


def total_errors(errors: pl.DataFrame) -> list[dict[str, Any]]:
    """Return errors summed by phase and kind, the most frequent first, each with a sample."""
    totals = errors.group_by("phase", "class", "code", "sqlstate", maintain_order=True).agg(
        pl.col("count").sum(), pl.col("sample").first()
    )
    return totals.sort("count", descending=True, maintain_order=True).to_dicts()


def overflow(holder: Event, measure: str) -> int:
    """Return how many values were beyond the range of the histogram ``measure`` of ``holder``."""
    return int(holder.get(f"{measure}_overflow", 0))


def write_table(table: pl.DataFrame, path: Path) -> None:
    """Write a table as Parquet; OSError when the disk refuses it (Polars would not say that)."""
    parquet = io.BytesIO()
    table.write_parquet(parquet)
    path.write_bytes(parquet.getvalue())


def _key(interval: Event) -> dict[str, Any]:
    return {name: interval[name] for name in ("phase", "index", "start_s", "duration_s")}
