"""Roughly how many bytes tables take once they are loaded, before anything is.

Sizes are those of tables with their indexes on MariaDB and PostgreSQL, measured there (see
METHODOLOGY.md); a server that compresses, or pads, has others.
"""

from __future__ import annotations

import re

from dbdyno.experiment.workload import tpcc
from dbdyno.experiment.workload.registry import rows_of
from dbdyno.protocol.workload_plan import WorkloadPlan

SYSBENCH_ROW_BYTES = 245
WAREHOUSE_BYTES = 95_000_000
WIDE_WAREHOUSE_BYTES = 116_000_000
"""Of texts as wide as in Terark's tpcc-mysql, whose report has 108.5 GiB for 1,000 of them."""
ITEMS_BYTES = 12_000_000
"""The table of items, which is there once."""
PGBENCH_ROW_BYTES = 150
ROW_BYTES = 250
"""Of a row that somebody else has described."""

_COMPRESSING = re.compile("compress|rocksdb|tokudb", re.IGNORECASE)
"""In what is written behind CREATE TABLE."""


def data_bytes(plan: WorkloadPlan) -> int:
    """Return about how many bytes the tables of a workload plan take, where none is compressed."""
    if "tpcc" in plan:
        is_wide = plan["tpcc"].get("wide_texts", False)
        warehouse_bytes = WIDE_WAREHOUSE_BYTES if is_wide else WAREHOUSE_BYTES
        return tpcc.warehouses_of(plan["tpcc"]) * warehouse_bytes + ITEMS_BYTES
    row_bytes = {"sysbench": SYSBENCH_ROW_BYTES, "pgbench": PGBENCH_ROW_BYTES}
    kind = next(iter(plan))
    return rows_of(plan) * row_bytes.get(kind, ROW_BYTES)


def is_compressed(plan: WorkloadPlan) -> bool:
    """Tell whether the options of TPC-C's tables have the server compress them."""
    return "tpcc" in plan and bool(_COMPRESSING.search(plan["tpcc"].get("table_options", "")))
