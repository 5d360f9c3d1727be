"""TPC-C: three sums that each New-Order, Payment and Delivery moves by a known amount.

They are cheap on any number of warehouses: a row for each district or warehouse, and for each
district the first entry of an index. What each transaction writes besides, the consistency
conditions hold against these sums: order by order, line by line, payment by payment.
"""

from __future__ import annotations

from dataclasses import dataclass

from dbdyno._native import Session
from dbdyno.ledger.amounts import CENTS, Amount
from dbdyno.tpcc.schema import TpccSchema, find_schema

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
        queries=(f"SELECT SUM(d_next_o_id) AS total FROM {schema.names.district}",),
        only_grows=True,
    )


def _payments(schema: TpccSchema) -> Amount:
    cents = schema.dialect.exact.format("w_ytd")
    factor = CENTS // schema.dialect.units
    return Amount(
        name="paid_cents",
        title="Payments, in money",
        source="the sum of W_YTD",
        queries=(f"SELECT SUM({cents} * {factor}) AS total FROM {schema.names.warehouse}",),
        only_grows=True,
        units=CENTS,
        # Less than the smallest payment, for tables whose amounts are floats.
        tolerance=LEAST_PAYMENT_CENTS - 1,
    )


@dataclass(frozen=True)
class OldestOrders(Amount):
    """Counts the orders that were delivered by the oldest that was not.

    New orders leave in the order in which they came, so the oldest one's number grows by one with
    each order that is delivered; where all are, the next order to come is the oldest. It is put
    together here: a sharding layer may answer a subquery from one of its nodes alone. Spider may
    do so with the groups, and a district that is not among them is asked for by itself.
    """

    table: str = ""

    def read(self, session: Session) -> int:
        """Return the sum over all districts."""
        next_query, groups_query = self.queries
        following = {(w, d): int(order or 0) for w, d, order in session.query(next_query)}
        oldest = {(w, d): int(order or 0) for w, d, order in session.query(groups_query)}
        for w, d in following.keys() - oldest.keys():
            of_district = f"FROM {self.table} WHERE no_w_id = {w} AND no_d_id = {d}"
            ((order,),) = session.query(f"SELECT MIN(no_o_id) {of_district}")
            oldest[w, d] = int(order or following[w, d])
        return sum(oldest.values())


def _deliveries(schema: TpccSchema) -> Amount:
    new_order = schema.names.new_order
    return OldestOrders(
        name="delivered_orders",
        title="orders delivered",
        source="the sum of the districts' smallest NO_O_ID",
        queries=(
            f"SELECT d_w_id, d_id, d_next_o_id FROM {schema.names.district}",
            f"SELECT no_w_id, no_d_id, MIN(no_o_id) AS oldest FROM {new_order} "
            "GROUP BY no_w_id, no_d_id",
        ),
        only_grows=True,
        table=new_order,
    )
