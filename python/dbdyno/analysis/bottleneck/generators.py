"""Readings of generators: whether their busiest worker could not do more.

A worker whose CPU others use as well is as much of a limit as one that has used it up itself: what
it waited for a CPU counts as what it was busy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from dbdyno.analysis.bottleneck.model import FigureName, LimitCode
from dbdyno.analysis.bottleneck.readings import Reading, Subject
from dbdyno.analysis.generators import (
    largest_lag_ms,
    mean_share,
    occupied_share,
    waiting_shares,
)
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.protocol.waiting import SPIN
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
        plan = measured.trial.generator_plan
        worker = _worker(measured.generator, plan.workers, plan.wait == SPIN)
        yield _reading("generator", LOCAL_HOST, worker, _share(lag_ms, median_ms))
        return
    window = table.filter(phase=Phase.WINDOW)
    for part in parts:
        mine = window.filter(generator=part.share.index)
        worker = _worker(mine, part.workers, part.wait == SPIN)
        delay = _share(largest_lag_ms(mine), median_ms)
        yield _reading(f"generator {part.share.index + 1}", part.host or LOCAL_HOST, worker, delay)


@dataclass(frozen=True)
class _Worker:
    """Shares of time of a generator's busiest worker; None where they are not known."""

    occupied: float | None
    """In which it could not have done more."""
    waited: float | None
    """In which it waited for a CPU."""


def _worker(window: pl.DataFrame, workers: int, is_polling: bool) -> _Worker:
    """Return what the intervals of a window tell; a worker that polls is always busy."""
    if not workers or window.is_empty():
        return _Worker(None, None)
    occupied = occupied_share(window, workers)
    waited = mean_share(waiting_shares(window, workers))
    return _Worker(None if is_polling else occupied, waited)


def _reading(member: str, host: str, worker: _Worker, delay: float | None) -> Reading:
    return Reading(
        Subject(LimitCode.GENERATOR, member, host),
        {FigureName.WORKER_OCCUPIED: worker.occupied},
        {FigureName.HANDLING_DELAY: delay},
        {FigureName.WORKER_WAITED: worker.waited},
    )


def _share(part_ms: float | None, whole_ms: float) -> float | None:
    return None if part_ms is None or not whole_ms else part_ms / whole_ms
