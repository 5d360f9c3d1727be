"""What was used in a trial's window, of the table of resources."""

from __future__ import annotations

import polars as pl

from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.store.model import ResourcesZero

COVERED_MIN = 0.9
"""What was told for less of the window than this share is not known."""


def in_window(measured: WindowTotals) -> pl.DataFrame | None:
    """Return the rows that touch the window; None where nobody watched, or its start is not known.

    ``covered_s`` is how much of a row's interval lies in the window, ``name`` its metric.
    """
    table = measured.trial.resources
    is_placed = measured.trial.resources_zero is not ResourcesZero.WATCH_START
    if table is None or not is_placed or not len(measured.start_s):
        return None
    start_s = float(measured.start_s[0])
    end_s = float(measured.start_s[-1] + measured.interval_duration_s[-1])
    first = pl.max_horizontal("start_s", pl.lit(start_s))
    last = pl.min_horizontal(pl.col("start_s") + pl.col("duration_s"), pl.lit(end_s))
    rows = table.with_columns(covered_s=last - first).filter(pl.col("covered_s") > 0)
    return rows.with_columns(name=pl.col("metric").cast(pl.String))


def totals(rows: pl.DataFrame, window_s: float) -> pl.DataFrame:
    """Return what was used in the window: a row for each member, role, host and metric.

    ``amount`` is of a counter: an interval that lies in the window in part counts in part, and what
    is missing of the window is taken to be like the rest. ``level`` is the mean of a level.
    """
    share = pl.col("covered_s") / pl.col("duration_s")
    covered_s = pl.col("covered_s").sum()
    return (
        rows.group_by("member", "role", "host", "name")
        .agg(
            covered_s=covered_s,
            amount=(pl.col("value") * share).sum() * window_s / covered_s,
            level=(pl.col("value") * pl.col("covered_s")).sum() / covered_s,
        )
        .filter(pl.col("covered_s") >= COVERED_MIN * window_s)
    )
