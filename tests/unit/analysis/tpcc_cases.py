"""Trials of TPC-C as they should be, and what makes each requirement fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dbdyno.analysis.validity.codes import Code
from tests.unit.store.result_builder import TrialScript, histogram, interval, transaction

PER_SECOND = {
    "new_order": 2000,
    "payment": 1920,
    "order_status": 180,
    "delivery": 180,
    "stock_level": 180,
}
ROLLED_BACK = 20
SECONDS = 12

FACTS: dict[str, Any] = {
    "c_last": "67",
    "delivery_skipped_share": 0.0,
    "lines_per_order": 10.02,
    "new_orders": 2000 * SECONDS,
    "order_status_by_name_share": 0.61,
    "payment_by_name_share": 0.6,
    "remote_line_share": 0.0101,
    "remote_payment_share": 0.151,
    "rollback_share": 0.0101,
    "skipped_districts": 0,
}

OPTIONS: dict[str, Any] = {
    "warehouses": 2,
    "rollback_percent": 1.0,
    "c_last_load": 157,
    "mix": {"new_order": 45.0, "payment": 43.0},
    "deck": False,
    "home_range": None,
    "pacing": {"keying": 0.0, "think": 0.0},
}

Change = Callable[[TrialScript], None]


def tpcc(**per_second: int) -> Change:
    """Make a trial one of TPC-C, which does so much of each kind a second."""
    counts = PER_SECOND | per_second

    def change(script: TrialScript) -> None:
        script.generator_plan["workload"] = {"tpcc": dict(OPTIONS)}
        kinds = {
            name: transaction(count, in_flight=0)
            | (
                {"committed": count - ROLLED_BACK, "rolled_back": ROLLED_BACK}
                if name == "new_order" and count > ROLLED_BACK
                else {}
            )
            for name, count in counts.items()
        }
        connected, *_, end = script.events
        script.events = [
            connected,
            *(
                interval("window", second, {name: dict(each) for name, each in kinds.items()})
                for second in range(SECONDS)
            ),
            end | {"facts": FACTS | {"new_orders": counts["new_order"] * SECONDS}},
        ]

    return change


def both(*changes: Change) -> Change:
    def change(script: TrialScript) -> None:
        for each in changes:
            each(script)

    return change


def facts(**values: object) -> Change:
    return lambda script: script.events[-1]["facts"].update(values)


def options(**values: object) -> Change:
    return lambda script: script.generator_plan["workload"]["tpcc"].update(values)


def slow(kind: str, share: float, time_s: float) -> Change:
    """Let a share of a kind's transactions take so long."""

    def change(script: TrialScript) -> None:
        for second in script.window:
            counts = second["transactions"][kind]
            count = counts["committed"] + counts["rolled_back"]
            late = round(share * count)
            counts["response"] = histogram([5.0] * (count - late) + [time_s * 1000] * late)

    return change


PACED = options(pacing={"keying": 1.0, "think": 1.0}, warehouses=10_000)
"""2,000 New-Orders a second are 12 per minute and warehouse."""
DEFERRED = tpcc(delivery_deferred=180)

VIOLATIONS: list[tuple[Change, Code, str]] = [
    (
        facts(rollback_share=0.02),
        Code.TPCC_INPUT,
        "New-Orders rolled back 2.00 % (0.9 to 1.1 %)",
    ),
    (facts(rollback_share=0.0), Code.TPCC_INPUT, "New-Orders rolled back 0.00 % (0.9 to 1.1 %)"),
    (facts(lines_per_order=10.6), Code.TPCC_INPUT, "Lines per order 10.60 (9.5 to 10.5)"),
    (facts(remote_line_share=0.008), Code.TPCC_INPUT, "Remote lines 0.80 % (0.95 to 1.05 %)"),
    (facts(remote_payment_share=0.0), Code.TPCC_INPUT, "Remote Payments 0.00 % (14 to 16 %)"),
    (
        facts(payment_by_name_share=0.67),
        Code.TPCC_INPUT,
        "Payments by last name 67.00 % (57 to 63 %)",
    ),
    (
        facts(order_status_by_name_share=0.5),
        Code.TPCC_INPUT,
        "Order-Statuses by last name 50.00 % (57 to 63 %)",
    ),
    (facts(c_last="157"), Code.TPCC_INPUT, "C_LAST, from load to run 0 (65 to 119)"),
    (facts(c_last="61"), Code.TPCC_INPUT, "C_LAST, from load to run 96 (65 to 119)"),
    (tpcc(payment=1800), Code.TPCC_MIX, "Payment in the mix 41.47 % (at least 43 %)"),
    (tpcc(order_status=90), Code.TPCC_MIX, "Order-Status in the mix 2.06 % (at least 4 %)"),
    (tpcc(delivery=90), Code.TPCC_MIX, "Delivery in the mix 2.06 % (at least 4 %)"),
    (tpcc(stock_level=90), Code.TPCC_MIX, "Stock-Level in the mix 2.06 % (at least 4 %)"),
    (slow("new_order", 0.11, 6), Code.TPCC_RESPONSE, "p90 of New-Order 6.00 s (at most 5 s)"),
    (slow("payment", 0.11, 6), Code.TPCC_RESPONSE, "p90 of Payment 6.00 s (at most 5 s)"),
    (
        slow("order_status", 0.11, 6),
        Code.TPCC_RESPONSE,
        "p90 of Order-Status 6.00 s (at most 5 s)",
    ),
    (slow("delivery", 0.11, 6), Code.TPCC_RESPONSE, "p90 of Delivery 6.00 s (at most 5 s)"),
    (
        slow("stock_level", 0.11, 21),
        Code.TPCC_RESPONSE,
        "p90 of Stock-Level 21.0 s (at most 20 s)",
    ),
    (
        both(DEFERRED, slow("delivery_deferred", 0.11, 81)),
        Code.TPCC_RESPONSE,
        "p90 of Delivery, deferred part 81.0 s (at most 80 s)",
    ),
    (
        facts(delivery_skipped_share=0.02),
        Code.TPCC_DELIVERIES,
        "Deliveries that skipped a district 2.00 % (at most 1 %, or one Delivery)",
    ),
    (
        both(PACED, options(warehouses=9000)),
        Code.TPCC_PER_WAREHOUSE,
        "tpmC per warehouse 13.33 (9 to 12.86)",
    ),
    (
        both(PACED, options(warehouses=15_000)),
        Code.TPCC_PER_WAREHOUSE,
        "tpmC per warehouse 8.00 (9 to 12.86)",
    ),
]
"""What violates one requirement, the check that says so, and its evidence."""

HARMLESS: list[Change] = [
    facts(rollback_share=0.0111),
    facts(remote_line_share=0.01055),
    tpcc(payment=1912),
    slow("new_order", 0.09, 6),
    slow("stock_level", 0.11, 19),
    both(DEFERRED, slow("delivery_deferred", 0.11, 79)),
    facts(delivery_skipped_share=21 / 2160),
    PACED,
]
"""Inside, or outside by no more than chance may do."""
