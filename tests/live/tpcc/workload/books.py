"""What the tables of TPC-C add up to: before a trial, after it, and in between.

Nothing here is taken from the workload's own statements: sums are asked for with others.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from dbdyno.experiment.workload.tpcc import Tpcc
from dbdyno.target.base import Server
from tests.live.target.queries import query
from tests.live.workload.trials import Trial

WAREHOUSES = 2
NOW = "2026-01-01 00:00:00"
"""When the rows of the population happened."""

SUMS = {
    "warehouse": {"w_ytd": "SUM(w_ytd)"},
    "district": {"d_ytd": "SUM(d_ytd)", "next": "SUM(d_next_o_id - 3001)"},
    "stock": {
        "quantity": "SUM(s_quantity)",
        "s_ytd": "SUM(s_ytd)",
        "s_order_cnt": "SUM(s_order_cnt)",
        "s_remote_cnt": "SUM(s_remote_cnt)",
        "lowest": "MIN(s_quantity)",
        "highest": "MAX(s_quantity)",
    },
    "customer": {
        "balance": "SUM(c_balance)",
        "paid": "SUM(c_ytd_payment)",
        "payments": "SUM(c_payment_cnt)",
        "delivered": "SUM(c_delivery_cnt)",
    },
    "history": {"histories": "COUNT(*)", "h_amount": "SUM(h_amount)"},
    "orders": {
        "orders": "COUNT(*)",
        "sizes": "SUM(o_ol_cnt)",
        "with_carrier": "SUM(CASE WHEN o_carrier_id BETWEEN 1 AND 10 THEN 1 ELSE 0 END)",
    },
    "new_order": {"new_orders": "COUNT(*)"},
    "order_line": {
        "lines": "COUNT(*)",
        "remote": "SUM(CASE WHEN ol_supply_w_id = ol_w_id THEN 0 ELSE 1 END)",
        "ordered": "SUM(ol_quantity)",
        "delivered_amount": "SUM(CASE WHEN ol_delivery_d IS NULL THEN 0 ELSE ol_amount END)",
    },
}

NAMES: dict[str, dict[str, str]] = {
    "spec": {},
    "go_tpc": {},
    "tpcc_mysql": {"new_order": "new_orders"},
    "benchmarksql": {name: f"bmsql_{name}" for name in SUMS} | {"orders": "bmsql_oorder"},
    "sysbench_tpcc": {name: f"{name}1" for name in (*SUMS, "item")} | {"new_order": "new_orders1"},
}
"""What tables are called where it is not the specification's name."""

KEYS = {
    "item": "i_id",
    "warehouse": "w_id",
    "district": "d_w_id, d_id",
    "stock": "s_w_id, s_i_id",
    "customer": "c_w_id, c_d_id, c_id",
    "orders": "o_w_id, o_d_id, o_id",
    "new_order": "no_w_id, no_d_id, no_o_id",
    "order_line": "ol_w_id, ol_d_id, ol_o_id, ol_number",
}
"""The primary key of each table; the history has none."""

Books = Mapping[str, Decimal]


def tpcc(**fields: Any) -> Tpcc:
    """Return a workload, of whose New-Orders a fifth is rolled back unless it is said otherwise."""
    return Tpcc.model_validate({"rollback_percent": 20.0} | fields)


def name_of(schema: str, table: str) -> str:
    """Return what a table is called in a schema."""
    return NAMES[schema].get(table, ("bmsql_" if schema == "benchmarksql" else "") + table)


def sums(server: Server, schema: str = "spec") -> Books:
    """Return all sums; those of amounts exact to the cent, also where they are floats."""
    books: dict[str, Decimal] = {}
    for table, asked in SUMS.items():
        sql = f"SELECT {', '.join(asked.values())} FROM {name_of(schema, table)}"
        (row,) = query(server, sql)
        for name, value in zip(asked, row, strict=True):
            books[name] = Decimal(value or 0).quantize(Decimal("0.01"))
    return books


def check(before: Books, after: Books, trial: Trial) -> None:
    """Hold what a trial has changed against what it counted."""
    grown = {name: after[name] - before[name] for name in before}
    orders, payments = trial.kinds["new_order"], trial.kinds["payment"]
    # What was rolled back has left nothing.
    assert orders["rolled_back"] > 0
    assert grown["next"] == grown["orders"] == orders["committed"] > 0
    assert grown["lines"] == grown["sizes"] == grown["s_order_cnt"] >= 5 * orders["committed"]
    assert grown["ordered"] == grown["s_ytd"]
    assert grown["remote"] == grown["s_remote_cnt"]
    # Whatever was taken was taken once, and filled up by 91 where it fell below ten.
    assert (grown["quantity"] + grown["ordered"]) % 91 == 0
    assert after["lowest"] >= 10
    assert after["highest"] <= 100
    assert grown["histories"] == grown["payments"] == payments["committed"] > 0
    assert grown["w_ytd"] == grown["d_ytd"] == grown["paid"] == grown["h_amount"] > 0
    assert after["w_ytd"] == after["h_amount"]
    skipped = trial.end["facts"]["skipped_districts"]
    delivered = 10 * trial.kinds["delivery"]["committed"] - skipped
    assert grown["delivered"] == grown["with_carrier"] == delivered > 0
    assert grown["new_orders"] == orders["committed"] - delivered
    assert grown["balance"] == grown["delivered_amount"] - grown["h_amount"]


def _joined(server: Server, *parts: str) -> str:
    return f"CONCAT({', '.join(parts)})" if "mysql" in server.url else " || ".join(parts)


def wrong_rows(server: Server, schema: str = "spec") -> dict[str, int]:
    """Return, by what is asked for, how many rows are not as a transaction has to leave them."""
    name = {table: name_of(schema, table) for table in [*SUMS, "item"]}
    line, stock, orders = name["order_line"], name["stock"], name["orders"]
    dist = " ".join(f"WHEN {number} THEN s_dist_{number:02}" for number in range(1, 11))
    same_order = "ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id"
    prefix = _joined(server, "c_id", "' '", "c_d_id", "' '", "c_w_id", "' %'")
    place = _joined(server, "w_name", "'    '", "d_name")
    has_prefix = f"CASE WHEN c_data LIKE {prefix} THEN 1 ELSE 0 END"
    questions = {
        "the amount is quantity times price": f"{line}, {name['item']} WHERE i_id = ol_i_id "
        "AND ol_o_id > 3000 AND ROUND(ol_amount - ol_quantity * i_price, 2) <> 0",
        "the district's text of the stock": f"{line}, {stock} WHERE s_w_id = ol_supply_w_id "
        f"AND s_i_id = ol_i_id AND ol_o_id > 3000 AND ol_dist_info <> CASE ol_d_id {dist} END",
        "as many lines as the order says": f"{orders} WHERE o_id > 3000 AND o_ol_cnt <> "
        f"(SELECT COUNT(*) FROM {line} WHERE {same_order})",
        "the last line's number": f"{orders} WHERE o_id > 3000 AND o_ol_cnt <> "
        f"(SELECT MAX(ol_number) FROM {line} WHERE {same_order})",
        "all lines are local or not": f"{orders} WHERE o_id > 3000 AND o_all_local <> "
        f"(SELECT MIN(CASE WHEN ol_supply_w_id = o_w_id THEN 1 ELSE 0 END) FROM {line} "
        f"WHERE {same_order})",
        "a carrier and a time": f"{orders}, {line} WHERE {same_order} AND o_id > 2100 AND "
        "CASE WHEN o_carrier_id IS NULL THEN 0 ELSE 1 END <> "
        "CASE WHEN ol_delivery_d IS NULL THEN 0 ELSE 1 END",
        "bad credit is written down, good is not": f"{name['customer']} WHERE "
        f"CASE WHEN c_credit = 'BC' AND c_payment_cnt > 1 THEN 1 ELSE 0 END <> {has_prefix}",
        "data that are cut": f"{name['customer']} WHERE LENGTH(c_data) > 500",
        "both names in the history": f"{name['history']}, {name['warehouse']}, "
        f"{name['district']} WHERE w_id = h_w_id AND d_w_id = h_w_id AND d_id = h_d_id "
        f"AND h_date > '{NOW}' AND h_data <> {place}",
        "amounts": f"{name['history']} WHERE h_date > '{NOW}' "
        "AND (h_amount < 1 OR h_amount > 5000)",
    }
    return {
        question: int(query(server, f"SELECT COUNT(*) FROM {rest}")[0][0] or 0)
        for question, rest in questions.items()
    }
