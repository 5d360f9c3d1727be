"""The tests of clause 3.2.2, and two more: what is not committed leaves nothing behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal

from dbdyno.tpcc.acid.new_order import Line, Order, new_order
from dbdyno.tpcc.acid.payment import payment
from dbdyno.tpcc.acid.result import Finding, acid_test
from dbdyno.tpcc.acid.scenario import Scenario
from dbdyno.tpcc.acid.steps import Steps, first_statements
from dbdyno.tpcc.acid.writing import Customer, Writing, money, number, one_row

HALF = 13
"""Statements of a New-Order of five lines: the order is entered, and the first line."""


@acid_test("3.2.2.1", "A Payment that commits", "atomicity")
def payment_committed(scenario: Scenario) -> Finding:
    """All that a Payment changes has changed."""
    before, after, amount = _pay(scenario, "COMMIT")
    expected = before.after_payment(amount)
    if after != expected:
        return Finding(False, f"not as it should be: {_difference(expected, after)}")
    return Finding(True, "warehouse, district, customer and history have changed")


@acid_test("3.2.2.2", "A Payment that is rolled back", "atomicity")
def payment_rolled_back(scenario: Scenario) -> Finding:
    """Nothing has changed."""
    before, after, _ = _pay(scenario, "ROLLBACK")
    if after != before:
        return Finding(False, f"it left something: {_difference(before, after)}")
    return Finding(True, "warehouse, district, customer and history are as before")


@acid_test("3.2.1", "A New-Order that is rolled back after half of its statements", "atomicity")
def order_given_up(scenario: Scenario) -> Finding:
    """Neither order nor lines are there, and stock and district are as before."""
    customer, lines = scenario.district.customer(), scenario.district.lines()
    before = scenario.look(_read_order_state(scenario.writing, customer, lines))
    _enter_half(scenario, customer, lines)
    scenario.end("ROLLBACK")
    after = scenario.look(_read_order_state(scenario.writing, customer, lines))
    if after != before:
        return Finding(False, f"it left something: {_difference(before, after)}")
    return Finding(True, "nothing of it remained")


@acid_test(
    "3.2.1", "A New-Order whose connection is lost after half of its statements", "atomicity"
)
def order_cut_off(scenario: Scenario) -> Finding:
    """Nothing remains, and the next New-Order has the number that the lost one had."""
    customer, lines = scenario.district.customer(), scenario.district.lines()
    before = scenario.look(_read_order_state(scenario.writing, customer, lines))
    _enter_half(scenario, customer, lines)
    scenario.lose()
    others = scenario.district.lines(other_than=lines)

    def next_order() -> Steps[Order]:
        return new_order(scenario.writing, customer, others)

    following = scenario.finish_or_repeat(
        scenario.start("New-Order for him", next_order()), next_order
    )
    after = scenario.look(_read_order_state(scenario.writing, customer, lines))
    expected = before.after_order(len(others))
    if (following.number, after) != (before.d_next_o_id, expected):
        return Finding(
            False,
            f"the next order is {following.number} and not {before.d_next_o_id}; "
            f"{_difference(expected, after)}",
        )
    return Finding(True, "nothing of it remained, and the next order has its number")


def _enter_half(scenario: Scenario, customer: Customer, lines: Sequence[Line]) -> None:
    steps = new_order(scenario.writing, customer, lines)
    scenario.open(
        f"the first {HALF} statements of a New-Order for {customer}",
        first_statements(steps, HALF),
    )


@dataclass(frozen=True)
class PaymentState:
    """What a Payment changes."""

    w_ytd: Decimal
    d_ytd: Decimal
    c_balance: Decimal
    c_ytd_payment: Decimal
    c_payment_cnt: int
    payments_in_history: int

    def after_payment(self, amount: Decimal) -> PaymentState:
        """Return it after a Payment."""
        return PaymentState(
            self.w_ytd + amount,
            self.d_ytd + amount,
            self.c_balance - amount,
            self.c_ytd_payment + amount,
            self.c_payment_cnt + 1,
            self.payments_in_history + 1,
        )


def _pay(scenario: Scenario, ending: str) -> tuple[PaymentState, PaymentState, Decimal]:
    """Pay, and return what was there before and after."""
    customer, amount = scenario.district.customer(), scenario.district.amount()
    before = scenario.look(_read_payment_state(scenario.writing, customer))
    scenario.open(
        f"Payment of {amount} by {customer}",
        payment(scenario.writing, customer, amount),
    )
    scenario.end(ending)
    after = scenario.look(_read_payment_state(scenario.writing, customer))
    scenario.tell("after", _difference(before, after))
    return before, after, amount


def _read_payment_state(writing: Writing, customer: Customer) -> Steps[PaymentState]:
    names, (warehouse, district) = writing.names, customer.place
    rows = yield (
        "SELECT w_ytd, d_ytd, c_balance, c_ytd_payment, c_payment_cnt "
        f"FROM {names.warehouse}, {names.district}, {names.customer} "
        f"WHERE w_id = {warehouse} AND d_w_id = {warehouse} AND d_id = {district} "
        f"AND c_w_id = {warehouse} AND c_d_id = {district} AND c_id = {customer.number}"
    )
    *amounts, payments = one_row(rows, str(customer))
    rows = yield (
        f"SELECT COUNT(*) FROM {names.history} WHERE h_c_w_id = {warehouse} "
        f"AND h_c_d_id = {district} AND h_c_id = {customer.number}"
    )
    w_ytd, d_ytd, balance, paid = map(money, amounts)
    return PaymentState(w_ytd, d_ytd, balance, paid, number(payments), number(rows[0][0]))


@dataclass(frozen=True)
class OrderState:
    """What a New-Order changes: the district's rows by their number, its items' stock in sums."""

    d_next_o_id: int
    orders: int
    new_orders: int
    order_lines: int
    s_quantity: int
    s_ytd: int
    s_order_cnt: int

    def after_order(self, lines: int) -> OrderState:
        """Return it after a New-Order of other items."""
        return replace(
            self,
            d_next_o_id=self.d_next_o_id + 1,
            orders=self.orders + 1,
            new_orders=self.new_orders + 1,
            order_lines=self.order_lines + lines,
        )


def _read_order_state(
    writing: Writing, customer: Customer, lines: Sequence[Line]
) -> Steps[OrderState]:
    names, (warehouse, district) = writing.names, customer.place
    of_district = yield (
        f"SELECT d_next_o_id, {_count(names.orders, 'o')}, {_count(names.new_order, 'no')}, "
        f"{_count(names.order_line, 'ol')} FROM {names.district} "
        f"WHERE d_w_id = {warehouse} AND d_id = {district}"
    )
    items = ", ".join(str(line.item) for line in lines)
    of_stock = yield (
        f"SELECT SUM(s_quantity), SUM(s_ytd), SUM(s_order_cnt) FROM {names.stock} "
        f"WHERE s_w_id = {warehouse} AND s_i_id IN ({items})"
    )
    return OrderState(*map(number, (*one_row(of_district, "the district"), *of_stock[0])))


def _count(table: str, prefix: str) -> str:
    return f"(SELECT COUNT(*) FROM {table} WHERE {prefix}_w_id = d_w_id AND {prefix}_d_id = d_id)"


def _difference(before: PaymentState | OrderState, after: PaymentState | OrderState) -> str:
    """Say what differs."""
    changed = [
        f"{field.name} {getattr(before, field.name)} -> {getattr(after, field.name)}"
        for field in fields(before)
        if getattr(before, field.name) != getattr(after, field.name)
    ]
    return ", ".join(changed) or "nothing has changed"
