"""TPC-C's requirements in words: their groups, their names, and how a figure stands to them."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.analysis.tpcc.model import Group, Inapplicable, Requirement, Standing
from dbdyno.report.language import message, say

_GROUPS: Mapping[Group, str] = {
    Group.INPUT: message("Input"),
    Group.MIX: message("Mix"),
    Group.RESPONSE: message("Response time, 90th percentile"),
    Group.DELIVERY: message("Deliveries"),
    Group.THROUGHPUT: message("Throughput"),
}

_STANDINGS: Mapping[Standing, str] = {
    Standing.INSIDE: message("inside"),
    Standing.OUTSIDE: message("outside"),
    Standing.BY_CHANCE: message("outside, maybe by chance"),
    Standing.TOO_FEW: message("too few to tell"),
    Standing.NOT_APPLICABLE: message("does not apply"),
}

_REASONS: Mapping[Inapplicable, str] = {
    Inapplicable.NONE_SEEN: message("there were none"),
    Inapplicable.ONE_WAREHOUSE: message("there is one warehouse"),
    Inapplicable.OTHER_SHARE: message("another share was asked for"),
    Inapplicable.NO_MINIMUM: message("no minimum"),
    Inapplicable.LOWER_BOUND: message("a lower bound: not all were served"),
}

_NAMES = frozenset(
    {
        message("New-Order"),
        message("Payment"),
        message("Order-Status"),
        message("Delivery"),
        message("Stock-Level"),
        message("Delivery, deferred part"),
        message("New-Orders rolled back"),
        message("Lines per order"),
        message("Remote lines"),
        message("Remote Payments"),
        message("Payments by last name"),
        message("Order-Statuses by last name"),
        message("C_LAST, from load to run"),
        message("That skipped a district"),
        message("tpmC per warehouse"),
    }
)
"""The names that analysis gives to requirements, so that catalogues have them."""


def group_name(group: Group) -> str:
    """Return what a group of requirements is about."""
    return say(_GROUPS[group])


def requirement_name(name: str) -> str:
    """Return the name of a requirement in the current language."""
    return say(name) if name in _NAMES else name


def standing_name(standing: Standing) -> str:
    """Return how a figure stands to its limits."""
    return say(_STANDINGS[standing])


def standing_in_words(requirement: Requirement) -> str:
    """Return how a figure stands to its limits, or why that cannot be said."""
    if requirement.reason is not None:
        return say(_REASONS[requirement.reason])
    return standing_name(requirement.standing)
