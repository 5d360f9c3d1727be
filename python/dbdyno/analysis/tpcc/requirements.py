"""The requirements that can be measured, with their clauses, and the rule by which they are judged.

Numbers are those of revision 5.11 of the specification.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dbdyno.analysis.tpcc.model import Group, Inapplicable, Requirement, Standing, Unit

NEW_ORDER = "new_order"
PAYMENT = "payment"
ORDER_STATUS = "order_status"
DELIVERY = "delivery"
STOCK_LEVEL = "stock_level"
DELIVERY_DEFERRED = "delivery_deferred"

TITLES = {
    NEW_ORDER: "New-Order",
    PAYMENT: "Payment",
    ORDER_STATUS: "Order-Status",
    DELIVERY: "Delivery",
    STOCK_LEVEL: "Stock-Level",
    DELIVERY_DEFERRED: "Delivery, deferred part",
}
"""The kinds of transactions by their names in results. All but the last are drawn in the mix."""


def in_order(kinds: Iterable[str]) -> list[str]:
    """Return kinds of transactions as the specification has them, all others by name after them."""
    given = sorted(kinds)
    return [kind for kind in TITLES if kind in given] + [k for k in given if k not in TITLES]


MINIMUM_SHARES = {PAYMENT: 0.43, ORDER_STATUS: 0.04, DELIVERY: 0.04, STOCK_LEVEL: 0.04}
"""Of the mix, clause 5.2.3; New-Order has none."""

LIMITS_MS = {
    NEW_ORDER: 5000.0,
    PAYMENT: 5000.0,
    ORDER_STATUS: 5000.0,
    DELIVERY: 5000.0,
    STOCK_LEVEL: 20_000.0,
    DELIVERY_DEFERRED: 80_000.0,
}
RESPONSE_CLAUSES = {DELIVERY_DEFERRED: "2.7.2"}
"""Where that of all others, 5.2.5.7, is not the one."""
LEAST_FOR_PERCENTILE = 10
"""Of fewer, the 90th percentile is the largest."""

LOWEST_PER_WAREHOUSE, HIGHEST_PER_WAREHOUSE = 9.0, 12.86
"""New-Orders per minute and warehouse with the specification's keying and think times."""

SKIPPED_MAX = 0.01
C_LAST_DISTANCES = (65.0, 119.0)
C_LAST_FORBIDDEN = {96, 112}

CHANCE_STANDARD_ERRORS = 3


@dataclass(frozen=True)
class InputRange:
    """A range of clause 5.5.1.5, and what the specification makes terminals draw.

    ``deviation`` is the standard deviation of a single draw; ``fact`` is the name in results.
    """

    fact: str
    name: str
    unit: Unit
    low: float
    high: float
    deviation: float
    needs_others: bool = False
    """Whether it takes a second warehouse."""


def _deviation(share: float) -> float:
    return math.sqrt(share * (1 - share))


INPUT_RANGES = (
    InputRange(
        "rollback_share",
        "New-Orders rolled back",
        Unit.SHARE,
        0.009,
        0.011,
        _deviation(0.01),
    ),
    InputRange(
        "lines_per_order",
        "Lines per order",
        Unit.NUMBER,
        9.5,
        10.5,
        math.sqrt(10.0),  # Evenly from 5 to 15.
    ),
    InputRange(
        "remote_line_share",
        "Remote lines",
        Unit.SHARE,
        0.0095,
        0.0105,
        _deviation(0.01),
        needs_others=True,
    ),
    InputRange(
        "remote_payment_share",
        "Remote Payments",
        Unit.SHARE,
        0.14,
        0.16,
        _deviation(0.15),
        needs_others=True,
    ),
    InputRange(
        "payment_by_name_share",
        "Payments by last name",
        Unit.SHARE,
        0.57,
        0.63,
        _deviation(0.6),
    ),
    InputRange(
        "order_status_by_name_share",
        "Order-Statuses by last name",
        Unit.SHARE,
        0.57,
        0.63,
        _deviation(0.6),
    ),
)


def judge(
    observed: float, low: float | None, high: float | None, standard_error: float = 0.0
) -> Standing:
    """Hold a figure against its range.

    Where the standard error is larger than half the range, a figure in it and one beside it say
    the same, which is nothing. Outside by less than three standard errors may be chance.
    """
    if low is not None and high is not None and standard_error > (high - low) / 2:
        return Standing.TOO_FEW
    below = low - observed if low is not None else 0.0
    above = observed - high if high is not None else 0.0
    beyond = max(below, above)
    if beyond <= 0:
        return Standing.INSIDE
    is_chance = beyond <= CHANCE_STANDARD_ERRORS * standard_error
    return Standing.BY_CHANCE if is_chance else Standing.OUTSIDE


def judged(requirement: Requirement, not_applicable: Inapplicable | None = None) -> Requirement:
    """Return the requirement with its standing, or with the reason why it has none."""
    observed = requirement.observed
    reason = Inapplicable.NONE_SEEN if observed is None else not_applicable
    if observed is None or reason is not None:
        return replace(requirement, standing=Standing.NOT_APPLICABLE, reason=reason)
    error = requirement.standard_error
    return replace(requirement, standing=judge(observed, requirement.low, requirement.high, error))


def input_requirement(
    wanted: InputRange,
    observed: float | None,
    count: int,
    not_applicable: Inapplicable | None = None,
) -> Requirement:
    """Judge a share, or a mean, of what was drawn; ``count`` is of how many."""
    standard_error = wanted.deviation / math.sqrt(count) if count else math.inf
    requirement = Requirement(
        group=Group.INPUT,
        name=wanted.name,
        clause="5.5.1.5",
        unit=wanted.unit,
        low=wanted.low,
        high=wanted.high,
        observed=observed,
        count=count,
        standard_error=standard_error,
    )
    return judged(requirement, not_applicable)


def c_last_requirement(distances: Sequence[int]) -> Requirement:
    """Judge how far the run's constant for last names is from the load's, in every trial."""
    low, high = C_LAST_DISTANCES
    wrong = [each for each in distances if not low <= each <= high or each in C_LAST_FORBIDDEN]
    return Requirement(
        group=Group.INPUT,
        name="C_LAST, from load to run",
        clause="2.1.6.1",
        unit=Unit.COUNT,
        low=low,
        high=high,
        observed=float((wrong or distances)[0]),
        count=len(distances),
        standing=Standing.OUTSIDE if wrong else Standing.INSIDE,
    )


def mix_requirement(kind: str, part: int, whole: int) -> Requirement:
    """Judge a kind's share of all transactions of the window."""
    low = MINIMUM_SHARES.get(kind)
    requirement = Requirement(
        group=Group.MIX,
        name=TITLES[kind],
        clause="5.2.3",
        unit=Unit.SHARE,
        low=low,
        high=None,
        observed=part / whole if whole else None,
        count=whole,
        standard_error=_deviation(low) / math.sqrt(whole) if low and whole else 0.0,
    )
    return judged(requirement, None if low else Inapplicable.NO_MINIMUM)


def response_requirement(
    kind: str, p90_ms: float, count: int, *, is_partly_served: bool
) -> Requirement:
    """Judge a kind's 90th percentile; infinite is what lies beyond the histogram's range."""
    requirement = judged(
        Requirement(
            group=Group.RESPONSE,
            name=TITLES[kind],
            clause=RESPONSE_CLAUSES.get(kind, "5.2.5.7"),
            unit=Unit.MILLISECONDS,
            low=None,
            high=LIMITS_MS[kind],
            observed=p90_ms,
            count=count,
        )
    )
    if count < LEAST_FOR_PERCENTILE:
        return replace(requirement, standing=Standing.TOO_FEW)
    if is_partly_served and requirement.standing is Standing.INSIDE:
        return judged(requirement, Inapplicable.LOWER_BOUND)
    return requirement


def skipped_requirement(share: float | None, deliveries: int) -> Requirement:
    """Judge the Deliveries that found a district without a new order: 1 %, or one, are no news."""
    most = max(1.0, SKIPPED_MAX * deliveries)
    requirement = Requirement(
        group=Group.DELIVERY,
        name="That skipped a district",
        clause="2.7.4.2",
        unit=Unit.SHARE,
        low=None,
        high=most / deliveries if deliveries else SKIPPED_MAX,
        observed=share,
        count=deliveries,
    )
    if share is None:
        return judged(requirement)
    # Whole Deliveries are compared: a share need not be exact in its last digit.
    is_inside = round(share * deliveries) <= most
    return replace(requirement, standing=Standing.INSIDE if is_inside else Standing.OUTSIDE)


def per_warehouse_requirement(per_minute: float, new_orders: int) -> Requirement:
    """Judge New-Orders per minute and warehouse, where terminals key in and think."""
    requirement = Requirement(
        group=Group.THROUGHPUT,
        name="tpmC per warehouse",
        clause="4.2",
        unit=Unit.NUMBER,
        low=LOWEST_PER_WAREHOUSE,
        high=HIGHEST_PER_WAREHOUSE,
        observed=per_minute,
        count=new_orders,
        # Arrivals that know nothing of each other scatter more than terminals that wait do.
        standard_error=per_minute / math.sqrt(new_orders) if new_orders else 0.0,
    )
    return judged(requirement)
