"""The histograms of a trial: every interval's in one log, the window's merged in another.

Merging is done once, when a trial ends, and so are the percentiles of single intervals that charts
show: a campaign of many long trials has millions of histograms, and a report must not decode them
all again. Only one interval is held in memory at a time.

The log of the window has a second line a tag where transactions that were under way at its end
ended in the drain. Their times count as the window's, but those who ask what its clients did within
it must be able to tell them apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dbdyno._native import Histogram
from dbdyno.errors import InputError
from dbdyno.protocol.intervals import TIMES, Interval
from dbdyno.store import layout
from dbdyno.store.columns import PERCENTILE_SCHEMA
from dbdyno.store.histogram_log import HistogramLog, LogLine, read_histogram_log
from dbdyno.store.stored_histograms import EMPTY, StoredHistogram, StoredHistograms
from dbdyno.store.tables import write_table
from dbdyno.table_builder import Row, TableBuilder
from dbdyno.times import Times, decode_histogram, finite, merge_all, own_times, quantile_ms

CHARTED = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
"""The quantiles of single intervals that are stored, by their names."""


class IntervalTimes:
    """All times of one interval, those that came late among them."""

    def __init__(self, interval: Interval, late: Iterable[Times] = ()) -> None:
        self.interval = interval
        self._histograms: dict[tuple[str, str], Histogram] = {}
        self._texts: dict[tuple[str, str], str] = {}
        for times in own_times(interval):
            self._histograms[times.transaction, times.measure] = times.decode()
            self._texts[times.transaction, times.measure] = times.sent.text
        for times in late:
            key = times.transaction, times.measure
            self._histograms.setdefault(key, Histogram()).merge(times.decode())
            self._texts.pop(key, None)

    @property
    def transactions(self) -> list[str]:
        """The kinds of transactions that have times."""
        return list(dict.fromkeys(transaction for transaction, _ in self._histograms))

    def count(self, transaction: str, measure: str) -> int:
        """Return how many times there are."""
        histogram = self._histograms.get((transaction, measure))
        return histogram.count if histogram else 0

    def overflow(self, transaction: str, measure: str) -> int:
        """Return how many of them lie beyond the histogram's range."""
        histogram = self._histograms.get((transaction, measure))
        return histogram.overflow if histogram else 0

    def of(self, measure: str) -> dict[str, Histogram]:
        """Return one measure of each kind of transaction."""
        return {name: each for (name, what), each in self._histograms.items() if what == measure}

    def tagged(self) -> Iterator[tuple[str, Histogram, str]]:
        """Yield tag, histogram and text of each histogram of the interval."""
        for key, histogram in self._histograms.items():
            text = self._texts.get(key) or histogram.encode()
            yield ".".join(key), histogram, text
        loop_lag = self.interval.generator.loop_lag_histogram
        yield layout.LOOP_LAG_TAG, decode_histogram(loop_lag), loop_lag.text


class HistogramWriter:
    """Takes the intervals of a trial in and writes both logs and the percentiles; for ``with``."""

    def __init__(
        self,
        folder: Path,
        *,
        zero_unix_s: float,
        length_s: Mapping[str, float],
        has_several_kinds: bool,
    ) -> None:
        """``zero_unix_s`` is the wall time of the start of the window, ``length_s`` by phase."""
        self._folder = folder
        self._zero_unix_s = zero_unix_s
        self._length_s = length_s
        self._has_several_kinds = has_several_kinds
        self._log = HistogramLog(folder / layout.HISTOGRAMS_FILE, zero_unix_s)
        self._percentiles = TableBuilder(PERCENTILE_SCHEMA)
        self._merged: dict[str, dict[str, Histogram]] = {
            phase: defaultdict(Histogram) for phase in (layout.Phase.WINDOW, layout.Phase.DRAIN)
        }

    def add(self, times: IntervalTimes) -> None:
        """Take one interval in; they come in order."""
        interval = times.interval
        merged = self._merged.get(interval.phase)
        for tag, histogram, text in times.tagged():
            start_s, duration_s = interval.start_s, interval.duration_s
            self._log.write(LogLine(tag, start_s, duration_s, histogram.max_ns, text))
            if merged is not None:
                merged[tag].merge(histogram)
        if interval.phase == layout.Phase.WINDOW:
            self._percentiles.add(_percentile_rows(times, self._has_several_kinds))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._log.__exit__(kind, error, traceback)
        if error is None:
            write_table(self._percentiles.table(), self._folder / layout.PERCENTILES_FILE)
            with HistogramLog(self._folder / layout.WINDOW_FILE, self._zero_unix_s) as log:
                for line in self._window_lines():
                    log.write(line)

    def _window_lines(self) -> Iterator[LogLine]:
        """Yield the window's lines, and those of what was under way at its end."""
        window_s = self._length_s.get(layout.Phase.WINDOW, 0.0)
        drain_s = self._length_s.get(layout.Phase.DRAIN, 0.0)
        for tag, histogram in self._merged[layout.Phase.WINDOW].items():
            yield _merged_line(tag, 0.0, window_s, histogram)
        for tag, histogram in self._merged[layout.Phase.DRAIN].items():
            if window_s and histogram.count and tag != layout.LOOP_LAG_TAG:
                yield _merged_line(tag, window_s, drain_s, histogram)


def _merged_line(tag: str, start_s: float, length_s: float, histogram: Histogram) -> LogLine:
    return LogLine(tag, start_s, length_s, histogram.max_ns, histogram.encode())


def _percentile_rows(times: IntervalTimes, has_several_kinds: bool) -> Iterator[Row]:
    response = times.of("response")
    if has_several_kinds:
        response[layout.ALL_TRANSACTIONS] = merge_all(response.values())
    for transaction, histogram in response.items():
        figures = {
            f"response_{name}_ms": finite(quantile_ms(histogram, quantile))
            for name, quantile in CHARTED.items()
        }
        place = {"index": times.interval.index, "start_s": times.interval.start_s}
        yield place | {"transaction": transaction} | figures


@dataclass(frozen=True)
class WindowHistograms:
    """What the log of a window holds, by transaction and measure.

    ``drained`` is of what was under way at the window's end and ended in the drain; empty where an
    older version wrote the log.
    """

    window: StoredHistograms
    drained: StoredHistograms
    loop_lag: StoredHistogram


def read_window(path: Path, intervals: pl.DataFrame, generator: pl.DataFrame) -> WindowHistograms:
    """Read the log of a window; the tables of counters have what lies beyond the range."""
    window, drain = layout.Phase.WINDOW, layout.Phase.DRAIN
    parts: dict[layout.Phase, dict[str, StoredHistogram]] = {window: {}, drain: {}}
    counts: dict[layout.Phase, dict[str, int]] = {window: {}, drain: {}}
    sums = _sums_by_phase(intervals)
    beyond = {phase: _overflow(sums[phase]) for phase in parts}
    beyond[window][layout.LOOP_LAG_TAG] = _loop_lag_overflow(generator)
    for line in read_histogram_log(path):
        phase = drain if line.start_s > 0 else window
        stored = StoredHistogram(line.text, beyond[phase].get(line.tag, 0))
        parts[phase][line.tag] = stored
        counts[phase][line.tag] = _count(path, line.tag, stored)
    for phase, counted in counts.items():
        if counted or phase == layout.Phase.WINDOW:
            _check_counts(path, counted, sums[phase])
    loop_lag = parts[window].pop(layout.LOOP_LAG_TAG, EMPTY)
    by_kind = {
        phase: StoredHistograms({_split(tag): stored for tag, stored in found.items()})
        for phase, found in parts.items()
    }
    return WindowHistograms(by_kind[window], by_kind[drain], loop_lag)


def _split(tag: str) -> tuple[str, str]:
    transaction, _, measure = tag.rpartition(".")
    return transaction, measure


def _count(path: Path, tag: str, stored: StoredHistogram) -> int:
    """Return how many times a histogram holds; InputError where it is damaged."""
    try:
        return stored.decode().count
    except ValueError as error:
        raise InputError(f"{path}: {tag} is damaged: {error}") from error


def _check_counts(path: Path, counted: Mapping[str, int], sums: _Sums) -> None:
    """Refuse histograms of another trial: the intervals tell how many times there are.

    Where an older version wrote them, each transaction that ended well has its times.
    """
    timed = (transaction for transaction, measure in map(_split, counted) if measure in TIMES)
    for transaction in dict.fromkeys((*sums, *timed)):
        columns = sums.get(transaction, {"committed": 0, "rolled_back": 0})
        done = columns["committed"] + columns["rolled_back"]
        expected = columns.get("response_count", done)
        for measure in TIMES:
            tag = f"{transaction}.{measure}"
            recorded = counted.get(tag, 0)
            if recorded != expected:
                raise InputError(
                    f"{path} does not belong to {layout.INTERVALS_FILE} beside it: {tag} holds "
                    f"{recorded} times, and {expected} transactions were committed or rolled back, "
                    "as if one of the two files were another trial's"
                )


_Sums = dict[str, dict[str, int]]
"""By kind of transaction, the sum of each column over all intervals of a phase."""

_SUMMED = (
    *("committed", "rolled_back", "response_count"),
    *(f"{measure}_overflow" for measure in layout.TIMES),
)


def _sums_by_phase(intervals: pl.DataFrame) -> defaultdict[str, _Sums]:
    """Sum up what histograms are held against, in one go for all phases."""
    names = [name for name in _SUMMED if name in intervals.columns]
    columns = (intervals[name] for name in names)
    known = {
        column.name: (column.fill_null(0) if column.null_count() else column).to_numpy()
        for column in columns
    }
    kinds = _places(intervals["transaction"])
    found: defaultdict[str, _Sums] = defaultdict(dict)
    for phase, is_in_phase in _places(intervals["phase"]).items():
        for kind, is_of_kind in kinds.items():
            rows = is_in_phase & is_of_kind
            if rows.any():
                sums = {name: int(values[rows].sum()) for name, values in known.items()}
                found[phase][kind] = sums
    return found


def _places(texts: pl.Series) -> dict[str, NDArray[np.bool_]]:
    """Return for each text where it stands."""
    return {text: (texts == text).to_numpy() for text in dict.fromkeys(texts.to_list())}


def _overflow(sums: _Sums) -> dict[str, int]:
    """Return by tag how many values lie beyond the range, in all intervals of a phase."""
    return {
        f"{transaction}.{measure}": columns.get(f"{measure}_overflow", 0)
        for transaction, columns in sums.items()
        for measure in layout.TIMES
    }


def _loop_lag_overflow(generator: pl.DataFrame) -> int:
    """Return how many delays of the generator's loop lie beyond the range, in the window."""
    if not generator["loop_lag_overflow"].max():
        return 0
    return int(generator.filter(phase=layout.Phase.WINDOW)["loop_lag_overflow"].sum())
