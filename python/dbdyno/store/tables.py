"""From a generator's events (ARCHITECTURE.md) to the tables that are stored."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl

from dbdyno.contained_files import write_file
from dbdyno.protocol.intervals import Interval, SentHistogram
from dbdyno.store.layout import (
    GENERATOR_CLAMPS,
    GENERATOR_COUNTS,
    GENERATOR_NAPS,
    GENERATOR_PAUSES,
    GENERATOR_SWITCHES,
    GENERATOR_TIMES,
    LAG_OF_ONE,
    NEW_ORDERS_OF_ONE,
    STATEMENT_KINDS,
)
from dbdyno.store.model import ErrorTotal
from dbdyno.table_builder import Row
from dbdyno.times import decode_histogram, finite, quantile_ms

OF_INTERVAL = (
    "live_clients",
    "reconnects",
    "renewals",
    "renewal_s",
    "round_trips",
    "unread_s",
    "longest_gap_s",
)
OF_GENERATOR = (
    *(*GENERATOR_TIMES, *GENERATOR_SWITCHES, *GENERATOR_PAUSES, *GENERATOR_NAPS),
    *(GENERATOR_CLAMPS, "loop_lag_overflow"),
)
OF_HOST = ("host", "transactions", "live_clients")


def columns_of(part: object, names: Iterable[str]) -> Row:
    """Return fields of a part of an event as columns of the same names."""
    return {name: getattr(part, name) for name in names}


def interval_columns(interval: Interval) -> Row:
    """Return the columns that say which interval a row is of."""
    return columns_of(interval, ("phase", "index", "start_s", "duration_s"))


def generator_row(interval: Interval) -> Row:
    """Return what the generator did in an interval; see ``GENERATOR_SCHEMA``."""
    statements = columns_of(interval.statements, STATEMENT_KINDS)
    return (
        interval_columns(interval)
        | {f"statements_{kind}": count for kind, count in statements.items()}
        | columns_of(interval, OF_INTERVAL)
        | columns_of(interval.generator, OF_GENERATOR)
    )


def error_rows(interval: Interval) -> Iterator[Row]:
    """Yield a row for each error of an interval; see ``ERROR_SCHEMA``."""
    for error in interval.errors:
        told = columns_of(error, ("code", "sqlstate", "count", "sample"))
        yield interval_columns(interval) | {"class": error.error_class} | told


def host_rows(interval: Interval) -> Iterator[Row]:
    """Yield a row for each host, none where there is one host; see ``HOST_SCHEMA``."""
    yield from (interval_columns(interval) | columns_of(host, OF_HOST) for host in interval.hosts)


def generators_rows(interval: Interval) -> Iterator[Row]:
    """Yield a row for each of several generators, none of one; see ``GENERATORS_SCHEMA``."""
    for part in interval.generators:
        yield (
            interval_columns(interval)
            | {"generator": part.generator_index}
            | columns_of(part, (*GENERATOR_COUNTS, NEW_ORDERS_OF_ONE))
            | columns_of(part.health, (*GENERATOR_TIMES, *GENERATOR_PAUSES))
            | {LAG_OF_ONE: _p99_ms(part.health.loop_lag_histogram)}
        )


def _p99_ms(sent: SentHistogram) -> float | None:
    return finite(quantile_ms(decode_histogram(sent), 0.99))


def total_errors(errors: pl.DataFrame) -> tuple[ErrorTotal, ...]:
    """Return errors summed by phase and kind, the most frequent first, each with a sample."""
    if errors.is_empty():
        return ()
    totals = errors.group_by("phase", "class", "code", "sqlstate", maintain_order=True).agg(
        pl.col("count").sum(), pl.col("sample").first()
    )
    in_order = totals.sort("count", descending=True, maintain_order=True)
    return tuple(ErrorTotal(*row) for row in in_order.iter_rows())


def write_table(table: pl.DataFrame, path: Path) -> None:
    """Write a table as Parquet; OSError when the disk refuses it (Polars would not say that)."""
    parquet = io.BytesIO()
    table.write_parquet(parquet)
    write_file(path, parquet.getvalue())
