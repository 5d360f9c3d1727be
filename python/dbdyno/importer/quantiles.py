"""Percentiles of single transactions, and what happened second by second, of a table of them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import polars as pl

from dbdyno.trial_evidence import IntervalEvidence, MeasuredFrom, Quantiles, Times

SHARES = (0.5, 0.9, 0.95, 0.99, 0.999)
BUCKETS_MAX = 1_000_000
"""Seconds of a run that are told apart: eleven days."""


def quantiles_ms(times_ms: pl.Series) -> Quantiles:
    """Return the nearest-rank percentiles that so many values can tell: beyond each is one."""
    ordered = times_ms.drop_nulls().sort()
    count = len(ordered)
    found = {
        share: round(float(ordered[math.ceil(share * count) - 1]), 6)
        for share in SHARES
        if count * (1 - share) >= 1 - 1e-9
    }
    # A time of 0 is shorter than what the table can tell.
    return {share: value for share, value in found.items() if value > 0}


def times_of(times_ms: pl.Series, measured_from: MeasuredFrom = MeasuredFrom.START) -> Times | None:
    """Return the times of transactions that did their work; None where there is none."""
    known = times_ms.drop_nulls()
    if known.is_empty():
        return None
    mean, low, high = known.mean(), known.min(), known.max()
    assert isinstance(mean, float)
    assert isinstance(low, float)
    assert isinstance(high, float)
    return Times(
        measured_from=measured_from,
        quantiles_ms=quantiles_ms(known),
        mean_ms=round(mean, 6) or None,
        min_ms=round(low, 6) or None,
        max_ms=round(high, 6) or None,
        count=len(known),
    )


def seconds(table: pl.DataFrame, measured_s: float) -> Iterator[IntervalEvidence]:
    """Yield each whole second of a run; the last one, which is cut, only of a shorter run.

    ``table`` has a row a transaction: ``end_s`` from the beginning of the run, ``time_ms``, which
    is null of one that failed, and ``is_counted``, which says whether throughput counts it.
    """
    whole = int(measured_s)
    if not 0 < whole <= BUCKETS_MAX:
        return
    inside = table.filter(pl.col("end_s") < whole)
    parts = inside.with_columns(second=pl.col("end_s").floor().cast(pl.Int64)).partition_by(
        "second", as_dict=True
    )
    for second in range(whole):
        part = parts.get((second,))
        times = None if part is None else times_of(part.filter("is_counted")["time_ms"])
        yield IntervalEvidence(
            start_s=float(second),
            duration_s=1.0,
            throughput_per_s=0.0 if part is None else float(part["is_counted"].sum()),
            quantiles_ms=times.quantiles_ms if times else {},
            mean_ms=times.mean_ms if times else None,
            max_ms=times.max_ms if times else None,
            failed_per_s=0.0 if part is None else float(part["is_failed"].sum()),
        )
