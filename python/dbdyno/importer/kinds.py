"""TPC-C's kinds of transactions, whatever a tool calls them, by the names that results have."""

from __future__ import annotations

import re

NEW_ORDER = "new_order"
IN_ORDER = (NEW_ORDER, "payment", "order_status", "delivery", "stock_level")
"""The order in which tpcc-mysql numbers them."""

_NAMES = {
    "neworder": NEW_ORDER,
    "neword": NEW_ORDER,
    "payment": "payment",
    "orderstatus": "order_status",
    "orderstat": "order_status",
    "ostat": "order_status",
    "delivery": "delivery",
    "stocklevel": "stock_level",
    "slev": "stock_level",
    "deliverybg": "delivery_deferred",
}


def kind_of(name: str) -> str | None:
    """Return a kind's name in results; None for what is none of TPC-C's."""
    return _NAMES.get(re.sub(r"[^a-z]", "", name.lower()))
