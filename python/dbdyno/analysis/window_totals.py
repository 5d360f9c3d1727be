"""What one trial measured in its window, as the plain figures that all of analysis starts from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dbdyno._native import Histogram
from dbdyno.analysis.interval_counts import (
    ENDED,
    FINISHED,
    SUMMED,
    Counts,
    IntervalCounts,
    count_intervals,
)
from dbdyno.analysis.series import Blocks, Values, blocks_of
from dbdyno.store.layout import STATEMENT_KINDS, Phase
from dbdyno.store.model import StoredTrial
from dbdyno.times import merge_all

WHOLE_SHARE_MIN = 0.95
"""An interval that is shorter than this share of the trial's interval is a partial one."""

KEPT_WINDOWS = 4
"""Many checks look at one trial before the next one is looked at; all of a result would be much."""

SUMS_OF_GENERATOR = ("round_trips", "unread_s", "renewals", "renewal_s", "naps", "napped_s")
"""What is added up over all trials of a cell, when their tables are not in memory any more."""


@dataclass(frozen=True, eq=False)
class WindowTotals:
    """A trial with its window's totals; arrays have one value per window interval, in order.

    ``totals`` has every counter of ``store.layout.COUNTERS`` summed over window and transactions;
    ``in_flight``, which is a level, is left out of it. ``generator_sums`` are of the window; None
    where an older generator did not tell.
    """

    trial: StoredTrial
    transactions: list[str]
    window_s: float
    totals: dict[str, int]
    counts: IntervalCounts
    statements: int
    throughput_per_s: float
    start_s: Values
    interval_duration_s: Values
    interval_throughput_per_s: Values
    generator_sums: dict[str, float | None]

    @property
    def interval_scheduled(self) -> Counts:
        """How many transactions were scheduled in each interval."""
        return self.counts.scheduled

    @property
    def interval_ended(self) -> Counts:
        """How many came to an end in each interval, failed ones included."""
        return self.counts.ended

    @property
    def in_flight(self) -> Counts:
        """How many were under way at the end of each interval."""
        return self.counts.in_flight

    @property
    def generator(self) -> pl.DataFrame:
        """The generator's own figures in the window, in order."""
        return _generator_in_window(self)

    @property
    def resources(self) -> Blocks | None:
        """What was watched in the trial, series by series; None where nothing was."""
        return _resources(self)

    @property
    def number(self) -> int:
        """The trial's number in the plan."""
        return self.trial.planned.number

    @property
    def ended(self) -> int:
        """How many transactions came to an end in the window, failed ones included."""
        return sum(self.totals[name] for name in ENDED)

    @property
    def whole(self) -> NDArray[np.bool_]:
        """Which intervals have their full length; the last one may be cut off by the window's end.

        A partial interval has a rate of its own but fewer transactions behind it, so it does not
        count as one more second that was observed.
        """
        longest_s = float(self.interval_duration_s.max(initial=0.0))
        whole: NDArray[np.bool_] = self.interval_duration_s >= WHOLE_SHARE_MIN * longest_s
        return whole

    @property
    def whole_throughput_per_s(self) -> NDArray[np.float64]:
        """Throughput of the whole intervals, in order."""
        return self.interval_throughput_per_s[self.whole]

    def mean_s(self, measure: str) -> float:
        """Return the mean of a measure over all kinds of transactions; 0 where there is none."""
        merged = self.all_times(measure)
        return merged.mean_ns / 1e9 if merged.count else 0.0

    def median_s(self, measure: str) -> float:
        """Return the median of a measure over all kinds of transactions; 0 where there is none."""
        return (self.all_times(measure).quantile_ns(0.5) or 0) / 1e9

    def generator_column(self, name: str) -> Values | None:
        """Return what the generator told of each interval; None where an older one did not."""
        return _column(self.generator, name)

    def of_kind_per_s(self, kind: str | None) -> float:
        """Return the throughput of one kind of transaction; None stands for all of them."""
        if kind is None or not self.window_s:
            return self.throughput_per_s
        counted = self.counts.window.get(kind, {})
        return sum(counted.get(name, 0) for name in FINISHED) / self.window_s

    def of_kind_by_interval_per_s(self, kind: str | None) -> Values:
        """Return the same for each interval of the window, in order."""
        if kind is None or self.transactions == [kind]:
            return self.interval_throughput_per_s
        nothing = np.zeros_like(self.counts.finished)
        return self.counts.finished_of_kind.get(kind, nothing) / self.interval_duration_s

    def times(self, measure: str) -> dict[str, Histogram]:
        """Return the times of a measure by kind of transaction, as all figures have them.

        They are of what was scheduled in the window and ended, maybe after it. All who ask share
        them: nothing may be merged into one.
        """
        return _times(self, measure)

    def all_times(self, measure: str) -> Histogram:
        """Return the same over all kinds of transactions."""
        return _together(list(self.times(measure).values()))

    def parts_of_times(self, measure: str) -> Iterator[tuple[str, Histogram]]:
        """Yield kind and times of each part that ``times`` puts together."""
        for part in (self.trial.histograms, self.trial.drained):
            for kind, what in part:
                if what == measure:
                    yield kind, part[kind, what]

    @property
    def offered_per_s(self) -> float | None:
        """The rate of an open loop; None in a closed one."""
        return self.trial.generator_plan.offered_per_s

    @property
    def always_asks(self) -> bool:
        """Whether each client asks for the next transaction as soon as one has ended."""
        return self.trial.generator_plan.always_asks

    @property
    def embedded(self) -> bool:
        """Whether the database runs in the generator's own process, as SQLite does."""
        return self.trial.url.startswith("sqlite:")

    @property
    def workers(self) -> int:
        """How many threads made the load; an embedded database has one for each client."""
        plan = self.trial.generator_plan
        return plan.clients if self.embedded else plan.workers

    @property
    def database_lock_share(self) -> float | None:
        """The share of their time that SQLite's clients slept for its lock; None where not told."""
        end, clients = self.trial.end, self.trial.generator_plan.clients
        waited_us = self.trial.facts.get("sqlite_lock_wait_us")
        if end is None or not isinstance(waited_us, int) or not end.elapsed_s:
            return None
        return min(1.0, waited_us / 1e6 / (clients * end.elapsed_s))


def measure(trial: StoredTrial) -> WindowTotals:
    """Sum up a trial's window; a trial that never reached its window has a window of 0 s."""
    generator = _window(trial.generator)
    counts = count_intervals(trial.intervals, generator["index"].to_numpy())
    duration_s = generator["duration_s"].to_numpy()
    window_s = float(duration_s.sum())
    finished = sum(counts.total(name) for name in FINISHED)
    columns = {name: _column(generator, name) for name in SUMS_OF_GENERATOR}
    with np.errstate(divide="ignore", invalid="ignore"):
        rates_per_s = counts.finished / duration_s
    return WindowTotals(
        trial=trial,
        transactions=list(counts.whole),
        window_s=window_s,
        totals={name: counts.total(name) for name in SUMMED},
        counts=counts,
        statements=sum(int(generator[f"statements_{kind}"].sum()) for kind in STATEMENT_KINDS),
        throughput_per_s=finished / window_s if window_s > 0 else 0.0,
        start_s=generator["start_s"].to_numpy(),
        interval_duration_s=duration_s,
        interval_throughput_per_s=rates_per_s,
        generator_sums={
            name: None if values is None else float(values.sum())
            for name, values in columns.items()
        },
    )


@lru_cache(KEPT_WINDOWS)
def _generator_in_window(measured: WindowTotals) -> pl.DataFrame:
    return _window(measured.trial.generator)


@lru_cache(KEPT_WINDOWS)
def _resources(measured: WindowTotals) -> Blocks | None:
    table = measured.trial.resources
    return None if table is None else blocks_of(table)


@lru_cache(KEPT_WINDOWS)
def _times(measured: WindowTotals, measure: str) -> dict[str, Histogram]:
    parts: dict[str, list[Histogram]] = defaultdict(list)
    for kind, histogram in measured.parts_of_times(measure):
        parts[kind].append(histogram)
    return {kind: _together(parts[kind]) for kind in sorted(parts)}


def _together(histograms: Sequence[Histogram]) -> Histogram:
    """Return all histograms merged; one that is alone as it is."""
    return histograms[0] if len(histograms) == 1 else merge_all(histograms)


def _window(generator: pl.DataFrame) -> pl.DataFrame:
    """Return the window's rows in order; as they are stored, these are a part as it is."""
    rows = np.flatnonzero((generator["phase"] == Phase.WINDOW).to_numpy())
    if not len(rows):
        return generator.clear()
    window = generator.slice(int(rows[0]), int(rows[-1] - rows[0] + 1))
    is_part = window.height == len(rows)
    if is_part and bool(np.all(np.diff(window["start_s"].to_numpy()) > 0)):
        return window
    return generator.filter(phase=Phase.WINDOW).sort("start_s")


def _column(generator: pl.DataFrame, name: str) -> Values | None:
    """Return a column; None where it is missing or an interval lacks it."""
    column = generator.get_column(name, default=None)
    return None if column is None or column.null_count() else column.to_numpy()
