"""Reads the resources of a trial, also where they were stored with a column for each figure.

That was version 1 of the format. Its times cannot be placed on the trial's clock: there ``start_s``
counts from when watching began.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from dbdyno import resources
from dbdyno.store.table_file import checked

_HOST_COLUMNS = {
    **{f"cpu_{kind}_s": f"cpu.{kind}_s" for kind in ("user", "system", "interrupt", "iowait")},
    **{f"cpu_{kind}_s": f"cpu.{kind}_s" for kind in ("steal", "idle")},
    "busiest_cpu_share": "cpu.busiest_share",
    "swap_in_bytes": "swap.in_bytes",
    "swap_out_bytes": "swap.out_bytes",
    "disk_read_bytes": "disk.read_bytes",
    "disk_write_bytes": "disk.write_bytes",
    "disk_reads": "disk.reads",
    "disk_writes": "disk.writes",
    **{f"{name}_pressure_s": f"pressure.{name}_some_s" for name in ("cpu", "io", "memory")},
    "memory_available_bytes": "memory.available_bytes",
}
"""Metrics by column. ``disk.…`` are of all disks together, which were not told apart."""

_PROCESS_COLUMNS = (
    *("cpu_user_s", "cpu_system_s", "read_bytes", "write_bytes"),
    *("voluntary_switches", "involuntary_switches", "resident_bytes", "threads"),
)

_METRICS = {
    **{
        f"host_{column}": (resources.NO_MEMBER, resources.HOST, metric)
        for column, metric in _HOST_COLUMNS.items()
    },
    **{
        f"{role}_{name}": (role, role, f"process.{name}")
        for role in (resources.SERVER, resources.GENERATOR)
        for name in _PROCESS_COLUMNS
    },
}
"""Member, role and metric by column."""

_END = "time_s"
"""The column of version 1 with the interval's end; no later version has it."""

_WIDE_SCHEMA = pl.Schema(
    {
        name: pl.Int64() if name.endswith("_bytes") else pl.Float64()
        for name in (
            *("time_s", "duration_s", "host_cpu_user_s", "host_cpu_system_s"),
            *("host_cpu_interrupt_s", "host_cpu_iowait_s", "host_cpu_steal_s", "host_cpu_idle_s"),
            *("host_swap_in_bytes", "host_swap_out_bytes"),
        )
    }
)
"""What must be there of version 1."""


def as_resources(path: Path, table: pl.DataFrame) -> pl.DataFrame:
    """Return what a file holds as ``resources.SCHEMA`` has it; InputError where it is damaged."""
    if _END in table.columns:
        checked(path, table, _WIDE_SCHEMA)
        return _in_long_form(table)
    checked(path, table, resources.SCHEMA)
    names = resources.SCHEMA.names()
    return table if table.columns == names else table.select(names)


def _in_long_form(table: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each figure that is known, in the order of time."""
    start_s = pl.col(_END) - pl.col("duration_s")
    columns = [name for name in _METRICS if name in table.columns]
    figures = table.select(
        start_s.alias("start_s") - start_s.min(),
        "duration_s",
        *(pl.col(name).cast(pl.Float64, strict=False) for name in columns),
    )
    rows = figures.unpivot(on=columns, index=["start_s", "duration_s"]).drop_nulls("value")
    names = pl.DataFrame(
        [(name, *_METRICS[name], resources.LOCAL_HOST) for name in columns],
        schema=["variable", "member", "role", "metric", "host"],
        orient="row",
    )
    joined = rows.join(names, on="variable", maintain_order="left").sort(
        "start_s", maintain_order=True
    )
    return joined.select(resources.SCHEMA.names()).cast(resources.SCHEMA)
