"""The table of resources: what was used, by whom, where and when, one row a figure and interval.

``resources.parquet`` is such a table. Docs/metrics.md says what each metric means.
"""

from __future__ import annotations

import polars as pl

SCHEMA = pl.Schema(
    {
        "member": pl.Categorical(),
        "role": pl.Categorical(),
        "host": pl.Categorical(),
        "metric": pl.Categorical(),
        "start_s": pl.Float64(),
        "duration_s": pl.Float64(),
        "value": pl.Float64(),
    }
)
"""``member`` is the server, generator or watcher that a figure is of; empty for a whole host.

Counters are what was added from ``start_s`` on, in ``duration_s``; levels are as they are at the
end of that. What is not told has no row.
"""

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
