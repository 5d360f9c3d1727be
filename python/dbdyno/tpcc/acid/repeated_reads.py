"""Isolation tests 7 to 9: what a transaction reads twice is the same, whatever others commit.

The server may let the other one wait, show what was there before, or abort one of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from dbdyno.tpcc.acid.delivery import read_oldest_order
from dbdyno.tpcc.acid.emptied import emptied_district
from dbdyno.tpcc.acid.new_order import (
    Line,
    Order,
    Prices,
    enter_order,
    fill_lines,
    new_order,
    read_price,
    read_prices,
)
from dbdyno.tpcc.acid.order_status import read_customer, read_last_order
from dbdyno.tpcc.acid.result import Finding, acid_test
from dbdyno.tpcc.acid.scenario import Scenario, Started
from dbdyno.tpcc.acid.steps import ConflictError, Steps
from dbdyno.tpcc.acid.writing import CENT, Customer, Writing

RISE = Decimal("1.1")


@acid_test(
    "3.4.2.7", "A New-Order reads prices that are raised meanwhile", "P2, non-repeatable read"
)
def prices(scenario: Scenario) -> Finding:
    """Test 7: an item has the same price in two lines, and another item that of the same time."""
    writing, customer, items = (
        scenario.writing,
        scenario.district.customer(),
        scenario.district.items(2),
    )
    before = scenario.look(read_prices(writing, items))
    scenario.tell("before", f"items {items[0]} and {items[1]} cost {_listed(before)}")
    doing = f"New-Order for {customer} takes the number"
    number = scenario.open(doing, enter_order(writing, customer, 3))
    once = scenario.go_on(f"price of item {items[0]}", read_price(writing, items[0]))
    try:
        return _read_beside_rise(scenario, Begun(customer, number, items, once), before)
    finally:
        remains = f"items {items[0]} and {items[1]} may cost more than {_listed(before)}"
        scenario.restore(_set_prices(writing, items, before), remains)


@dataclass(frozen=True)
class Begun:
    """A New-Order that has read the price of its first item once."""

    customer: Customer
    number: int
    items: Sequence[int]
    price: Decimal | None


def _read_beside_rise(scenario: Scenario, order: Begun, before: Prices) -> Finding:
    writing, (first, other) = scenario.writing, order.items
    raised = tuple((price * RISE).quantize(CENT) for price in before if price is not None)
    lines = [Line(first, 1), Line(first, 2), Line(other, 3)]
    doing = f"raises them to {_listed(raised)}"
    rise = scenario.start(doing, _set_prices(writing, order.items, raised))
    try:
        again = scenario.go_on("prices of both items", read_prices(writing, order.items), _listed)
        filled = fill_lines(writing, order.customer, order.number, lines, (order.price, *again))
        scenario.go_on("the lines", filled)
        scenario.end("COMMIT")
    except ConflictError:
        again = None
    expected = raised if scenario.finish(rise) else before
    after = scenario.look(read_prices(writing, order.items))
    scenario.tell("after", f"they cost {_listed(after)}")
    if after != expected:
        return Finding(False, f"the prices should be {_listed(expected)}")
    if again is not None and (order.price, *again) != (before[0], *before):
        return Finding(False, f"T1 read {order.price}, and later {_listed(again)}: not repeatable")
    return _held(again is None, rise)


def _set_prices(writing: Writing, items: Sequence[int], new: Prices) -> Steps[str]:
    for item, price in zip(items, new, strict=True):
        yield f"UPDATE {writing.names.item} SET i_price = {price} WHERE i_id = {item}"
    return ""


def _listed(some: Prices) -> str:
    return " and ".join(map(str, some))


@acid_test("3.4.2.8", "A Delivery finds no new order, and one is entered meanwhile", "P3, phantom")
def first_new_order(scenario: Scenario) -> Finding:
    """Test 8: in a district without new orders there is none at the second look either."""
    place, writing = scenario.district, scenario.writing
    with emptied_district(scenario):
        return _look_twice(
            scenario,
            place.customer(),
            f"Delivery looks for a new order in district {place.district}",
            lambda: read_oldest_order(writing, place.warehouse, place.district),
            reads_only=False,
        )


@acid_test(
    "3.4.2.9", "Order-Status finds the last order, and one is entered meanwhile", "P3, phantom"
)
def last_order(scenario: Scenario) -> Finding:
    """Test 9: a customer's last order is the same at the second look."""
    writing, customer = scenario.writing, scenario.district.customer()

    def look() -> Steps[int | None]:
        yield from read_customer(writing, customer)
        return (yield from read_last_order(writing, customer))

    doing = f"Order-Status looks for the last order of {customer}"
    return _look_twice(scenario, customer, doing, look, reads_only=True)


def _look_twice(
    scenario: Scenario,
    customer: Customer,
    doing: str,
    look: Callable[[], Steps[int | None]],
    *,
    reads_only: bool,
) -> Finding:
    once = scenario.open(doing, look(), reads_only=reads_only)
    added = scenario.start(
        f"New-Order for {customer}",
        new_order(scenario.writing, customer, scenario.district.lines()),
    )
    is_aborted = False
    try:
        again = scenario.go_on("looks again", look())
        scenario.end("COMMIT")
    except ConflictError:
        # What was read in a transaction that did not commit counts for nothing.
        is_aborted, again = True, once
    scenario.finish(added)
    if again != once:
        return Finding(False, f"T1 found {_name(once)}, and then {_name(again)}: a phantom")
    return _held(is_aborted, added)


def _name(order: int | None) -> str:
    return "none" if order is None else f"order {order}"


def _held(is_aborted: bool, other: Started[Order] | Started[str]) -> Finding:
    """Say what kept T1 from reading something else."""
    if is_aborted:
        return Finding(True, "T1 was aborted rather than let commit")
    if other.execution.error:
        return Finding(True, "T2 was aborted")
    how = "T2 waited for T1" if other.waited else "T1 read what was there at its beginning"
    return Finding(True, f"T1 read the same twice; {how}")
