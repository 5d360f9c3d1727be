"""Where the tests work: a district, its customers, and items that are ordered."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from dbdyno.tpcc.acid.new_order import Line
from dbdyno.tpcc.acid.steps import Steps
from dbdyno.tpcc.acid.writing import CENT, Customer, Writing, number

LINES = 5
"""As few as an order may have."""


@dataclass(frozen=True)
class District:
    """A district; customers and items are numbered from 1 to the last."""

    warehouse: int
    district: int
    last_customer: int
    last_item: int

    def customer(self) -> Customer:
        """Return a customer by chance."""
        return Customer(self.warehouse, self.district, random.randint(1, self.last_customer))

    def amount(self) -> Decimal:
        """Return what a customer pays (clause 2.5.1.3)."""
        return (Decimal(random.randint(100, 500_000)) / 100).quantize(CENT)

    def items(self, count: int) -> list[int]:
        """Return different items by chance, in order: whoever locks them does so one way."""
        return sorted(random.sample(range(1, self.last_item + 1), count))

    def lines(
        self, *, with_unused_item: bool = False, other_than: Sequence[Line] = ()
    ) -> list[Line]:
        """Return the lines of an order, of which the last one may have an unused item."""
        taken = {line.item for line in other_than}
        items = [item for item in self.items(LINES + len(taken)) if item not in taken][:LINES]
        if with_unused_item:
            items[-1] = self.last_item + 1
        return [Line(item, random.randint(1, 10)) for item in items]


def choose_district(writing: Writing) -> Steps[District]:
    """Choose the district of the first warehouse with the fewest new orders.

    One of the tests takes them all away for a while.
    """
    names = writing.names
    rows = yield f"SELECT MIN(w_id) FROM {names.warehouse}"
    warehouse = number(rows[0][0])
    rows = yield (
        f"SELECT d_id, COUNT(no_o_id) FROM {names.district} LEFT JOIN {names.new_order} "
        "ON no_w_id = d_w_id AND no_d_id = d_id "
        f"WHERE d_w_id = {warehouse} GROUP BY d_id ORDER BY COUNT(no_o_id), d_id"
    )
    district = number(rows[0][0])
    rows = yield (
        f"SELECT MAX(c_id) FROM {names.customer} WHERE c_w_id = {warehouse} AND c_d_id = {district}"
    )
    last_customer = number(rows[0][0])
    rows = yield f"SELECT MAX(i_id) FROM {names.item}"
    return District(warehouse, district, last_customer, number(rows[0][0]))
