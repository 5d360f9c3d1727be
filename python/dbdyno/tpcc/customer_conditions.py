"""The conditions of TPC-C that hold customers against what was delivered and what was paid: 10, 12.

As with single orders, no large table is joined (see ``order_conditions``). Which customer a line
is of is found by grouping lines and orders by order; what comes of that is grouped by customer,
together with the customers themselves.
"""

from __future__ import annotations

from dbdyno.tpcc.condition import condition
from dbdyno.tpcc.tables import Tables

WAREHOUSES_WITHOUT_INDEX = 20
"""Where history has no index by customer, each query about payments reads all of it. So many
warehouses then share one reading; fewer are faster one by one, each with the whole history."""


def _delivered(t: Tables, nothing: str) -> str:
    """Return what was delivered of each order: warehouse, district, customer, nothing, amount.

    The lines of an order that is there twice count twice, and those of no order for nothing.
    """
    return f"""
        {t.select_groups} w_id, d_id, MAX(buyer), {nothing}, COUNT(order_row) * MAX(line_amount)
        FROM (SELECT o_w_id AS w_id, o_d_id AS d_id, o_id AS o_id, o_c_id AS buyer,
                     1 AS order_row, NULL AS line_amount
              FROM {t.names.orders} WHERE {t.whole_key("o_w_id", "o_d_id", "o_id", "o_c_id")}
              UNION ALL
              SELECT ol_w_id, ol_d_id, ol_o_id, NULL, NULL, SUM({t.exact("ol_amount")})
              FROM {t.names.order_line}
              WHERE {t.whole_key("ol_w_id", "ol_d_id", "ol_o_id")} AND ol_delivery_d IS NOT NULL
              GROUP BY ol_w_id, ol_d_id, ol_o_id) o
        GROUP BY w_id, d_id, o_id
        HAVING COUNT(order_row) > 0"""


def _customers_with(t: Tables, values: str) -> str:
    """Return the customers' part: their keys, one for each row, and what they state."""
    return f"""
        SELECT c_w_id AS w_id, c_d_id AS d_id, c_id AS c_id, 1 AS customer_row, {values},
               0 AS amount
        FROM {t.names.customer} WHERE {t.only("c_w_id")}"""


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
    return f"""
        {t.select_groups} w_id, d_id, c_id, {t.deviating("balance", "SUM(amount)")} AS stated,
               SUM(amount) AS derived
        FROM ({_customers_with(t, f"{t.exact('c_balance')} AS balance")}
              UNION ALL
              {_delivered(t, "NULL, NULL")}
              UNION ALL
              SELECT h_c_w_id, h_c_d_id, h_c_id, NULL, NULL, -SUM({t.exact("h_amount")})
              FROM {t.names.history} WHERE {t.whole_key("h_c_w_id", "h_c_d_id", "h_c_id")}
              GROUP BY h_c_w_id, h_c_d_id, h_c_id) x
        GROUP BY w_id, d_id, c_id
        HAVING {t.any_deviates("balance", "SUM(amount)", "customer_row")}"""


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
    paid = t.exact("c_ytd_payment")
    values = f"{t.exact('c_balance')} + {paid} AS spent, {paid} AS paid"
    return f"""
        {t.select_groups} w_id, d_id, c_id, {t.deviating("spent", "SUM(amount)")} AS stated,
               SUM(amount) AS derived, MAX(paid) AS c_ytd_payment
        FROM ({_customers_with(t, values)}
              UNION ALL
              {_delivered(t, "NULL, NULL, NULL")}) x
        GROUP BY w_id, d_id, c_id
        HAVING {t.any_deviates("spent", "SUM(amount)", "customer_row")}"""
