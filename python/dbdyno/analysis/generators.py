"""What each of several generators made of the load, in one trial or in all trials of a cell."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from dbdyno.analysis.findings import GeneratorSummary
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.protocol.events import Standing
from dbdyno.protocol.generators import SharePlan
from dbdyno.store.layout import Phase


def summarise_generators(trials: Sequence[WindowTotals]) -> tuple[GeneratorSummary, ...]:
    """Return what each generator did in all trials together; nothing where there was one."""
    tables = [
        measured.trial.generators.filter(phase=Phase.WINDOW)
        for measured in trials
        if measured.trial.generators is not None
    ]
    if not tables:
        return ()
    window = pl.concat(tables)
    parts = trials[0].trial.generator_plan.generators
    return tuple(_summarise(trials, window, part.share) for part in parts)


def _summarise(
    trials: Sequence[WindowTotals], window: pl.DataFrame, asked: SharePlan
) -> GeneratorSummary:
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
    )


def generator_lost(measured: WindowTotals) -> str | None:
    """Find generators that were lost in mid-trial, of a trial that went on without them."""
    lost = () if measured.trial.end is None else measured.trial.end.lost
    texts = (
        generator.reason
        if generator.last_index is None
        else f"{generator.reason}, after interval {generator.last_index}"
        for generator in lost
    )
    return "; ".join(texts) or None


def generator_silent(measured: WindowTotals) -> str | None:
    """Find generators that were late, and were not lost."""
    count = len(measured.trial.generator_plan.generators)
    late = [
        str(index + 1)
        for index in range(count)
        if _was(measured, index, "late") and not _was(measured, index, "lost")
    ]
    if not late:
        return None
    return f"generator {', '.join(late)} of {count} told nothing for 3 intervals or more"


def _was(measured: WindowTotals, index: int, standing: Standing) -> bool:
    return any(
        each.generator_index == index and each.standing == standing
        for each in measured.trial.standings
    )


def _largest(values: pl.Series) -> float:
    return max((float(value) for value in values.drop_nulls()), default=0.0)
