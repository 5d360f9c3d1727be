"""Reads a table of a result, and refuses one that is not as its schema has it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from dbdyno.contained_files import scan_table
from dbdyno.errors import InputError
from dbdyno.store.layout import (
    COUNTERS,
    GENERATOR_CLAMPS,
    GENERATOR_NAPS,
    GENERATOR_PAUSES,
    LAG_OF_ONE,
    NEW_ORDERS_OF_ONE,
    TIME_COUNTS,
    TIMES,
)

KNOWN = {
    *("phase", "index", "start_s", "duration_s", "transaction", "host", "time_s"),
    *("count", "live_clients", *COUNTERS),
    *(f"{measure}_overflow" for measure in (*TIMES, "loop_lag")),
    *("member", "role", "metric", "value"),
}
"""Columns in which each row must have a value; another figure may be unknown."""

LATER = {
    *("turnaround_overflow", "failed_response_overflow", *TIME_COUNTS.values()),
    *("longest_gap_s", *GENERATOR_PAUSES, "round_trips", "unread_s", "renewals", "renewal_s"),
    *(GENERATOR_CLAMPS, *GENERATOR_NAPS, LAG_OF_ONE, NEW_ORDERS_OF_ONE),
}
"""Columns that results of earlier versions do not have."""

SIGNED = {"index", "code"}
"""Whole numbers that are no counts."""


def read_parquet(path: Path) -> pl.DataFrame:
    """Return a table as it is; InputError where it cannot be read."""
    try:
        return scan_table(path).collect()
    except BaseException as error:
        if not _is_about_a_file(error):
            raise
        if isinstance(error, Exception):
            raise InputError(f"{path} cannot be read: {error}") from error
        raise InputError(f"{path} is damaged and cannot be read") from error


def read_together(paths: Sequence[Path]) -> list[pl.DataFrame]:
    """Return tables as they are; InputError names the first one that cannot be read."""
    try:
        return pl.collect_all([scan_table(path) for path in paths])
    except BaseException as error:
        if not _is_about_a_file(error):
            raise
        return [read_parquet(path) for path in paths]


def _is_about_a_file(error: BaseException) -> bool:
    """Tell whether a file is at fault; Polars panics over some, and a panic is no Exception."""
    is_panic = type(error).__name__ == "PanicException"
    return is_panic or isinstance(error, OSError | pl.exceptions.PolarsError)


def checked(path: Path, table: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    """Return a table that has the columns of ``schema``; InputError where one is missing or wrong.

    It may have more of them.
    """
    columns = {column.name: column for column in table.get_columns()}
    for name, kind in schema.items():
        column = columns.get(name)
        if column is None and name in LATER:
            continue
        if column is None:
            raise InputError(
                f"{path} has no column {name}: it is damaged, or another version of dbdyno wrote it"
            )
        if column.dtype.base_type() is not kind.base_type():
            raise InputError(
                f"{path} is damaged: its column {name} should be {kind}, not {column.dtype}"
            )
        if name in KNOWN and column.null_count():
            raise InputError(f"{path} is damaged: its column {name} has rows without a value")
        if name not in SIGNED and kind.is_integer() and _has_negative(column):
            raise InputError(f"{path} is damaged: its column {name} has a count below 0")
    return table


def _has_negative(column: pl.Series) -> bool:
    least = column.min()
    return isinstance(least, int) and least < 0
