"""Sums over the table of resources; ``dbdyno.resources`` says what is in it.

They see the host that dbdyno ran on, which is the server's only where both share it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from dbdyno.resources import (
    CPU_TIMES,
    GENERATOR,
    HOST,
    LOCAL_HOST,
    PROCESS_CPU_TIMES,
    SERVER,
)

_BUSY = ("cpu.user_s", "cpu.system_s")


def total(resources: pl.DataFrame, *metrics: str) -> float:
    """Add metrics of the host up over a trial."""
    return float(_of(resources, HOST, metrics)["value"].sum())


def stolen_share(resources: pl.DataFrame) -> float | None:
    """Return the share of all CPU time that the hypervisor gave to other machines."""
    known = _together(resources, [(HOST, name) for name in CPU_TIMES])
    if known is None:
        return None
    total_s = _sum(known, [(HOST, name) for name in CPU_TIMES])
    return _sum(known, [(HOST, "cpu.steal_s")]) / total_s if total_s else None


def others_cores(resources: pl.DataFrame) -> float | None:
    """Return how many CPUs were busy with neither server nor generator; None where not known."""
    busy = [(HOST, name) for name in _BUSY]
    ours = [(role, name) for role in (SERVER, GENERATOR) for name in PROCESS_CPU_TIMES]
    known = _together(resources, busy + ours)
    duration_s = 0.0 if known is None else float(known["duration_s"].sum())
    if known is None or not duration_s:
        return None
    return (_sum(known, busy) - _sum(known, ours)) / duration_s


def _of(resources: pl.DataFrame, role: str, metrics: Iterable[str]) -> pl.DataFrame:
    return resources.filter(
        pl.col("host") == LOCAL_HOST,
        pl.col("role") == role,
        pl.col("metric").is_in(list(metrics)),
    )


def _together(resources: pl.DataFrame, wanted: Sequence[tuple[str, str]]) -> pl.DataFrame | None:
    """Return a row for each interval in which all of these are known, with a column for each.

    Members of one role are added up.
    """
    roles = dict.fromkeys(role for role, _ in wanted)
    rows = pl.concat(
        [_of(resources, role, (name for other, name in wanted if other == role)) for role in roles]
    )
    column = pl.format("{} {}", pl.col("role").cast(pl.String), pl.col("metric").cast(pl.String))
    table = rows.with_columns(column=column).pivot(
        on="column", index=["start_s", "duration_s"], values="value", aggregate_function="sum"
    )
    columns = [f"{role} {name}" for role, name in wanted]
    if not set(columns) <= set(table.columns):
        return None
    return table.drop_nulls(columns)


def _sum(table: pl.DataFrame, wanted: Iterable[tuple[str, str]]) -> float:
    return float(sum(table[f"{role} {name}"].sum() for role, name in wanted))
