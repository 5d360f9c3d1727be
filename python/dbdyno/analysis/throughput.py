"""What a workload's throughput is: all transactions a second, or one kind of them by its own name.

All rates that analysis has are per second. A report writes them as the measure says.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dbdyno.analysis.tpcc.options import draws_new_orders, is_paced
from dbdyno.analysis.tpcc.requirements import NEW_ORDER
from dbdyno.protocol.trial_plan import TrialPlan

if TYPE_CHECKING:
    from dbdyno.analysis.findings import Estimate


@dataclass(frozen=True)
class ThroughputMeasure:
    """Which transactions are counted, over which time, and what the figure is called.

    ``heading`` stands over a column, ``words`` on an axis, ``counted`` is what is counted, one of
    them. ``kind`` is the one kind of transaction that counts; None where all do.
    """

    heading: str
    words: str
    counted: str
    kind: str | None
    period_s: float

    def of(self, rate_per_s: float) -> float:
        """Return a rate in this measure."""
        return rate_per_s * self.period_s

    def estimate(self, per_s: Estimate) -> Estimate:
        """Return an estimate in this measure."""
        low, high = (None if end is None else self.of(end) for end in (per_s.low, per_s.high))
        return replace(per_s, mean=self.of(per_s.mean), low=low, high=high)


TRANSACTIONS = ThroughputMeasure(
    "transactions/s", "transactions per second", "transaction", None, 1.0
)
NOPM = ThroughputMeasure("NOPM", "New-Orders per minute (NOPM)", "New-Order", NEW_ORDER, 60.0)
TPMC = ThroughputMeasure("tpmC", "New-Orders per minute (tpmC)", "New-Order", NEW_ORDER, 60.0)
"""The specification's name for the same, which holds only where terminals key in and think."""


def throughput_measure(plans: Iterable[TrialPlan]) -> ThroughputMeasure:
    """Return the measure of an experiment by the trial plans that its generators received."""
    options = [plan.tpcc for plan in plans]
    known = [each for each in options if each is not None and draws_new_orders(each)]
    if not known or len(known) < len(options):
        return TRANSACTIONS
    return TPMC if all(map(is_paced, known)) else NOPM
