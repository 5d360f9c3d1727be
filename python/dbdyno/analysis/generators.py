"""What each of several generators made of the load, in one trial or in all trials of a cell."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from dbdyno.analysis.deployment import place_of
from dbdyno.analysis.evidence import Clauses, Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.findings import GeneratorSummary
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.protocol.events import HostClock, Standing
from dbdyno.protocol.generators import GeneratorPart
from dbdyno.protocol.waiting import SPIN
from dbdyno.store.layout import LAG_OF_ONE, NEW_ORDERS_OF_ONE, Phase

BUSY_WORKER_SHARE_MAX = 0.9
"""Beyond that the generator may be the limit."""

CLOCK_BOUND_MAX_S = 0.005
CLOCK_SHARE_MAX = 0.25
"""Of an interval: what is further off is counted in another one."""


def summarise_generators(trials: Sequence[WindowTotals]) -> tuple[GeneratorSummary, ...]:
    """Return what each generator did in all trials together; nothing where there was one."""
    tables = [
        measured.trial.generators.filter(phase=Phase.WINDOW)
        for measured in trials
        if measured.trial.generators is not None
    ]
    if not tables:
        return ()
    # Results of earlier versions do not tell the lag of one generator.
    window = pl.concat(tables, how="diagonal")
    parts = trials[0].trial.generator_plan.generators
    return tuple(_summarise(trials, window, part) for part in parts)


def _summarise(
    trials: Sequence[WindowTotals], window: pl.DataFrame, part: GeneratorPart
) -> GeneratorSummary:
    asked = part.share
    mine, total = window.filter(generator=asked.index), int(window["ended"].sum())
    transactions, elapsed_s = int(mine["ended"].sum()), float(mine["duration_s"].sum())
    cpu_s = float(mine["user_s"].sum()) + float(mine["system_s"].sum())
    return GeneratorSummary(
        number=asked.index + 1,
        asked_share=(asked.end - asked.begin) / asked.of,
        transactions=transactions,
        share=transactions / total if total else 0.0,
        cpu_cores=cpu_s / elapsed_s if elapsed_s else 0.0,
        busiest_worker_share=_largest(mine["busiest_worker_share"]),
        longest_pause_s=_largest(mine["longest_pause_s"]),
        late=sum(_was(measured, asked.index, "late") for measured in trials),
        lost=sum(_was(measured, asked.index, "lost") for measured in trials),
        headroom=None if part.wait == SPIN else headroom(occupied_share(mine, part.workers)),
        largest_lag_p99_ms=largest_lag_ms(mine),
        clock_bound_s=_clock_bound_s(trials, asked.index),
        new_orders=new_orders(mine),
        place=place_of(part),
    )


def occupied_share(mine: pl.DataFrame, workers: int) -> float | None:
    """Return in which share of time a busiest worker had a CPU or waited for one, 0 to 1.

    It could not have done more where other programs use its CPU. A wait is counted in the interval
    in which it ends, so that one interval may have more than its length.
    """
    share = mean_share(mine["busiest_worker_share"] + waiting_shares(mine, workers))
    return None if share is None else min(share, 1.0)


def waiting_shares(mine: pl.DataFrame, workers: int) -> pl.Series:
    """Return in which share of each interval workers waited for a CPU, on average of all.

    How long each of them waited is not stored.
    """
    return mine["run_queue_delay_s"] / (workers * mine["duration_s"])


def mean_share(shares: pl.Series) -> float | None:
    """Return the mean of the intervals of which a share is known; None where there are none."""
    mean = shares.mean()
    return mean if isinstance(mean, float) else None


def headroom(share: float | None) -> float | None:
    """Return how many times its load a generator could have made.

    ``share`` is of its busiest worker, as ``occupied_share`` has it. At so many times the load that
    worker would be as busy as one may be. One that looks for answers all the time is always busy:
    of it nothing is known.
    """
    return BUSY_WORKER_SHARE_MAX / share if share else None


def largest_lag_ms(mine: pl.DataFrame) -> float | None:
    """Return the largest p99 of an interval; None where that was not stored."""
    known = mine[LAG_OF_ONE].drop_nulls() if LAG_OF_ONE in mine.columns else pl.Series()
    return None if known.is_empty() else _largest(known)


def new_orders(mine: pl.DataFrame) -> int | None:
    """Return the New-Orders of one generator; None where they were not stored."""
    known = (
        mine[NEW_ORDERS_OF_ONE].drop_nulls() if NEW_ORDERS_OF_ONE in mine.columns else pl.Series()
    )
    return None if known.is_empty() else int(known.sum())


def _clock_bound_s(trials: Sequence[WindowTotals], index: int) -> float | None:
    """Return by how much a generator's clock may have been off in the worst of the trials."""
    errors = (
        _clock_error_s(clock)
        for measured in trials
        for clock in measured.trial.clocks
        if clock.generator_index == index
    )
    return max(errors, default=None)


def generator_lost(measured: WindowTotals) -> Clauses:
    """Find generators that were lost in mid-trial, of a trial that went on without them."""
    lost = () if measured.trial.end is None else measured.trial.end.lost
    return tuple(
        Evidence(EvidenceKind.GENERATOR_LOST, reason=each.reason)
        if each.last_index is None
        else Evidence(
            EvidenceKind.GENERATOR_LOST_AFTER,
            reason=each.reason,
            interval_number=each.last_index,
        )
        for each in lost
    )


def generator_silent(measured: WindowTotals) -> Evidence | None:
    """Find generators that were late, and were not lost."""
    count = len(measured.trial.generator_plan.generators)
    late = tuple(
        index + 1
        for index in range(count)
        if _was(measured, index, "late") and not _was(measured, index, "lost")
    )
    if not late:
        return None
    return Evidence(EvidenceKind.GENERATORS_SILENT, generator_number=late, generators=count)


def clocks_unknown(measured: WindowTotals) -> Clauses:
    """Find generators whose clocks are known to no better than a quarter of an interval."""
    limit_s = CLOCK_SHARE_MAX * measured.trial.generator_plan.interval_s
    return _clocks_beyond(measured, limit_s)


def clocks_uncertain(measured: WindowTotals) -> Clauses:
    """Find generators whose clocks are known less well than they should be."""
    return _clocks_beyond(measured, CLOCK_BOUND_MAX_S)


def _clocks_beyond(measured: WindowTotals, limit_s: float) -> Clauses:
    """Name the hosts whose clocks may be off by more; what they drifted adds to the bound."""
    return tuple(
        Evidence(EvidenceKind.CLOCK_BOUND, host=clock.host, bound_ms=error_s * 1e3)
        for clock in measured.trial.clocks
        if (error_s := _clock_error_s(clock)) > limit_s
    )


def _clock_error_s(clock: HostClock) -> float:
    """Return by how much a clock may have been off at any time of the trial.

    The load began by the first measurement; what the second differs by is drift, or shows the
    first to be wrong.
    """
    drift_ns = abs(clock.end_offset_ns - clock.offset_ns)
    return (clock.bound_ns + max(0, drift_ns - clock.end_bound_ns)) / 1e9


def _was(measured: WindowTotals, index: int, standing: Standing) -> bool:
    return any(
        each.generator_index == index and each.standing == standing
        for each in measured.trial.standings
    )


def _largest(values: pl.Series) -> float:
    return max((float(value) for value in values.drop_nulls()), default=0.0)
