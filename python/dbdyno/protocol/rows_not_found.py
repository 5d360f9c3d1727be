"""Selects and updates that found no row, by a workload that expects one: they cost little."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dbdyno.protocol.events import StatementCount
from dbdyno.protocol.workload_plan import WorkloadPlan

STATEMENTS_MIN = 100
WITHOUT_ROWS_SHARE_MAX = 0.01


@dataclass(frozen=True)
class RowsNotFound:
    """How many statements that were to find a row found none, of how many."""

    without_rows: int
    statements: int

    @property
    def share(self) -> float:
        """The share of those that found none."""
        return self.without_rows / self.statements if self.statements else 0.0

    @property
    def is_notable(self) -> bool:
        """Whether so many found none that the rows are not there."""
        return self.statements >= STATEMENTS_MIN and self.share > WITHOUT_ROWS_SHARE_MAX


def rows_not_found(statements: Iterable[StatementCount], workload: WorkloadPlan) -> RowsNotFound:
    """Add up what statements found that always find a row where the tables are whole."""
    verbs = _verbs_that_find(workload)
    finding = [each for each in statements if each.verb in verbs]
    return RowsNotFound(
        sum(each.without_rows for each in finding), sum(each.executions for each in finding)
    )


def _verbs_that_find(workload: WorkloadPlan) -> tuple[str, ...]:
    """Return which statements of a workload always find a row on whole tables.

    TPC-C's Delivery also looks for orders that need not be there; a missing row of its other
    selects is an error. What own statements look for, nobody knows here.
    """
    if "tpcc" in workload:
        return ("update",)
    is_pgbench = "pgbench" in workload and all(
        "builtin" in script for script in workload["pgbench"]["scripts"]
    )
    return ("select", "update") if is_pgbench or "sysbench" in workload else ()
