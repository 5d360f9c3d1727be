"""Readings of generators: whether their busiest worker could not do more."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from dbdyno.analysis.bottleneck.model import FigureName, LimitCode
from dbdyno.analysis.bottleneck.readings import Reading, Subject
from dbdyno.analysis.generators import largest_lag_ms
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.resources import LOCAL_HOST
from dbdyno.store.layout import Phase


def generator_readings(measured: WindowTotals) -> Iterator[Reading]:
    """Yield a reading for each generator; none where the database runs in its threads."""
    if measured.embedded:
        return
    parts = measured.trial.generator_plan.generators
    table = measured.trial.generators
    median_ms = 1000 * measured.median_s("response")
    if not parts or table is None:
        lag_ns = measured.trial.loop_lag.decode().quantile_ns(0.99)
        lag_ms = None if lag_ns is None else lag_ns / 1e6
        is_polling = measured.trial.generator_plan.busy_poll
        busy = None if is_polling else _mean(measured.generator["busiest_worker_share"])
        yield _reading("generator", LOCAL_HOST, busy, _share(lag_ms, median_ms))
        return
    window = table.filter(phase=Phase.WINDOW)
    for part in parts:
        mine = window.filter(generator=part.share.index)
        busy = None if part.busy_poll else _mean(mine["busiest_worker_share"])
        delay = _share(largest_lag_ms(mine), median_ms)
        yield _reading(f"generator {part.share.index + 1}", part.host or LOCAL_HOST, busy, delay)


def _reading(member: str, host: str, busy: float | None, delay: float | None) -> Reading:
    return Reading(
        Subject(LimitCode.GENERATOR, member, host),
        {FigureName.WORKER_BUSY: busy},
        {FigureName.HANDLING_DELAY: delay},
    )


def _mean(shares: pl.Series) -> float | None:
    mean = shares.mean()
    return mean if isinstance(mean, float) else None


def _share(part_ms: float | None, whole_ms: float) -> float | None:
    return None if part_ms is None or not whole_ms else part_ms / whole_ms
