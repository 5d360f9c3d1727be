"""Order-Status as steps: clause 2.6.2, with the customer given by his number."""

from __future__ import annotations

from dbdyno.tpcc.acid.new_order import Order
from dbdyno.tpcc.acid.steps import Steps
from dbdyno.tpcc.acid.writing import Customer, Writing, money, number


def order_status(writing: Writing, customer: Customer) -> Steps[Order | None]:
    """Return the customer's last order with its lines; None where he has none."""
    yield from read_customer(writing, customer)
    order = yield from read_last_order(writing, customer)
    return None if order is None else (yield from read_lines(writing, customer, order))


def read_customer(writing: Writing, customer: Customer) -> Steps[None]:
    """Read who it is."""
    warehouse, district = customer.place
    yield (
        f"SELECT c_balance, c_first, c_middle, c_last FROM {writing.names.customer} "
        f"WHERE c_w_id = {warehouse} AND c_d_id = {district} AND c_id = {customer.number}"
    )


def read_last_order(writing: Writing, customer: Customer) -> Steps[int | None]:
    """Return the number of his last order."""
    warehouse, district = customer.place
    rows = yield (
        f"SELECT o_id, o_carrier_id, o_entry_d FROM {writing.names.orders} "
        f"WHERE o_w_id = {warehouse} AND o_d_id = {district} AND o_c_id = {customer.number} "
        "ORDER BY o_id DESC LIMIT 1"
    )
    return number(rows[0][0]) if rows else None


def read_lines(writing: Writing, customer: Customer, order: int) -> Steps[Order]:
    """Return the order with its lines."""
    warehouse, district = customer.place
    rows = yield (
        "SELECT ol_i_id, ol_quantity, ol_amount, ol_supply_w_id, ol_delivery_d "
        f"FROM {writing.names.order_line} WHERE ol_w_id = {warehouse} "
        f"AND ol_d_id = {district} AND ol_o_id = {order} ORDER BY ol_number"
    )
    lines = ((number(item), number(count), money(amount)) for item, count, amount, *_ in rows)
    return Order(order, tuple(lines))
