"""Delivery as steps: clause 2.7.4 for one district, which may be a transaction of its own."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from dbdyno.tpcc.acid.steps import Steps
from dbdyno.tpcc.acid.writing import Customer, Writing, money, number, one_row

CARRIER = 7


@dataclass(frozen=True)
class Delivered:
    """An order that was delivered, to whom, and what it is worth."""

    order: int
    customer: Customer
    amount: Decimal

    def __str__(self) -> str:
        return f"order {self.order} of {self.amount} to customer {self.customer.number}"


def delivery(writing: Writing, warehouse: int, district: int) -> Steps[Delivered | None]:
    """Deliver the district's oldest new order; None where there is none."""
    order = yield from read_oldest_order(writing, warehouse, district)
    return None if order is None else (yield from _deliver(writing, warehouse, district, order))


def read_oldest_order(writing: Writing, warehouse: int, district: int) -> Steps[int | None]:
    """Return the number of the oldest new order, locked; None where there is none."""
    rows = yield (
        f"SELECT no_o_id FROM {writing.names.new_order} WHERE no_w_id = {warehouse} "
        f"AND no_d_id = {district} ORDER BY no_o_id LIMIT 1{writing.dialect.for_update}"
    )
    return number(rows[0][0]) if rows else None


def _deliver(writing: Writing, warehouse: int, district: int, order: int) -> Steps[Delivered]:
    names = writing.names

    def of_order(prefix: str, order_column: str) -> str:
        return (
            f"{prefix}_w_id = {warehouse} AND {prefix}_d_id = {district} "
            f"AND {order_column} = {order}"
        )

    yield f"DELETE FROM {names.new_order} WHERE {of_order('no', 'no_o_id')}"
    rows = yield f"SELECT o_c_id FROM {names.orders} WHERE {of_order('o', 'o_id')}"
    customer = Customer(warehouse, district, number(one_row(rows, f"order {order}")[0]))
    yield f"UPDATE {names.orders} SET o_carrier_id = {CARRIER} WHERE {of_order('o', 'o_id')}"
    yield (
        f"UPDATE {names.order_line} SET ol_delivery_d = CURRENT_TIMESTAMP "
        f"WHERE {of_order('ol', 'ol_o_id')}"
    )
    rows = yield f"SELECT SUM(ol_amount) FROM {names.order_line} WHERE {of_order('ol', 'ol_o_id')}"
    amount = money(rows[0][0])
    yield (
        f"UPDATE {names.customer} SET c_balance = c_balance + {amount}, "
        f"c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = {warehouse} "
        f"AND c_d_id = {district} AND c_id = {customer.number}"
    )
    return Delivered(order, customer, amount)
