"""What a workload's throughput is: all transactions a second, or one kind of them a minute.

All rates that analysis has are per second. A report writes them as the measure says, and has the
words for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from dbdyno.analysis.tpcc.options import draws_new_orders, is_paced
from dbdyno.analysis.tpcc.requirements import NEW_ORDER
from dbdyno.protocol.trial_plan import TrialPlan

if TYPE_CHECKING:
    from dbdyno.analysis.findings import Estimate


class MeasureCode(StrEnum):
    """What the figure is called."""

    TRANSACTIONS = "transactions"
    NOPM = "NOPM"
    TPMC = "tpmC"
    """The specification's name for the same, which holds only where terminals key in and think."""
    OPERATIONS = "operations"
    """What YCSB counts."""
    STATEMENTS = "statements"
    """What mysqlslap counts."""
    EVENTS = "events"
    """What sysbench counts in a test without a database."""
    QUERIES = "queries"
    """What a table calls QPS."""
    OTHER = "other"
    """A figure that somebody else has named, drawn in the place of throughput."""


@dataclass(frozen=True)
class ThroughputMeasure:
    """Which transactions are counted, and over which time.

    ``kind`` is the one kind of transaction that counts; None where all do.
    """

    code: MeasureCode
    kind: str | None
    period_s: float
    name: str = ""
    """What somebody else calls it; empty where it is one of ours."""

    def of(self, rate_per_s: float) -> float:
        """Return a rate in this measure."""
        return rate_per_s * self.period_s

    def estimate(self, per_s: Estimate) -> Estimate:
        """Return an estimate in this measure."""
        low, high = (None if end is None else self.of(end) for end in (per_s.low, per_s.high))
        return replace(per_s, mean=self.of(per_s.mean), low=low, high=high)


TRANSACTIONS = ThroughputMeasure(MeasureCode.TRANSACTIONS, None, 1.0)
NOPM = ThroughputMeasure(MeasureCode.NOPM, NEW_ORDER, 60.0)
TPMC = ThroughputMeasure(MeasureCode.TPMC, NEW_ORDER, 60.0)


def throughput_measure(plans: Iterable[TrialPlan]) -> ThroughputMeasure:
    """Return the measure of an experiment by the trial plans that its generators received."""
    options = [plan.tpcc for plan in plans]
    known = [each for each in options if each is not None and draws_new_orders(each)]
    if not known or len(known) < len(options):
        return TRANSACTIONS
    return TPMC if all(map(is_paced, known)) else NOPM
