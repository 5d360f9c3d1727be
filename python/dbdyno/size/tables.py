"""Which tables a workload's data are in, told by its plan."""

from __future__ import annotations

from dataclasses import asdict

from dbdyno.protocol.workload_plan import WorkloadPlan
from dbdyno.tpcc.naming import naming_of

PGBENCH_TABLES = (
    "pgbench_accounts",
    "pgbench_branches",
    "pgbench_history",
    "pgbench_tellers",
)


def tables_of(workload: WorkloadPlan) -> tuple[str, ...] | None:
    """Return the tables' names; None where all tables of the database are meant.

    They are meant where somebody's own statements make the tables.
    """
    if "sysbench" in workload:
        tables = int(workload["sysbench"]["tables"])
        return tuple(f"sbtest{number}" for number in range(1, tables + 1))
    if "tpcc" in workload:
        return tuple(asdict(naming_of(workload["tpcc"]["schema"])).values())
    if "pgbench" in workload and "setup" not in workload["pgbench"]:
        return PGBENCH_TABLES
    return None
