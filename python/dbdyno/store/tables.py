"""From a generator's events (ARCHITECTURE.md) to the tables that are stored."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from dbdyno.store.layout import (
    GENERATOR_CLAMPS,
    GENERATOR_NAPS,
    GENERATOR_PAUSES,
    GENERATOR_SWITCHES,
    GENERATOR_TIMES,
    STATEMENT_KINDS,
)
from dbdyno.table_builder import Row
from dbdyno.times import Event

OPTIONAL = ("renewals", "renewal_s", "round_trips", "longest_gap_s")
"""What not every generator tells of an interval."""


def interval_columns(interval: Event) -> dict[str, Any]:
    """Return the columns that say which interval a row is of."""
    return {name: interval[name] for name in ("phase", "index", "start_s", "duration_s")}


def generator_row(interval: Event) -> Row:
    """Return what the generator did in an interval; see ``GENERATOR_SCHEMA``."""
    generator = interval["generator"]
    return (
        interval_columns(interval)
        | {f"statements_{kind}": interval["statements"][kind] for kind in STATEMENT_KINDS}
        | {"live_clients": interval["live_clients"], "reconnects": interval["reconnects"]}
        | {name: interval.get(name) for name in OPTIONAL}
        | {name: generator[name] for name in GENERATOR_TIMES + GENERATOR_SWITCHES}
        | {name: generator.get(name) for name in (*GENERATOR_PAUSES, *GENERATOR_NAPS)}
        | {GENERATOR_CLAMPS: generator.get(GENERATOR_CLAMPS)}
        | {"loop_lag_overflow": int(generator.get("loop_lag_overflow", 0))}
    )


def error_rows(interval: Event) -> Iterator[Row]:
    """Yield a row for each error of an interval; see ``ERROR_SCHEMA``."""
    yield from (interval_columns(interval) | error for error in interval["errors"])


def host_rows(interval: Event) -> Iterator[Row]:
    """Yield a row for each host, none where there is one host; see ``HOST_SCHEMA``."""
    yield from (interval_columns(interval) | host for host in interval.get("hosts", ()))


def total_errors(errors: pl.DataFrame) -> list[dict[str, Any]]:
    """Return errors summed by phase and kind, the most frequent first, each with a sample."""
    totals = errors.group_by("phase", "class", "code", "sqlstate", maintain_order=True).agg(
        pl.col("count").sum(), pl.col("sample").first()
    )
    return totals.sort("count", descending=True, maintain_order=True).to_dicts()


def write_table(table: pl.DataFrame, path: Path) -> None:
    """Write a table as Parquet; OSError when the disk refuses it (Polars would not say that)."""
    parquet = io.BytesIO()
    table.write_parquet(parquet)
    path.write_bytes(parquet.getvalue())
