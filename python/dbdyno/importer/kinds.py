"""TPC-C's kinds of transactions, whatever a tool calls them, by the names that results have."""

from __future__ import annotations

import re

from dbdyno.importer.numbers import positive

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

_TPMC_OF_FULL_EFFICIENCY = 12.86
"""Of a warehouse: the most that TPC-C's keying and think times allow."""
_WHOLE_WITHIN = 0.02


def warehouses_of(tpmc: str | None, efficiency: str | None) -> int | None:
    """Return the number of warehouses: a percentage of efficiency is tpmC by it and by 12.86."""
    rate, percent = positive(tpmc), positive((efficiency or "").rstrip("%"))
    if rate is None or percent is None:
        return None
    warehouses = rate * 100 / _TPMC_OF_FULL_EFFICIENCY / percent
    nearest = round(warehouses)
    return nearest if nearest and abs(warehouses - nearest) < _WHOLE_WITHIN else None


def kind_of(name: str) -> str | None:
    """Return a kind's name in results; None for what is none of TPC-C's."""
    return _NAMES.get(re.sub(r"[^a-z]", "", name.lower()))
