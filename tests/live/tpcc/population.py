"""A small population of TPC-C that satisfies all conditions, as if some load had run on it.

Two warehouses with two districts each, twelve customers and twelve orders in each of them. Orders 1
to 8 are delivered; order 1 is worth nothing, as those of the load are. Customer 5 of each district
paid in the other warehouse too. Amounts have cents that are no sums of powers of two.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal

from dbdyno._native import Session
from dbdyno.tpcc.naming import TableNames

WAREHOUSES = (1, 2)
DISTRICTS = (1, 2)
CUSTOMERS = ORDERS = range(1, 13)
DELIVERED = 8
DELIVERED_AT = "2026-01-02 03:04:05"

COLUMNS = {
    "warehouse": "w_id INTEGER PRIMARY KEY, w_ytd DECIMAL(12,2)",
    "district": "d_w_id INTEGER, d_id INTEGER, d_ytd DECIMAL(12,2), d_next_o_id INTEGER, "
    "PRIMARY KEY (d_w_id, d_id)",
    "customer": "c_w_id INTEGER, c_d_id INTEGER, c_id INTEGER, c_balance DECIMAL(12,2), "
    "c_ytd_payment DECIMAL(12,2), PRIMARY KEY (c_w_id, c_d_id, c_id)",
    "history": "h_w_id INTEGER, h_d_id INTEGER, h_c_w_id INTEGER, h_c_d_id INTEGER, "
    "h_c_id INTEGER, h_amount DECIMAL(6,2)",
    "orders": "o_w_id INTEGER, o_d_id INTEGER, o_id INTEGER, o_c_id INTEGER, "
    "o_carrier_id INTEGER, o_ol_cnt INTEGER, PRIMARY KEY (o_w_id, o_d_id, o_id)",
    "new_order": "no_w_id INTEGER, no_d_id INTEGER, no_o_id INTEGER, "
    "PRIMARY KEY (no_w_id, no_d_id, no_o_id)",
    "order_line": "ol_w_id INTEGER, ol_d_id INTEGER, ol_o_id INTEGER, ol_number INTEGER, "
    "ol_delivery_d TIMESTAMP NULL, ol_amount DECIMAL(6,2), "
    "PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)",
    "item": "i_id INTEGER PRIMARY KEY",
    "stock": "s_w_id INTEGER, s_i_id INTEGER, PRIMARY KEY (s_w_id, s_i_id)",
}
"""Only what the conditions are about."""

Value = int | str | Decimal | None
Rows = dict[str, list[tuple[Value, ...]]]


def create(session: Session, names: TableNames, *, keyed: bool = True) -> None:
    """Make the tables, empty, with their primary keys or without."""
    for table, columns in COLUMNS.items():
        wanted = columns if keyed else re.sub(r",? PRIMARY KEY( \(.*\))?", "", columns)
        session.query(f"CREATE TABLE {getattr(names, table)} ({wanted})")


def drop(session: Session, names: TableNames) -> None:
    """Remove the tables."""
    for table in COLUMNS:
        session.query(f"DROP TABLE {getattr(names, table)}")


def fill(session: Session, names: TableNames) -> None:
    """Put the population in place of whatever is there."""
    for table, rows in population().items():
        name = getattr(names, table)
        values = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)
        session.query(f"DELETE FROM {name}")
        session.query(f"INSERT INTO {name} VALUES {values}")


def _literal(value: Value) -> str:
    if value is None:
        return "NULL"
    return f"'{value}'" if isinstance(value, str) else str(value)


def population() -> Rows:
    """Return the rows of all tables."""
    rows: Rows = defaultdict(list)
    delivered: dict[tuple[int, int, int], Decimal] = defaultdict(Decimal)
    for warehouse, district in _districts():
        for order in ORDERS:
            customer = order * 5 % 13
            total = _add_order(rows, warehouse, district, order, customer)
            delivered[warehouse, district, customer] += total
    paid = _add_payments(rows)
    for key in ((w, d, c) for w, d in _districts() for c in CUSTOMERS):
        rows["customer"].append((*key, delivered[key] - paid[key], paid[key]))
    _add_places(rows)
    rows["item"] = [(item,) for item in range(1, 6)]
    rows["stock"] = [(warehouse, item) for warehouse in WAREHOUSES for item in range(1, 6)]
    return rows


def _districts() -> Iterator[tuple[int, int]]:
    return ((warehouse, district) for warehouse in WAREHOUSES for district in DISTRICTS)


def _add_order(rows: Rows, warehouse: int, district: int, order: int, customer: int) -> Decimal:
    """Add an order with its lines; return what of it was delivered."""
    key, lines, is_delivered = (warehouse, district, order), 2 + order % 3, order <= DELIVERED
    carrier = 1 + order % 10 if is_delivered else None
    rows["orders"].append((*key, customer, carrier, lines))
    if not is_delivered:
        rows["new_order"].append(key)
    total = Decimal(0)
    for line in range(1, lines + 1):
        amount = Decimal(1_234 * order + 101 * line + district) / 100 if order > 1 else Decimal(0)
        rows["order_line"].append((*key, line, DELIVERED_AT if is_delivered else None, amount))
        total += amount if is_delivered else 0
    return total


def _add_payments(rows: Rows) -> dict[tuple[int, int, int], Decimal]:
    """Add payments; return what each customer paid."""
    paid: dict[tuple[int, int, int], Decimal] = defaultdict(Decimal)
    for warehouse, district in _districts():
        for customer in CUSTOMERS:
            payments = [(warehouse, district, Decimal(10))]
            if customer % 2:
                payments.append((warehouse, district, Decimal(1_003 + 7 * customer) / 100))
            if customer == 5:
                payments.append((3 - warehouse, 1, Decimal(33) / 100))
            for w, d, amount in payments:
                rows["history"].append((w, d, warehouse, district, customer, amount))
                paid[warehouse, district, customer] += amount
    return paid


def _add_places(rows: Rows) -> None:
    """Add warehouses and districts with what was paid in each."""
    paid: dict[Value, dict[Value, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    for w, d, *_, amount in rows["history"]:
        assert isinstance(amount, Decimal)
        paid[w][d] += amount
    for w in WAREHOUSES:
        rows["warehouse"].append((w, sum(paid[w].values())))
        rows["district"] += [(w, d, paid[w][d], ORDERS[-1] + 1) for d in DISTRICTS]
