"""The twelve consistency conditions of TPC-C, clause 3.3.2, each as a query for its violations.

Where a query compares two amounts they are called ``stated`` and ``derived``: ``deviations`` reads
the difference.
"""

from __future__ import annotations

from dbdyno.tpcc.condition import Condition, condition
from dbdyno.tpcc.tables import Tables

INITIAL_ORDERS = 3000
INITIAL_DELIVERED = 2100

WAREHOUSES_WITHOUT_INDEX = 20
"""Where history has no index by customer, each query about payments reads all of it. So many
warehouses then share one reading; fewer are faster one by one, each with the whole history."""


@condition(1, "w_ytd is the sum of d_ytd", "w_id", "w_ytd, sum(d_ytd)", amounts=True)
def warehouse_and_districts(t: Tables) -> str:
    """Condition 1."""
    return f"""
        SELECT w_id, {t.exact("w_ytd")} AS stated, COALESCE(d.total, 0) AS derived
        FROM {t.names.warehouse}
        LEFT JOIN (SELECT d_w_id, SUM({t.exact("d_ytd")}) AS total FROM {t.names.district}
                   WHERE {t.only("d_w_id")} GROUP BY d_w_id) d ON d.d_w_id = w_id
        WHERE {t.only("w_id")} AND {t.differs(t.exact("w_ytd"), "COALESCE(d.total, 0)")}"""


@condition(
    2,
    "d_next_o_id - 1 is the newest order and new order",
    "w_id, d_id",
    "d_next_o_id - 1, max(o_id), max(no_o_id)",
    longest_run=1,
)
def next_order(t: Tables) -> str:
    """Condition 2; where all orders are delivered there is no newest new order to compare."""
    return f"""
        SELECT d_w_id, d_id, d_next_o_id - 1 AS newest, o.newest AS newest_order,
               n.newest AS newest_new_order
        FROM {t.names.district}
        LEFT JOIN (SELECT o_w_id, o_d_id, MAX(o_id) AS newest FROM {t.names.orders}
                   WHERE {t.only("o_w_id")} GROUP BY o_w_id, o_d_id) o
               ON o.o_w_id = d_w_id AND o.o_d_id = d_id
        LEFT JOIN (SELECT no_w_id, no_d_id, MAX(no_o_id) AS newest FROM {t.names.new_order}
                   WHERE {t.only("no_w_id")} GROUP BY no_w_id, no_d_id) n
               ON n.no_w_id = d_w_id AND n.no_d_id = d_id
        WHERE {t.only("d_w_id")}
          AND ({t.differs("d_next_o_id - 1", "COALESCE(o.newest, 0)")}
               OR {t.differs("d_next_o_id - 1", "COALESCE(n.newest, d_next_o_id - 1)")})"""


@condition(
    3,
    "new orders have no gaps",
    "w_id, d_id",
    "max(no_o_id) - min(no_o_id) + 1, count(new_order)",
    longest_run=1,
)
def gaps(t: Tables) -> str:
    """Condition 3."""
    return f"""
        SELECT no_w_id, no_d_id, MAX(no_o_id) - MIN(no_o_id) + 1 AS places, COUNT(*) AS orders
        FROM {t.names.new_order} WHERE {t.only("no_w_id")} GROUP BY no_w_id, no_d_id
        HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)"""


@condition(
    4,
    "districts: sum(o_ol_cnt) is the number of lines",
    "w_id, d_id",
    "sum(o_ol_cnt), count(order_line)",
    longest_run=1,
)
def lines_of_districts(t: Tables) -> str:
    """Condition 4."""
    return f"""
        SELECT d_w_id, d_id, COALESCE(o.counted, 0) AS counted, COALESCE(l.line_rows, 0) AS found
        FROM {t.names.district}
        LEFT JOIN (SELECT o_w_id, o_d_id, SUM(o_ol_cnt) AS counted FROM {t.names.orders}
                   WHERE {t.only("o_w_id")} GROUP BY o_w_id, o_d_id) o
               ON o.o_w_id = d_w_id AND o.o_d_id = d_id
        LEFT JOIN (SELECT ol_w_id, ol_d_id, COUNT(*) AS line_rows FROM {t.names.order_line}
                   WHERE {t.only("ol_w_id")} GROUP BY ol_w_id, ol_d_id) l
               ON l.ol_w_id = d_w_id AND l.ol_d_id = d_id
        WHERE {t.only("d_w_id")} AND COALESCE(o.counted, 0) <> COALESCE(l.line_rows, 0)"""


@condition(
    5,
    "an order is a new order as long as it has no carrier",
    "w_id, d_id, o_id",
    "o_carrier_id, order, new_order",
    longest_run=1,
)
def carriers(t: Tables) -> str:
    """Condition 5 both ways, and new orders that are no orders."""
    return f"""
        SELECT o_w_id, o_d_id, o_id, o_carrier_id, 'yes' AS is_order,
               CASE WHEN no_o_id IS NULL THEN 'no' ELSE 'yes' END AS is_new
        FROM {t.names.orders}
        LEFT JOIN {t.names.new_order}
               ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id
        WHERE {t.only("o_w_id")} AND (o_carrier_id IS NULL) = (no_o_id IS NULL)
        UNION ALL
        SELECT no_w_id, no_d_id, no_o_id, NULL, 'no', 'yes'
        FROM {t.names.new_order}
        LEFT JOIN {t.names.orders} ON o_w_id = no_w_id AND o_d_id = no_d_id AND o_id = no_o_id
        WHERE {t.only("no_w_id")} AND o_id IS NULL"""


@condition(
    6,
    "orders: o_ol_cnt is the number of lines",
    "w_id, d_id, o_id",
    "o_ol_cnt, count(order_line)",
    longest_run=1,
)
def lines_of_orders(t: Tables) -> str:
    """Condition 6."""
    return f"""
        SELECT o_w_id, o_d_id, o_id, o_ol_cnt, COALESCE(l.line_rows, 0) AS found
        FROM {t.names.orders}
        LEFT JOIN (SELECT ol_w_id, ol_d_id, ol_o_id, COUNT(*) AS line_rows
                   FROM {t.names.order_line} WHERE {t.only("ol_w_id")}
                   GROUP BY ol_w_id, ol_d_id, ol_o_id) l
               ON l.ol_w_id = o_w_id AND l.ol_d_id = o_d_id AND l.ol_o_id = o_id
        WHERE {t.only("o_w_id")} AND {t.differs("o_ol_cnt", "COALESCE(l.line_rows, 0)")}"""


@condition(
    7,
    "a line has its delivery date if its order has a carrier",
    "w_id, d_id, o_id, ol_number",
    "ol_delivery_d, o_carrier_id, order",
    longest_run=1,
)
def delivery_dates(t: Tables) -> str:
    """Condition 7 both ways, and lines without an order."""
    return f"""
        SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_delivery_d, o_carrier_id,
               CASE WHEN o_id IS NULL THEN 'no' ELSE 'yes' END AS is_order
        FROM {t.names.order_line}
        LEFT JOIN {t.names.orders} ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
        WHERE {t.only("ol_w_id")}
          AND (o_id IS NULL OR (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL))"""


@condition(8, "w_ytd is the sum of h_amount", "w_id", "w_ytd, sum(h_amount)", amounts=True)
def warehouse_and_history(t: Tables) -> str:
    """Condition 8."""
    return f"""
        SELECT w_id, {t.exact("w_ytd")} AS stated, COALESCE(h.total, 0) AS derived
        FROM {t.names.warehouse}
        LEFT JOIN (SELECT h_w_id, SUM({t.exact("h_amount")}) AS total FROM {t.names.history}
                   WHERE {t.only("h_w_id")} GROUP BY h_w_id) h ON h.h_w_id = w_id
        WHERE {t.only("w_id")} AND {t.differs(t.exact("w_ytd"), "COALESCE(h.total, 0)")}"""


@condition(9, "d_ytd is the sum of h_amount", "w_id, d_id", "d_ytd, sum(h_amount)", amounts=True)
def district_and_history(t: Tables) -> str:
    """Condition 9: where the payment was made, not where the customer lives."""
    return f"""
        SELECT d_w_id, d_id, {t.exact("d_ytd")} AS stated, COALESCE(h.total, 0) AS derived
        FROM {t.names.district}
        LEFT JOIN (SELECT h_w_id, h_d_id, SUM({t.exact("h_amount")}) AS total
                   FROM {t.names.history} WHERE {t.only("h_w_id")} GROUP BY h_w_id, h_d_id) h
               ON h.h_w_id = d_w_id AND h.h_d_id = d_id
        WHERE {t.only("d_w_id")} AND {t.differs(t.exact("d_ytd"), "COALESCE(h.total, 0)")}"""


def _delivered(t: Tables) -> str:
    """Return what was delivered to each customer."""
    return f"""
        SELECT o_w_id, o_d_id, o_c_id, SUM({t.exact("ol_amount")}) AS total
        FROM {t.names.orders}
        JOIN {t.names.order_line}
          ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
        WHERE {t.only("o_w_id")} AND {t.only("ol_w_id")} AND ol_delivery_d IS NOT NULL
        GROUP BY o_w_id, o_d_id, o_c_id"""


@condition(
    10,
    "c_balance is what was delivered less what was paid",
    "w_id, d_id, c_id",
    "c_balance, sum(ol_amount) - sum(h_amount)",
    amounts=True,
    longest_run=WAREHOUSES_WITHOUT_INDEX,
)
def balance(t: Tables) -> str:
    """Condition 10."""
    derived = "COALESCE(l.total, 0) - COALESCE(h.total, 0)"
    return f"""
        SELECT c_w_id, c_d_id, c_id, {t.exact("c_balance")} AS stated, {derived} AS derived
        FROM {t.names.customer}
        LEFT JOIN ({_delivered(t)}) l
               ON l.o_w_id = c_w_id AND l.o_d_id = c_d_id AND l.o_c_id = c_id
        LEFT JOIN (SELECT h_c_w_id, h_c_d_id, h_c_id, SUM({t.exact("h_amount")}) AS total
                   FROM {t.names.history} WHERE {t.only("h_c_w_id")}
                   GROUP BY h_c_w_id, h_c_d_id, h_c_id) h
               ON h.h_c_w_id = c_w_id AND h.h_c_d_id = c_d_id AND h.h_c_id = c_id
        WHERE {t.only("c_w_id")} AND {t.differs(t.exact("c_balance"), derived)}"""


@condition(
    11,
    "orders less new orders have a carrier (loaded: 2,100)",
    "w_id, d_id",
    "count(orders) - count(new_order), expected",
    longest_run=1,
)
def delivered_orders(t: Tables) -> str:
    """Condition 11, whose 2,100 holds until the first delivery.

    A district is as it was loaded where the next order is the first and the oldest new order is
    the oldest of the load; afterwards what is no new order has a carrier.
    """
    counted = "COALESCE(o.order_rows, 0) - COALESCE(n.order_rows, 0)"
    expected = f"""CASE WHEN d_next_o_id = {INITIAL_ORDERS + 1}
                         AND n.oldest = {INITIAL_DELIVERED + 1} THEN {INITIAL_DELIVERED}
                        ELSE COALESCE(o.carriers, 0) END"""
    return f"""
        SELECT d_w_id, d_id, {counted} AS counted, {expected} AS expected
        FROM {t.names.district}
        LEFT JOIN (SELECT o_w_id, o_d_id, COUNT(*) AS order_rows, COUNT(o_carrier_id) AS carriers
                   FROM {t.names.orders} WHERE {t.only("o_w_id")} GROUP BY o_w_id, o_d_id) o
               ON o.o_w_id = d_w_id AND o.o_d_id = d_id
        LEFT JOIN (SELECT no_w_id, no_d_id, COUNT(*) AS order_rows, MIN(no_o_id) AS oldest
                   FROM {t.names.new_order} WHERE {t.only("no_w_id")}
                   GROUP BY no_w_id, no_d_id) n
               ON n.no_w_id = d_w_id AND n.no_d_id = d_id
        WHERE {t.only("d_w_id")} AND {counted} <> {expected}"""


@condition(
    12,
    "c_balance + c_ytd_payment is what was delivered",
    "w_id, d_id, c_id",
    "c_balance + c_ytd_payment, sum(ol_amount), c_ytd_payment",
    amounts=True,
    longest_run=1,
)
def balance_and_payments(t: Tables) -> str:
    """Condition 12."""
    stated = f"{t.exact('c_balance')} + {t.exact('c_ytd_payment')}"
    return f"""
        SELECT c_w_id, c_d_id, c_id, {stated} AS stated, COALESCE(l.total, 0) AS derived,
               {t.exact("c_ytd_payment")} AS c_ytd_payment
        FROM {t.names.customer}
        LEFT JOIN ({_delivered(t)}) l
               ON l.o_w_id = c_w_id AND l.o_d_id = c_d_id AND l.o_c_id = c_id
        WHERE {t.only("c_w_id")} AND {t.differs(stated, "COALESCE(l.total, 0)")}"""


CONDITIONS: dict[int, Condition] = {
    made.number: made
    for made in (
        *(warehouse_and_districts, next_order, gaps, lines_of_districts, carriers),
        *(lines_of_orders, delivery_dates, warehouse_and_history, district_and_history),
        *(balance, delivered_orders, balance_and_payments),
    )
    if made.number is not None
}
"""By number."""
