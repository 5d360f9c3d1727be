"""Violations that are a known habit of the tool that loaded the tables or ran on them.

A habit explains a violation where all rows that violate the condition show it. Where most of them
do, it explains those, and their number is said: a database may have lost something besides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dbdyno.tpcc.tables import Tables


@dataclass(frozen=True)
class Deviation:
    """A habit: what is true of each row that it causes, and how it comes about."""

    conditions: tuple[int, ...]
    shows: Callable[[Tables], str]
    explanation: str


def _always(difference: int) -> Callable[[Tables], str]:
    return lambda t: f"stated - derived = {t.amount(difference)}"


DEVIATIONS = (
    Deviation(
        (1, 8),
        _always(2_700_000),
        "w_ytd is 2,700,000 too large everywhere: Terark's fork of tpcc-mysql loads it with "
        "3,000,000 in place of 300,000",
    ),
    Deviation(
        (8,),
        _always(300_000),
        "the 300,000 of the load are in w_ytd and nowhere in history: the loader (stroppy's, for "
        "one) writes no history",
    ),
    Deviation(
        (9,),
        _always(30_000),
        "the 30,000 of the load are in d_ytd and nowhere in history: the loader (stroppy's, for "
        "one) writes no history",
    ),
    Deviation(
        (10,),
        _always(-10),
        "each customer's first payment of 10 is in c_balance and not in history: the loader "
        "(stroppy's, for one) writes no history",
    ),
    Deviation(
        (12,),
        lambda t: f"c_ytd_payment = {t.amount(10)} AND stated < derived",
        "c_ytd_payment is still the 10 of the load wherever there were payments since: "
        "tpcc-mysql's Payment never updates it",
    ),
)


def deviations_of(number: int | None) -> tuple[Deviation, ...]:
    """Return the habits that violate a condition."""
    return tuple(deviation for deviation in DEVIATIONS if number in deviation.conditions)
