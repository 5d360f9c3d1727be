"""Roughly how many bytes tables take once they are loaded, before anything is.

Sizes are those of tables with their indexes on MariaDB and PostgreSQL, measured there (see
METHODOLOGY.md); a server that compresses, or pads, has others.
"""

from __future__ import annotations

from dbdyno.experiment.workload import tpcc
from dbdyno.experiment.workload.registry import rows_of
from dbdyno.protocol.workload_plan import WorkloadPlan

SYSBENCH_ROW_BYTES = 245
WAREHOUSE_BYTES = 95_000_000
ITEMS_BYTES = 12_000_000
"""The table of items, which is there once."""
PGBENCH_ROW_BYTES = 150
ROW_BYTES = 250
"""Of a row that somebody else has described."""


def data_bytes(plan: WorkloadPlan) -> int:
    """Return about how many bytes the tables of a workload plan take."""
    if "tpcc" in plan:
        return tpcc.warehouses_of(plan["tpcc"]) * WAREHOUSE_BYTES + ITEMS_BYTES
    row_bytes = {"sysbench": SYSBENCH_ROW_BYTES, "pgbench": PGBENCH_ROW_BYTES}
    kind = next(iter(plan))
    return rows_of(plan) * row_bytes.get(kind, ROW_BYTES)
