"""One interval as the page draws it, made of the generator's event or of the stored tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass

import polars as pl

from dbdyno.analysis.clients import SHARE_MIN, share_of_interval
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.protocol.intervals import Interval, Phase
from dbdyno.store import layout
from dbdyno.store.trial_tables import StoredTables
from dbdyno.times import ResponseTimes, ended_times, finite, quantile_ms

PHASES = tuple(phase.value for phase in Phase)
"""In the order in which they come."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """An interval. ``trial``, ``started_ms``, ``phase`` and ``index`` tell it from all others.

    ``start_s`` counts from the start of the window, ``end_unix_s`` is the wall clock. A response
    time is None where nothing was answered, or where it lies beyond the histogram's range.
    """

    trial: int
    started_ms: int
    """When this attempt at the trial began."""
    phase: str
    index: int
    start_s: float
    duration_s: float
    end_unix_s: float
    throughput_per_s: float
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    errors_per_s: float
    in_flight: int
    busiest_worker_share: float | None
    has_fewer_clients: bool
    """Whether clearly fewer clients waited for the server than were asked for."""

    @property
    def order(self) -> tuple[int, int]:
        """What it is sorted by within its trial."""
        return PHASES.index(self.phase), self.index

    @property
    def id(self) -> str:
        """Return what a page names it by when it asks for what comes after."""
        return f"{self.trial}.{self.started_ms}.{self.phase}.{self.index}"

    def row(self) -> tuple[object, ...]:
        """Return its fields in their order, as the page reads them."""
        return astuple(self)


def point_of(
    interval: Interval, trial: PlannedTrial, started_ms: int, window_unix_s: float
) -> Point:
    """Return an interval that a generator has just told; its window began at ``window_unix_s``.

    The response times are those of what ended in it, as the terminal shows them.
    """
    samples = interval.transactions.values()
    ended = sum(each.committed + each.rolled_back for each in samples)
    response = ResponseTimes()
    for times in ended_times(interval):
        response.add(times)
    p50_ms, p95_ms, p99_ms = (
        _rounded(finite(quantile_ms(response.done, quantile))) for quantile in (0.5, 0.95, 0.99)
    )
    duration_s = max(interval.duration_s, 1e-9)
    return Point(
        trial=trial.number,
        started_ms=started_ms,
        phase=interval.phase.value,
        index=interval.index,
        start_s=round(interval.start_s, 3),
        duration_s=round(interval.duration_s, 3),
        end_unix_s=round(window_unix_s + interval.end_s, 3),
        throughput_per_s=round(ended / duration_s, 2),
        p50_ms=p50_ms,
        p95_ms=p95_ms,
        p99_ms=p99_ms,
        errors_per_s=round(sum(error.count for error in interval.errors) / duration_s, 2),
        in_flight=sum(each.in_flight for each in samples),
        busiest_worker_share=round(interval.generator.busiest_worker_share, 4),
        has_fewer_clients=_has_fewer_clients(trial, interval.unread_s, duration_s),
    )


def stored_points(
    tables: StoredTables, trial: PlannedTrial, started_ms: int, window_unix_s: float
) -> Iterator[Point]:
    """Yield the intervals of a trial that is over, in their order.

    Of the window its response times are those stored: by when a transaction was due.
    """
    for row in _by_interval(tables).iter_rows(named=True):
        yield Point(
            trial=trial.number,
            started_ms=started_ms,
            phase=row["phase"],
            index=row["index"],
            start_s=round(row["start_s"], 3),
            duration_s=round(row["duration_s"], 3),
            end_unix_s=round(window_unix_s + row["start_s"] + row["duration_s"], 3),
            throughput_per_s=round(row["ended"] / max(row["duration_s"], 1e-9), 2),
            p50_ms=_rounded(row["response_p50_ms"]),
            p95_ms=_rounded(row["response_p95_ms"]),
            p99_ms=_rounded(row["response_p99_ms"]),
            errors_per_s=round((row["errors"] or 0) / max(row["duration_s"], 1e-9), 2),
            in_flight=row["in_flight"],
            busiest_worker_share=_rounded(row["busiest_worker_share"]),
            has_fewer_clients=_has_fewer_clients(trial, row["unread_s"], row["duration_s"]),
        )


def _by_interval(tables: StoredTables) -> pl.DataFrame:
    """Return a row for each interval of a trial, in the order of time."""
    intervals, key = tables.intervals(), ["phase", "index"]
    transactions = intervals["transaction"].unique().to_list()
    percentiles = tables.interval_percentiles().filter(
        pl.col("transaction") == layout.overall_key(transactions)
    )
    errors = tables.errors().group_by(key).agg(errors=pl.col("count").sum())
    by_interval = intervals.group_by(key).agg(
        pl.col("start_s", "duration_s").first(),
        pl.col("in_flight").sum(),
        ended=(pl.col("committed") + pl.col("rolled_back")).sum(),
    )
    return (
        by_interval.join(
            tables.generator().select(*key, "busiest_worker_share", "unread_s"), key, "left"
        )
        .join(errors, key, "left")
        .join(
            percentiles.select(
                pl.lit(Phase.WINDOW.value).alias("phase"),
                *("index", "response_p50_ms", "response_p95_ms", "response_p99_ms"),
            ),
            key,
            "left",
        )
        .sort(pl.col("phase").replace_strict(PHASES, range(len(PHASES))), "index")
    )


def _has_fewer_clients(trial: PlannedTrial, unread_s: float | None, duration_s: float) -> bool:
    asking_clients = trial.generator_plan.asking_clients
    share = share_of_interval(unread_s, asking_clients, max(duration_s, 1e-9))
    return share is not None and share < SHARE_MIN


def _rounded(value: float | None) -> float | None:
    """Keep the four digits that a chart can show."""
    return None if value is None else float(f"{value:.4g}")
