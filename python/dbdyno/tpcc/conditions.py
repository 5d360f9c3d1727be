"""The twelve consistency conditions of TPC-C, clause 3.3.2, each as a query for its violations.

Where a query compares two amounts they are called ``stated`` and ``derived``: ``deviations`` reads
the difference. The queries here join one row a warehouse or district to what was summed for it;
those about single orders and customers are beside, and join nothing.
"""

from __future__ import annotations

from dbdyno.tpcc.condition import Condition, condition
from dbdyno.tpcc.customer_conditions import balance, balance_and_payments
from dbdyno.tpcc.order_conditions import carriers, delivery_dates, lines_of_orders
from dbdyno.tpcc.tables import Tables

INITIAL_ORDERS = 3000
INITIAL_DELIVERED = 2100


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
