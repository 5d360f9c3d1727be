"""The histograms of a trial: every interval's in one log, the window's merged in another.

Merging is done once, when a trial ends, and so are the percentiles of single intervals that charts
show: a campaign of many long trials has millions of histograms, and a report must not decode them
all again. Only one interval is held in memory at a time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from dbdyno._native import Histogram
from dbdyno.errors import InputError
from dbdyno.store import layout
from dbdyno.store.histogram_log import HistogramLog, LogLine, read_histogram_log
from dbdyno.store.tables import overflow, write_table

Interval = Mapping[str, Any]
PercentileRow = tuple[int, float, str, float | None, float | None, float | None, float | None]


def merge_all(histograms: Iterable[Histogram]) -> Histogram:
    """Return a new histogram of everything that is in ``histograms``."""
    merged = Histogram()
    for histogram in histograms:
        merged.merge(histogram)
    return merged


def write_histograms(folder: Path, intervals: Sequence[Interval], zero_unix_s: float) -> None:
    """Write both logs and the percentiles of the window's intervals into a trial's folder.

    ``zero_unix_s`` is the wall time of the start of the window.
    """
    merged: dict[str, Histogram] = defaultdict(Histogram)
    rows: list[PercentileRow] = []
    several_kinds = len({name for interval in intervals for name in interval["transactions"]}) > 1
    with HistogramLog(folder / layout.HISTOGRAMS_FILE, zero_unix_s) as log:
        for interval in intervals:
            decoded = {}
            for tag, text, beyond in _tagged(interval):
                decoded[tag] = Histogram.decode(text, beyond)
                log.write(_line(interval, tag, decoded[tag].max_ns, text))
            if interval["phase"] == layout.Phase.WINDOW:
                for tag, histogram in decoded.items():
                    merged[tag].merge(histogram)
                rows.extend(_percentile_rows(interval, decoded, several_kinds))
    _write_window(folder / layout.WINDOW_FILE, merged, intervals, zero_unix_s)
    percentiles = pl.DataFrame(rows, schema=layout.PERCENTILE_SCHEMA, orient="row")
    write_table(percentiles, folder / layout.PERCENTILES_FILE)


def _tagged(interval: Interval) -> Iterator[tuple[str, str, int]]:
    """Yield tag, text and overflow of all histograms of an interval."""
    for transaction, counters in interval["transactions"].items():
        for measure in layout.MEASURES:
            yield f"{transaction}.{measure}", counters[measure], overflow(counters, measure)
    generator = interval["generator"]
    yield layout.LOOP_LAG_TAG, generator["loop_lag"], overflow(generator, "loop_lag")


def _line(interval: Interval, tag: str, max_ns: int, text: str) -> LogLine:
    return LogLine(tag, interval["start_s"], interval["duration_s"], max_ns, text)


def _percentile_rows(
    interval: Interval, decoded: Mapping[str, Histogram], several_kinds: bool
) -> Iterator[PercentileRow]:
    response = {name: decoded[f"{name}.response"] for name in interval["transactions"]}
    if several_kinds:
        response[layout.ALL_TRANSACTIONS] = merge_all(response.values())
    for transaction, histogram in response.items():
        p50, p95, p99, largest = (
            _milliseconds(histogram.quantile_ns(quantile)) for quantile in (0.5, 0.95, 0.99, 1.0)
        )
        yield interval["index"], interval["start_s"], transaction, p50, p95, p99, largest


def _milliseconds(value_ns: int | None) -> float | None:
    return None if value_ns is None else value_ns / 1e6


def _write_window(
    path: Path, merged: Mapping[str, Histogram], intervals: Sequence[Interval], zero_unix_s: float
) -> None:
    window_s = sum(
        interval["duration_s"] for interval in intervals if interval["phase"] == layout.Phase.WINDOW
    )
    with HistogramLog(path, zero_unix_s) as log:
        for tag, histogram in merged.items():
            log.write(LogLine(tag, 0.0, window_s, histogram.max_ns, histogram.encode()))


def read_window(
    path: Path, intervals: pl.DataFrame, generator: pl.DataFrame
) -> tuple[dict[tuple[str, str], Histogram], Histogram]:
    """Return the window's histograms by (transaction, measure), and that of the loop lag.

    The tables of counters have what lies beyond the histograms' range.
    """
    beyond = _window_overflow(intervals, generator)
    decoded = {line.tag: _decode(path, line, beyond) for line in read_histogram_log(path)}
    _check_counts(path, decoded, intervals)
    loop_lag = decoded.pop(layout.LOOP_LAG_TAG, None) or Histogram()
    by_transaction = {}
    for tag, histogram in decoded.items():
        transaction, _, measure = tag.rpartition(".")
        by_transaction[transaction, measure] = histogram
    return by_transaction, loop_lag


def _decode(path: Path, line: LogLine, beyond: Mapping[str, int]) -> Histogram:
    try:
        return Histogram.decode(line.text, beyond.get(line.tag, 0))
    except ValueError as error:
        raise InputError(f"{path}: {line.tag} is damaged: {error}") from error


def _check_counts(path: Path, decoded: Mapping[str, Histogram], intervals: pl.DataFrame) -> None:
    """Refuse histograms of another trial: each transaction that ended well has its times in them.

    Those that failed have none, nor those that were dropped.
    """
    window = intervals.filter(phase=layout.Phase.WINDOW).group_by("transaction")
    ended_well = window.agg((pl.col("committed") + pl.col("rolled_back")).sum())
    for transaction, ended in ended_well.iter_rows():
        for measure in layout.MEASURES:
            tag = f"{transaction}.{measure}"
            recorded = decoded[tag].count if tag in decoded else 0
            if recorded != ended:
                raise InputError(
                    f"{path} does not belong to {layout.INTERVALS_FILE} beside it: {tag} holds "
                    f"{recorded} times, and {ended} transactions were committed or rolled back, "
                    "as if one of the two files were another trial's"
                )


def _window_overflow(intervals: pl.DataFrame, generator: pl.DataFrame) -> dict[str, int]:
    window = intervals.filter(phase=layout.Phase.WINDOW).group_by("transaction")
    sums = window.agg(pl.col(f"{measure}_overflow").sum() for measure in layout.MEASURES)
    beyond = {
        f"{row['transaction']}.{measure}": int(row[f"{measure}_overflow"])
        for row in sums.iter_rows(named=True)
        for measure in layout.MEASURES
    }
    loop_lag = generator.filter(phase=layout.Phase.WINDOW)["loop_lag_overflow"].sum()
    return beyond | {layout.LOOP_LAG_TAG: int(loop_lag)}
