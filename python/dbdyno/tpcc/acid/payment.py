"""Payment as steps: clause 2.5.2, with the customer given by his number."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from dbdyno.tpcc.acid.steps import Steps
from dbdyno.tpcc.acid.writing import Customer, Writing, money, one_row

MOST_DATA = 500
"""Characters of ``c_data``."""


@dataclass(frozen=True)
class Paid:
    """The balance that was read before it was paid into."""

    balance_before: Decimal

    def __str__(self) -> str:
        return f"the balance was {self.balance_before}"


def payment(writing: Writing, customer: Customer, amount: Decimal) -> Steps[Paid]:
    """Pay in the customer's own district."""
    place = yield from _pay_into_place(writing, customer, amount)
    rows = yield (
        "SELECT c_balance, c_credit, c_data, c_first, c_middle, c_last, c_credit_lim, c_discount "
        f"FROM {writing.names.customer} WHERE {_key(customer)}{writing.dialect.for_update}"
    )
    balance, credit, data, *_ = one_row(rows, str(customer))
    yield (
        f"UPDATE {writing.names.customer} SET c_balance = c_balance - {amount}, "
        f"c_ytd_payment = c_ytd_payment + {amount}, c_payment_cnt = c_payment_cnt + 1"
        f"{_new_data(writing, customer, amount, data) if credit == 'BC' else ''} "
        f"WHERE {_key(customer)}"
    )
    warehouse, district = customer.place
    yield (
        f"INSERT INTO {writing.names.history} "
        "(h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES "
        f"({customer.number}, {district}, {warehouse}, {district}, {warehouse}, "
        f"CURRENT_TIMESTAMP, {amount}, {writing.dialect.text(place)})"
    )
    return Paid(money(balance))


def _pay_into_place(writing: Writing, customer: Customer, amount: Decimal) -> Steps[str]:
    """Add the amount to warehouse and district; return their names as the history has them."""
    names, (warehouse, district) = writing.names, customer.place
    yield f"UPDATE {names.warehouse} SET w_ytd = w_ytd + {amount} WHERE w_id = {warehouse}"
    yield (
        f"UPDATE {names.district} SET d_ytd = d_ytd + {amount} "
        f"WHERE d_w_id = {warehouse} AND d_id = {district}"
    )
    rows = yield (
        f"SELECT w_name, d_name FROM {names.warehouse}, {names.district} "
        f"WHERE w_id = {warehouse} AND d_w_id = w_id AND d_id = {district}"
    )
    of_warehouse, of_district = one_row(rows, "the district")
    return f"{of_warehouse}    {of_district}"


def _key(customer: Customer) -> str:
    warehouse, district = customer.place
    return f"c_w_id = {warehouse} AND c_d_id = {district} AND c_id = {customer.number}"


def _new_data(writing: Writing, customer: Customer, amount: Decimal, data: str | None) -> str:
    warehouse, district = customer.place
    entry = f"{customer.number} {district} {warehouse} {district} {warehouse} {amount} "
    return f", c_data = {writing.dialect.text((entry + (data or ''))[:MOST_DATA])}"
