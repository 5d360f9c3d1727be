"""TPC-C's kinds of transactions."""

from __future__ import annotations

from dbdyno.peers.call.totals import Totals

KINDS = ("new_order", "payment", "order_status", "delivery", "stock_level")
"""In the specification's order, which is that of all tools."""
DELIVERY_DEFERRED = "delivery_deferred"


def count_finished(totals: Totals) -> int:
    """Return how many transactions did their work; a deferred Delivery is not one more."""
    return totals.finished(KINDS)


def new_orders_per_minute(totals: Totals) -> float:
    """Return the New-Orders a minute, with those rolled back on purpose, as the specification."""
    return totals.per_minute(totals.of("new_order").finished)
