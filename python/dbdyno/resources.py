"""The table of resources: what was used, by whom, where and when, one row a figure and interval.

``resources.parquet`` is such a table. Docs/metrics.md says what each metric means.
"""

from __future__ import annotations

import polars as pl

from dbdyno.described_table import Column, DescribedTable, seconds


def _one_of_few(meaning: str) -> Column:
    return Column(pl.Categorical(), "", meaning)


TABLE = DescribedTable(
    "interval and figure; what is not told has no row",
    {
        "member": _one_of_few("The server, generator or watcher; empty for a whole host."),
        "role": _one_of_few("Its role: server or a role of the cluster, generator, watcher, host."),
        "host": _one_of_few("The host: local, or the name of another one."),
        "metric": _one_of_few("The figure: cpu.user_s and so on."),
        "start_s": seconds(
            "When the interval began, from the start of the window. resources_zero in trial.json "
            "says how that is known."
        ),
        "duration_s": seconds("How long the interval is."),
        "value": Column(
            pl.Float64(),
            "as the metric's name says",
            "What was added in the interval, of a counter; what it was at its end, of a level.",
        ),
    },
)
SCHEMA = TABLE.schema

HOST = "host"
SERVER = "server"
GENERATOR = "generator"
WATCHER = "watcher"
"""Roles: what a member is there for, or that a figure is of a whole host."""

LOCAL_HOST = "local"
"""The name of the host that dbdyno runs on."""

NO_MEMBER = ""
"""Stands where a figure is of a host, and of no one who runs there."""

CPU_TIMES = (
    "cpu.user_s",
    "cpu.system_s",
    "cpu.interrupt_s",
    "cpu.iowait_s",
    "cpu.steal_s",
    "cpu.idle_s",
)
"""Metrics of a host that add up to all of its CPU time."""

SWAPPED = ("swap.in_bytes", "swap.out_bytes")

PROCESS_CPU_TIMES = ("process.cpu_user_s", "process.cpu_system_s")
"""Metrics of a member's processes."""
