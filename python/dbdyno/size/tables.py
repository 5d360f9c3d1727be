"""Which tables a workload's data are in, told by its plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from dbdyno.tpcc.naming import naming_of

PGBENCH_TABLES = (
    "pgbench_accounts",
    "pgbench_branches",
    "pgbench_history",
    "pgbench_tellers",
)


def tables_of(workload: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...] | None:
    """Return the tables' names; None where all tables of the database are meant.

    They are meant where somebody's own statements make the tables.
    """
    ((kind, options),) = workload.items()
    if kind == "sysbench":
        return tuple(f"sbtest{number}" for number in range(1, int(options["tables"]) + 1))
    if kind == "tpcc":
        return tuple(asdict(naming_of(str(options["schema"]))).values())
    if kind == "pgbench" and "setup" not in options:
        return PGBENCH_TABLES
    return None
