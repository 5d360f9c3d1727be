"""What a trial plan asks of TPC-C."""

from __future__ import annotations

from dbdyno.protocol.workload_plan import TpccPlan


def draws_new_orders(options: TpccPlan) -> bool:
    """Tell whether there are any New-Orders to be counted."""
    mix = options.get("mix")
    return bool(options.get("deck")) or mix is None or mix["new_order"] > 0


def is_paced(options: TpccPlan) -> bool:
    """Tell whether terminals key in and think, which the word tpmC presupposes."""
    pacing = options.get("pacing", {})
    return pacing.get("keying", 0) > 0 and pacing.get("think", 0) > 0


def active_warehouses(options: TpccPlan) -> int:
    """Return the number of warehouses that terminals have their homes in."""
    first, last = options.get("home_range") or (1, options["warehouses"])
    return last - first + 1
