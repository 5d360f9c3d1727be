"""What the tools call TPC-C's nine tables. Their columns have the same names everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields


@dataclass(frozen=True)
class TableNames:
    """The tables by what they hold; a default is the name that the specification suggests."""

    warehouse: str = "warehouse"
    district: str = "district"
    customer: str = "customer"
    history: str = "history"
    new_order: str = "new_order"
    orders: str = "orders"
    order_line: str = "order_line"
    item: str = "item"
    stock: str = "stock"

    def missing_in(self, present: Iterable[str]) -> list[str]:
        """Return the tables that are not among those that are there."""
        known = set(present)
        return [name for name in asdict(self).values() if name not in known]


SPEC = "spec"
GO_TPC = "go_tpc"

NAMINGS = {
    SPEC: TableNames(),
    "tpcc_mysql": TableNames(new_order="new_orders"),
    "benchbase": TableNames(orders="oorder"),
    "benchmarksql": TableNames(
        **{field.name: f"bmsql_{field.name}" for field in fields(TableNames)}
        | {"orders": "bmsql_oorder"}
    ),
}
"""By the name of the schema. Tables of HammerDB, go-tpc and stroppy are called as in ``spec``."""

SYSBENCH_TPCC = "sysbench_tpcc"
FIRST_SET = f"{SYSBENCH_TPCC}_1"
"""What is meant where sysbench-tpcc's tables are asked for without a number."""

GO_TPC_INDEXES = {"idx_h_w_id", "idx_h_c_w_id"}
"""Indexes that go-tpc alone makes, on history."""

_NUMBERED_WAREHOUSE = re.compile(r"warehouse(\d+)")


def known_namings(present: Iterable[str]) -> dict[str, TableNames]:
    """Return all namings that may be: the fixed ones, and sysbench-tpcc's numbered sets."""
    numbers = sorted(int(m[1]) for name in present if (m := _NUMBERED_WAREHOUSE.fullmatch(name)))
    return NAMINGS | {f"sysbench_tpcc_{number}": _numbered(number) for number in numbers}


def naming_of(schema: str) -> TableNames:
    """Return the names in the tables of a workload's schema."""
    if schema == SYSBENCH_TPCC:
        return _numbered(1)
    return NAMINGS[SPEC if schema == GO_TPC else schema]


def _numbered(number: int) -> TableNames:
    names = asdict(NAMINGS["tpcc_mysql"])
    return TableNames(**{field: f"{name}{number}" for field, name in names.items()})
