"""What one trial measured in its window, as the plain figures that all of analysis starts from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dbdyno._native import Histogram
from dbdyno.analysis.tpcc.options import waits
from dbdyno.store.layout import COUNTERS, STATEMENT_KINDS, Phase
from dbdyno.store.model import StoredTrial
from dbdyno.times import merge_all

FINISHED = ("committed", "rolled_back")
"""What counts as throughput: a transaction that rolls back on purpose has done its work too."""

WHOLE_SHARE_MIN = 0.95
"""An interval that is shorter than this share of the trial's interval is a partial one."""

KEPT_WINDOWS = 4
"""Many checks look at one trial before the next one is looked at; all of a result would be much."""


@dataclass(frozen=True, eq=False)
class WindowTotals:
    """A trial with its window's totals; arrays have one value per window interval, in order.

    ``totals`` has every counter of ``store.layout.COUNTERS`` summed over window and transactions;
    ``in_flight``, which is a level, is left out of it.
    """

    trial: StoredTrial
    transactions: list[str]
    window_s: float
    totals: dict[str, int]
    statements: int
    throughput_per_s: float
    start_s: NDArray[np.float64]
    interval_duration_s: NDArray[np.float64]
    interval_throughput_per_s: NDArray[np.float64]
    interval_scheduled: NDArray[np.int64]
    interval_ended: NDArray[np.int64]
    in_flight: NDArray[np.int64]

    @property
    def generator(self) -> pl.DataFrame:
        """The generator's own figures in the window, in order."""
        return _generator_in_window(self)

    @property
    def number(self) -> int:
        """The trial's number in the plan."""
        return self.trial.planned.number

    @property
    def ended(self) -> int:
        """How many transactions came to an end in the window, failed ones included."""
        return sum(self.totals[name] for name in (*FINISHED, "failed"))

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
        merged = merge_all(self.times(measure).values())
        return merged.mean_ns / 1e9 if merged.count else 0.0

    def median_s(self, measure: str) -> float:
        """Return the median of a measure over all kinds of transactions; 0 where there is none."""
        return (merge_all(self.times(measure).values()).quantile_ns(0.5) or 0) / 1e9

    def generator_column(self, name: str) -> NDArray[np.float64] | None:
        """Return what the generator told of each interval; None where an older one did not."""
        if name not in self.generator.columns or self.generator[name].null_count():
            return None
        return self.generator[name].to_numpy()

    def of_kind_per_s(self, kind: str | None) -> float:
        """Return the throughput of one kind of transaction; None stands for all of them."""
        if kind is None or not self.window_s:
            return self.throughput_per_s
        rows = self.trial.intervals.filter(phase=Phase.WINDOW, transaction=kind)
        return sum(int(rows[name].sum()) for name in FINISHED) / self.window_s

    def of_kind_by_interval_per_s(self, kind: str | None) -> NDArray[np.float64]:
        """Return the same for each interval of the window, in order."""
        if kind is None:
            return self.interval_throughput_per_s
        rows = self.trial.intervals.filter(phase=Phase.WINDOW, transaction=kind)
        return _by_interval(rows, self.generator)["throughput_per_s"].to_numpy()

    def times(self, measure: str) -> dict[str, Histogram]:
        """Return the times of a measure by kind of transaction, as all figures have them.

        They are of what ended in the window and of what was under way at its end.
        """
        parts = (self.trial.histograms, self.trial.drained)
        kinds = sorted({kind for part in parts for kind, what in part if what == measure})
        return {
            kind: merge_all(part[kind, measure] for part in parts if (kind, measure) in part)
            for kind in kinds
        }

    @property
    def offered_per_s(self) -> float | None:
        """The rate of an open loop; None in a closed one."""
        return self.trial.generator_plan.offered_per_s

    @property
    def always_asks(self) -> bool:
        """Whether each client asks for the next transaction as soon as one has ended.

        It does not in an open loop, nor where TPC-C's terminals key in or think.
        """
        options = self.trial.generator_plan.tpcc
        return self.offered_per_s is None and not (options is not None and waits(options))

    @property
    def embedded(self) -> bool:
        """Whether the database runs in the generator's own process, as SQLite does."""
        return self.trial.url.startswith("sqlite:")


def measure(trial: StoredTrial) -> WindowTotals:
    """Sum up a trial's window; a trial that never reached its window has a window of 0 s."""
    rows = trial.intervals.filter(phase=Phase.WINDOW)
    generator = _window(trial.generator)
    by_interval = _by_interval(rows, generator)
    window_s = float(generator["duration_s"].sum())
    totals = {name: int(rows[name].sum()) for name in COUNTERS if name != "in_flight"}
    finished = sum(totals[name] for name in FINISHED)
    return WindowTotals(
        trial=trial,
        transactions=sorted(trial.intervals["transaction"].unique()),
        window_s=window_s,
        totals=totals,
        statements=sum(int(generator[f"statements_{kind}"].sum()) for kind in STATEMENT_KINDS),
        throughput_per_s=finished / window_s if window_s > 0 else 0.0,
        start_s=by_interval["start_s"].to_numpy(),
        interval_duration_s=by_interval["duration_s"].to_numpy(),
        interval_throughput_per_s=by_interval["throughput_per_s"].to_numpy(),
        interval_scheduled=by_interval["scheduled"].to_numpy(),
        interval_ended=by_interval["ended"].to_numpy(),
        in_flight=by_interval["in_flight"].to_numpy(),
    )


@lru_cache(KEPT_WINDOWS)
def _generator_in_window(measured: WindowTotals) -> pl.DataFrame:
    return _window(measured.trial.generator)


def _window(generator: pl.DataFrame) -> pl.DataFrame:
    return generator.filter(phase=Phase.WINDOW).sort("start_s")


def _by_interval(rows: pl.DataFrame, generator: pl.DataFrame) -> pl.DataFrame:
    """Return one row per interval, those in which no transaction was counted included."""
    sums = rows.group_by("index").agg(
        finished=pl.sum_horizontal(pl.col(FINISHED).sum()),
        ended=pl.sum_horizontal(pl.col(*FINISHED, "failed").sum()),
        scheduled=pl.col("scheduled").sum(),
        in_flight=pl.col("in_flight").sum(),
    )
    joined = generator.select("index", "start_s", "duration_s").join(sums, on="index", how="left")
    return joined.sort("start_s").select(
        "start_s",
        "duration_s",
        pl.col("scheduled", "ended", "in_flight").fill_null(0),
        throughput_per_s=pl.col("finished").fill_null(0) / pl.col("duration_s"),
    )
