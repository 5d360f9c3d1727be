"""Tables of resources for tests, from the figures of each interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from dbdyno.resources import CPU_TIMES, HOST, LOCAL_HOST, NO_MEMBER, SCHEMA, SWAPPED

IDLE_HOST = {(HOST, metric): 0.0 for metric in (*CPU_TIMES, *SWAPPED)}
"""Figures of a host of which nothing was used, by role and metric."""

Figures = Mapping[tuple[str, str], float]


def resource_table(intervals: Sequence[Figures]) -> pl.DataFrame:
    """Return a table with an interval of a second for each of these figures by role and metric."""
    rows = [
        (NO_MEMBER if role == HOST else role, role, LOCAL_HOST, metric, float(second), 1.0, value)
        for second, figures in enumerate(intervals)
        for (role, metric), value in figures.items()
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")
