"""The conditions of TPC-C that hold single orders against their new orders and lines: 5, 6 and 7.

No large table is joined: servers join row by row where they know no better (PostgreSQL without
statistics), or where each row is a round trip (Spider). Both sides come one below the other
(UNION ALL), each with its own columns and with what counts for nothing in those of the other, and
are grouped by order; an order that only one side has is a group like any other.

Tables may lack primary keys. An order that is there twice is one row, which violates its condition
where one of the two does. A key with a NULL in it is nobody else's key, though GROUP BY puts all
of them together.
"""

from __future__ import annotations

from dbdyno.tpcc.condition import condition
from dbdyno.tpcc.tables import Tables


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
        {t.select_groups} w_id, d_id, o_id,
               CASE WHEN COUNT(new_row) > 0 THEN MAX(carrier) END AS o_carrier_id,
               CASE WHEN COUNT(order_row) > 0 THEN 'yes' ELSE 'no' END AS is_order,
               CASE WHEN COUNT(new_row) > 0 THEN 'yes' ELSE 'no' END AS is_new
        FROM (SELECT o_w_id AS w_id, o_d_id AS d_id, o_id AS o_id, o_carrier_id AS carrier,
                     1 AS order_row, NULL AS new_row
              FROM {t.names.orders} WHERE {t.only("o_w_id")}
              UNION ALL
              SELECT no_w_id, no_d_id, no_o_id, NULL, NULL, 1
              FROM {t.names.new_order} WHERE {t.only("no_w_id")}) x
        GROUP BY w_id, d_id, o_id
        HAVING (COUNT(new_row) = 0 AND COUNT(carrier) < COUNT(order_row))
            OR (COUNT(new_row) > 0 AND (COUNT(carrier) > 0 OR COUNT(order_row) = 0
                                        OR d_id IS NULL OR o_id IS NULL))"""


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
        {t.select_groups} w_id, d_id, o_id, {t.deviating("counted", "MAX(line_rows)")} AS o_ol_cnt,
               MAX(line_rows) AS found
        FROM (SELECT o_w_id AS w_id, o_d_id AS d_id, o_id AS o_id, o_ol_cnt AS counted,
                     1 AS order_row, 0 AS line_rows
              FROM {t.names.orders} WHERE {t.only("o_w_id")}
              UNION ALL
              SELECT ol_w_id, ol_d_id, ol_o_id, NULL, NULL, COUNT(*)
              FROM {t.names.order_line} WHERE {t.whole_key("ol_w_id", "ol_d_id", "ol_o_id")}
              GROUP BY ol_w_id, ol_d_id, ol_o_id) x
        GROUP BY w_id, d_id, o_id
        HAVING {t.any_deviates("counted", "MAX(line_rows)", "order_row")}"""


def _orders_with_wrong_dates(t: Tables) -> str:
    """Return the orders of which a line violates condition 7."""
    return f"""
        {t.select_groups} w_id, d_id, o_id, MAX(carrier_id) AS carrier,
               COUNT(carrier_id) AS carriers, COUNT(order_row) AS orders_found
        FROM (SELECT o_w_id AS w_id, o_d_id AS d_id, o_id AS o_id, o_carrier_id AS carrier_id,
                     1 AS order_row, 0 AS line_rows, 0 AS dates
              FROM {t.names.orders} WHERE {t.whole_key("o_w_id", "o_d_id", "o_id")}
              UNION ALL
              SELECT ol_w_id, ol_d_id, ol_o_id, NULL, NULL, COUNT(*), COUNT(ol_delivery_d)
              FROM {t.names.order_line} WHERE {t.only("ol_w_id")}
              GROUP BY ol_w_id, ol_d_id, ol_o_id) x
        GROUP BY w_id, d_id, o_id
        HAVING COUNT(order_row) = 0
            OR (MAX(dates) < MAX(line_rows) AND COUNT(carrier_id) > 0)
            OR (MAX(dates) > 0 AND COUNT(carrier_id) < COUNT(order_row))"""


@condition(
    7,
    "a line has its delivery date if its order has a carrier",
    "w_id, d_id, o_id, ol_number",
    "ol_delivery_d, o_carrier_id, order",
    longest_run=1,
    suspects=_orders_with_wrong_dates,
)
def delivery_dates(t: Tables) -> str:
    """Condition 7 both ways, and lines without an order.

    Of an order with a carrier the lines without a date are wrong, and the other way round: a wrong
    line that has a date has no carrier.
    """
    return f"""
        SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_delivery_d,
               CASE WHEN ol_delivery_d IS NULL THEN s.carrier END AS o_carrier_id,
               CASE WHEN s.orders_found = 0 THEN 'no' ELSE 'yes' END AS is_order
        FROM ({_orders_with_wrong_dates(t)}) s
        JOIN {t.names.order_line}
          ON ol_w_id = s.w_id AND ol_d_id = s.d_id AND ol_o_id = s.o_id
        WHERE {t.only("ol_w_id")}
          AND (s.orders_found = 0
               OR (ol_delivery_d IS NULL AND s.carriers > 0)
               OR (ol_delivery_d IS NOT NULL AND s.carriers < s.orders_found))
        UNION ALL
        SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_delivery_d, NULL, 'no'
        FROM {t.names.order_line}
        WHERE {t.only("ol_w_id")} AND (ol_d_id IS NULL OR ol_o_id IS NULL)"""
