"""TPC-C: three sums that each New-Order, Payment and Delivery moves by a known amount.

They are cheap on any number of warehouses: a row for each district or warehouse, and for each
district the first entry of an index. What each transaction writes besides, the consistency
conditions hold against these sums: order by order, line by line, payment by payment.
"""

from __future__ import annotations

from dbdyno._native import Session
from dbdyno.ledger.amounts import CENTS, Amount
from dbdyno.tpcc import find_schema
from dbdyno.tpcc.schema import TpccSchema

LEAST_PAYMENT_CENTS = 100


def tpcc_amounts(session: Session, database: str, wanted: str) -> list[Amount]:
    """Return the amounts of the tables that are there; InputError where there are none."""
    schema = find_schema(session, database, wanted)
    return [_new_orders(schema), _payments(schema), _deliveries(schema)]


def _new_orders(schema: TpccSchema) -> Amount:
    return Amount(
        name="new_orders",
        title="New-Orders",
        source="the sum of D_NEXT_O_ID (clause 3.5.3)",
        queries=(f"SELECT SUM(d_next_o_id) FROM {schema.names.district}",),
        only_grows=True,
    )


def _payments(schema: TpccSchema) -> Amount:
    cents = schema.dialect.exact.format("w_ytd")
    factor = CENTS // schema.dialect.units
    return Amount(
        name="paid_cents",
        title="Payments, in money",
        source="the sum of W_YTD",
        queries=(f"SELECT SUM({cents}) * {factor} FROM {schema.names.warehouse}",),
        only_grows=True,
        units=CENTS,
        # Less than the smallest payment, for tables whose amounts are floats.
        tolerance=LEAST_PAYMENT_CENTS - 1,
    )


def _deliveries(schema: TpccSchema) -> Amount:
    """Count the orders that were delivered by the oldest that was not.

    New orders leave in the order in which they came, so the oldest one's number grows by one with
    each order that is delivered; where all are, the next order to come is the oldest.
    """
    oldest = (
        f"(SELECT MIN(no_o_id) FROM {schema.names.new_order} "
        "WHERE no_w_id = d_w_id AND no_d_id = d_id)"
    )
    return Amount(
        name="delivered_orders",
        title="orders delivered",
        source="the sum of the districts' smallest NO_O_ID",
        queries=(f"SELECT SUM(COALESCE({oldest}, d_next_o_id)) FROM {schema.names.district}",),
        only_grows=True,
    )
