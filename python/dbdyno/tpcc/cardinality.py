"""How many rows each table has after loading (clause 4.3.3.1); a run adds orders and payments."""

from __future__ import annotations

from dbdyno.tpcc.condition import Condition, condition
from dbdyno.tpcc.tables import Tables

ITEMS = 100_000
ORDER_LINES = range(297_000, 303_001)
"""About 300,000: their number in each order is drawn; one percent is allowed."""

ROWS_OF_A_WAREHOUSE = {
    "district": ("d_w_id", range(10, 11)),
    "customer": ("c_w_id", range(30_000, 30_001)),
    "history": ("h_w_id", range(30_000, 30_001)),
    "orders": ("o_w_id", range(30_000, 30_001)),
    "new_order": ("no_w_id", range(9_000, 9_001)),
    "order_line": ("ol_w_id", ORDER_LINES),
    "stock": ("s_w_id", range(100_000, 100_001)),
}


def _items() -> Condition:
    @condition(None, f"item has {ITEMS:,} rows", "rows", "expected")
    def items(t: Tables) -> str:
        return f"""
            SELECT found, {ITEMS} AS expected
            FROM (SELECT COUNT(*) AS found FROM {t.names.item}) i WHERE found <> {ITEMS}"""

    return items


def _rows_of(table: str, column: str, allowed: range) -> Condition:
    least, most = allowed[0], allowed[-1]
    expected = f"{least:,}" if least == most else f"{least:,} to {most:,}"

    @condition(None, f"{table} has {expected} rows a warehouse", "w_id", "rows, expected")
    def rows(t: Tables) -> str:
        # Counted in one go, because history need not have an index by warehouse.
        found = "COALESCE(x.found, 0)"
        return f"""
            SELECT w_id, {found} AS found, '{expected}' AS expected
            FROM {t.names.warehouse}
            LEFT JOIN (SELECT {column} AS warehouse, COUNT(*) AS found
                       FROM {getattr(t.names, table)} WHERE {t.only(column)}
                       GROUP BY {column}) x ON x.warehouse = w_id
            WHERE {t.only("w_id")} AND {found} NOT BETWEEN {least} AND {most}"""

    return rows


CARDINALITIES = (
    *(_rows_of(table, column, allowed) for table, (column, allowed) in ROWS_OF_A_WAREHOUSE.items()),
    _items(),
)
"""One for each table, in place of conditions."""
