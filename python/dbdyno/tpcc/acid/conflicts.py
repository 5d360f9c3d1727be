"""Isolation tests 3 to 6: two transactions that write the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from dbdyno.tpcc.acid.delivery import delivery
from dbdyno.tpcc.acid.new_order import Order, new_order
from dbdyno.tpcc.acid.payment import Paid, payment
from dbdyno.tpcc.acid.result import Finding, acid_test
from dbdyno.tpcc.acid.scenario import Scenario, Started
from dbdyno.tpcc.acid.steps import Steps, UndecidedError
from dbdyno.tpcc.acid.writing import Customer, Writing, money, number, one_row

PHENOMENON = "P0, dirty write"


@acid_test("3.4.2.3", "Two New-Orders in a district; the first commits", PHENOMENON)
def orders_beside_commit(scenario: Scenario) -> Finding:
    """Test 3: the second one's order has the number after the first one's."""
    return _order_beside_order(scenario, "COMMIT")


@acid_test("3.4.2.4", "Two New-Orders in a district; the first is rolled back", PHENOMENON)
def orders_beside_rollback(scenario: Scenario) -> Finding:
    """Test 4: the second one's order has the number that the first one gave back."""
    return _order_beside_order(scenario, "ROLLBACK")


@acid_test("3.4.2.5", "Payment of a customer beside his Delivery, which commits", PHENOMENON)
def payment_beside_commit(scenario: Scenario) -> Finding:
    """Test 5: the balance shows both."""
    return _pay_beside_delivery(scenario, "COMMIT")


@acid_test("3.4.2.6", "Payment of a customer beside his Delivery, rolled back", PHENOMENON)
def payment_beside_rollback(scenario: Scenario) -> Finding:
    """Test 6: the balance shows the Payment alone."""
    return _pay_beside_delivery(scenario, "ROLLBACK")


def _order_beside_order(scenario: Scenario, ending: str) -> Finding:
    customer, writing, place = scenario.district.customer(), scenario.writing, scenario.district
    lines = place.lines()

    def second_order() -> Steps[Order]:
        return new_order(writing, customer, lines)

    first = scenario.look(next_order(writing, customer))
    of_first = place.lines(with_unused_item=True) if ending == "ROLLBACK" else place.lines()
    scenario.open(
        f"New-Order for {customer}, until its {ending}", new_order(writing, customer, of_first)
    )
    second = scenario.start("New-Order for him", second_order())
    early = second.early
    scenario.end(ending)
    ordered = scenario.finish_or_repeat(second, second_order)
    following = scenario.look(next_order(writing, customer))
    scenario.tell("after", f"D_NEXT_O_ID was {first} and is {following}")
    if early is not None and early.number != first:
        return Finding(False, f"T2 counted on with T1's number before T1's {ending}")
    expected = first + (ending == "COMMIT")
    if (ordered.number, following) != (expected, expected + 1):
        return Finding(
            False,
            f"T2's order should be {expected} and the next one {expected + 1}, "
            f"not {ordered.number} and {following}",
        )
    return Finding(True, f"{_how(second)}; its number is right")


def next_order(writing: Writing, customer: Customer) -> Steps[int]:
    """Return the number that the district's next order will have."""
    warehouse, district = customer.place
    rows = yield (
        f"SELECT d_next_o_id FROM {writing.names.district} "
        f"WHERE d_w_id = {warehouse} AND d_id = {district}"
    )
    return number(one_row(rows, "the district")[0])


@dataclass(frozen=True)
class Account:
    """What a customer's row says of his payments and deliveries."""

    balance: Decimal
    payments: int
    deliveries: int


def _pay_beside_delivery(scenario: Scenario, ending: str) -> Finding:
    writing, place = scenario.writing, scenario.district
    customer = scenario.look(_next_receiver(writing, place.warehouse, place.district))
    amount = place.amount()

    def pay() -> Steps[Paid]:
        return payment(writing, customer, amount)

    before = scenario.look(_read_account(writing, customer))
    delivered = scenario.open(
        f"Delivery in district {place.district}, until its {ending}",
        delivery(writing, place.warehouse, place.district),
    )
    if delivered is None or delivered.customer != customer:
        raise UndecidedError(f"T1 delivered {delivered} and not to {customer}; is there a load?")
    second = scenario.start(f"Payment of {amount} by him", pay())
    early = second.early
    scenario.end(ending)
    scenario.finish_or_repeat(second, pay)
    after = scenario.look(_read_account(writing, customer))
    scenario.tell("after", f"C_BALANCE was {before.balance} and is {after.balance}")
    if early is not None and early.balance_before != before.balance:
        return Finding(False, f"T2 counted on with T1's balance before T1's {ending}")
    arrived = (delivered.amount, 1) if ending == "COMMIT" else (Decimal(0), 0)
    expected = Account(
        before.balance + arrived[0] - amount, before.payments + 1, before.deliveries + arrived[1]
    )
    if after != expected:
        return Finding(False, f"the row should be {expected} and is {after}")
    return Finding(True, f"{_how(second)}; the balance is right")


def _next_receiver(writing: Writing, warehouse: int, district: int) -> Steps[Customer]:
    """Return who gets the district's oldest new order."""
    names = writing.names
    rows = yield (
        f"SELECT o_c_id FROM {names.orders} WHERE o_w_id = {warehouse} AND o_d_id = {district} "
        f"AND o_id = (SELECT MIN(no_o_id) FROM {names.new_order} "
        f"WHERE no_w_id = {warehouse} AND no_d_id = {district})"
    )
    if not rows:
        raise UndecidedError(f"district {district} of warehouse {warehouse} has no new order")
    return Customer(warehouse, district, number(rows[0][0]))


def _read_account(writing: Writing, customer: Customer) -> Steps[Account]:
    warehouse, district = customer.place
    rows = yield (
        f"SELECT c_balance, c_payment_cnt, c_delivery_cnt FROM {writing.names.customer} "
        f"WHERE c_w_id = {warehouse} AND c_d_id = {district} AND c_id = {customer.number}"
    )
    balance, payments, deliveries = one_row(rows, str(customer))
    return Account(money(balance), number(payments), number(deliveries))


def _how(second: Started[Order] | Started[Paid]) -> str:
    if second.execution.error:
        return "T2 was aborted, and tried again after T1's end"
    return "T2 waited for T1" if second.waited else "T2 went on beside T1"
