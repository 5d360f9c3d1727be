"""A district all of whose new orders are delivered for a while.

Both ways are one transaction each that leaves the tables consistent: should the server die between
them, all that remains is that the orders were delivered.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal

from dbdyno.tpcc.acid.delivery import CARRIER, read_oldest_order
from dbdyno.tpcc.acid.district import District
from dbdyno.tpcc.acid.scenario import Scenario
from dbdyno.tpcc.acid.steps import Steps, UndecidedError
from dbdyno.tpcc.acid.writing import Writing, money, number

CHUNK = 500
"""Orders that one statement is about."""


@dataclass(frozen=True)
class Backlog:
    """New orders of a district: number, customer, sum of its lines."""

    district: District
    orders: Sequence[tuple[int, int, Decimal]]

    def chunks(self) -> Iterator[Backlog]:
        """Yield it in parts."""
        for at in range(0, len(self.orders), CHUNK):
            yield Backlog(self.district, self.orders[at : at + CHUNK])

    def where(self, prefix: str, column: str) -> str:
        """Return the condition that a row is of one of these orders."""
        numbers = ", ".join(str(order) for order, _, _ in self.orders)
        return f"{_in_district(self.district, prefix)} AND {column} IN ({numbers})"


@contextmanager
def emptied_district(scenario: Scenario) -> Iterator[None]:
    """Deliver all new orders of the district, and take that back in the end."""
    writing, place = scenario.writing, scenario.district
    backlog = scenario.look(_read_backlog(writing, place))
    scenario.change(_deliver_all(writing, backlog))
    try:
        if scenario.look(read_oldest_order(writing, place.warehouse, place.district)) is not None:
            raise UndecidedError(f"district {place.district} gets new orders; is there a load?")
        said = f"all {len(backlog.orders)} new orders of district {place.district} are delivered"
        scenario.tell("before", said)
        yield
    finally:
        remains = f"the new orders of district {place.district} stay delivered"
        scenario.restore(_take_all_back(writing, backlog), remains)


def _read_backlog(writing: Writing, place: District) -> Steps[Backlog]:
    names = writing.names
    rows = yield (
        f"SELECT o_id, o_c_id, SUM(ol_amount) FROM {names.new_order}, {names.orders}, "
        f"{names.order_line} WHERE {_in_district(place, 'no')} "
        "AND o_w_id = no_w_id AND o_d_id = no_d_id AND o_id = no_o_id "
        "AND ol_w_id = no_w_id AND ol_d_id = no_d_id AND ol_o_id = no_o_id "
        "GROUP BY o_id, o_c_id ORDER BY o_id"
    )
    orders = tuple((number(order), number(customer), money(sum_)) for order, customer, sum_ in rows)
    return Backlog(place, orders)


def _deliver_all(writing: Writing, backlog: Backlog) -> Steps[None]:
    for part in backlog.chunks():
        yield f"DELETE FROM {writing.names.new_order} WHERE {part.where('no', 'no_o_id')}"
        yield from _mark(writing, part, str(CARRIER), "CURRENT_TIMESTAMP", "+")


def _take_all_back(writing: Writing, backlog: Backlog) -> Steps[str]:
    warehouse, district = backlog.district.warehouse, backlog.district.district
    for part in backlog.chunks():
        rows = ", ".join(f"({order}, {district}, {warehouse})" for order, _, _ in part.orders)
        yield f"INSERT INTO {writing.names.new_order} (no_o_id, no_d_id, no_w_id) VALUES {rows}"
        yield from _mark(writing, part, "NULL", "NULL", "-")
    return ""


def _mark(
    writing: Writing, part: Backlog, carrier: str, delivered_at: str, sign: str
) -> Steps[None]:
    """Write into orders, lines and customers' rows that they are delivered, or are not."""
    names = writing.names
    amounts: dict[int, Decimal] = defaultdict(Decimal)
    for _, customer, amount in part.orders:
        amounts[customer] += amount
    counts = Counter(customer for _, customer, _ in part.orders)
    yield f"UPDATE {names.orders} SET o_carrier_id = {carrier} WHERE {part.where('o', 'o_id')}"
    yield (
        f"UPDATE {names.order_line} SET ol_delivery_d = {delivered_at} "
        f"WHERE {part.where('ol', 'ol_o_id')}"
    )
    yield (
        f"UPDATE {names.customer} SET c_balance = c_balance {sign} {_by_customer(amounts)}, "
        f"c_delivery_cnt = c_delivery_cnt {sign} {_by_customer(counts)} "
        f"WHERE {_in_district(part.district, 'c')} AND c_id IN ({', '.join(map(str, counts))})"
    )


def _by_customer(values: Mapping[int, object]) -> str:
    cases = " ".join(f"WHEN {customer} THEN {value}" for customer, value in values.items())
    return f"CASE c_id {cases} END"


def _in_district(place: District, prefix: str) -> str:
    return f"{prefix}_w_id = {place.warehouse} AND {prefix}_d_id = {place.district}"
