"""New-Order as steps: clause 2.4.2, line by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from dbdyno.tpcc.acid.steps import Steps
from dbdyno.tpcc.acid.writing import Customer, Writing, money, number, one_row

Prices = tuple[Decimal | None, ...]


@dataclass(frozen=True)
class Line:
    """One line of an order as it is entered; the home warehouse supplies it."""

    item: int
    quantity: int


@dataclass(frozen=True)
class Order:
    """An order with its lines: item, quantity and amount of each that could be filled."""

    number: int
    lines: tuple[tuple[int, int, Decimal], ...]

    def __str__(self) -> str:
        return f"order {self.number} with {len(self.lines)} lines"


def new_order(writing: Writing, customer: Customer, lines: Sequence[Line]) -> Steps[Order]:
    """Enter an order. A line with an unused item is left out, as it is before a rollback."""
    order = yield from enter_order(writing, customer, len(lines))
    prices = yield from read_prices(writing, [line.item for line in lines])
    return (yield from fill_lines(writing, customer, order, lines, prices))


def enter_order(writing: Writing, customer: Customer, lines: int) -> Steps[int]:
    """Take the district's next number for an order, and return it."""
    names, (warehouse, district) = writing.names, customer.place
    of_district = f"d_w_id = {warehouse} AND d_id = {district}"
    yield (
        f"SELECT c_discount, w_tax, c_last, c_credit FROM {names.customer}, {names.warehouse} "
        f"WHERE w_id = {warehouse} AND c_w_id = w_id AND c_d_id = {district} "
        f"AND c_id = {customer.number}"
    )
    rows = yield (
        f"SELECT d_next_o_id, d_tax FROM {names.district} WHERE {of_district}"
        f"{writing.dialect.for_update}"
    )
    order = number(one_row(rows, "the district")[0])
    yield f"UPDATE {names.district} SET d_next_o_id = d_next_o_id + 1 WHERE {of_district}"
    yield (
        f"INSERT INTO {names.orders} "
        "(o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) VALUES "
        f"({order}, {district}, {warehouse}, {customer.number}, CURRENT_TIMESTAMP, {lines}, 1)"
    )
    yield (
        f"INSERT INTO {names.new_order} (no_o_id, no_d_id, no_w_id) "
        f"VALUES ({order}, {district}, {warehouse})"
    )
    return order


def read_price(writing: Writing, item: int) -> Steps[Decimal | None]:
    """Return an item's price; None for an unused number."""
    rows = yield f"SELECT i_price, i_name, i_data FROM {writing.names.item} WHERE i_id = {item}"
    return money(rows[0][0]) if rows else None


def read_prices(writing: Writing, items: Sequence[int]) -> Steps[Prices]:
    """Return several items' prices."""
    prices: Prices = ()
    for item in items:
        prices += ((yield from read_price(writing, item)),)
    return prices


def fill_lines(
    writing: Writing,
    customer: Customer,
    order: int,
    lines: Sequence[Line],
    prices: Prices,
) -> Steps[Order]:
    """Take each line's quantity from the stock and write the line."""
    filled = []
    for at, (line, price) in enumerate(zip(lines, prices, strict=True), start=1):
        if price is None:
            continue
        dist_info = yield from _take_from_stock(writing, customer, line)
        amount = price * line.quantity
        warehouse, district = customer.place
        yield (
            f"INSERT INTO {writing.names.order_line} (ol_o_id, ol_d_id, ol_w_id, ol_number, "
            "ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) VALUES "
            f"({order}, {district}, {warehouse}, {at}, {line.item}, {warehouse}, "
            f"{line.quantity}, {amount}, {writing.dialect.text(dist_info)})"
        )
        filled.append((line.item, line.quantity, amount))
    return Order(order, tuple(filled))


def _take_from_stock(writing: Writing, customer: Customer, line: Line) -> Steps[str]:
    """Take a quantity and return the text for the district (clause 2.4.2.2)."""
    warehouse, district = customer.place
    of_stock = f"s_w_id = {warehouse} AND s_i_id = {line.item}"
    rows = yield (
        f"SELECT s_quantity, s_dist_{district:02}, s_data FROM {writing.names.stock} "
        f"WHERE {of_stock}{writing.dialect.for_update}"
    )
    quantity, dist_info, _ = one_row(rows, f"the stock of item {line.item}")
    left = number(quantity) - line.quantity
    yield (
        f"UPDATE {writing.names.stock} SET s_quantity = {left if left >= 10 else left + 91}, "
        f"s_ytd = s_ytd + {line.quantity}, s_order_cnt = s_order_cnt + 1 WHERE {of_stock}"
    )
    return dist_info or ""
