"""What is done with a column of a table."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dbdyno.results_table.model import ClaimForm, Metric, Role, Summary

MOSTLY = 0.6
"""The share of a column's cells that tells what the column holds."""

DESCRIBING = frozenset(
    {Role.SUBJECT, Role.FACTOR, Role.LOAD, Role.CASE, Role.PART, Role.ROUND}
    | {Role.METRIC, Role.QUANTITY}
)
MEASURED = re.compile(
    r"\b(percent|pct|[kmg]i?b|bytes|cpu|iops|util|count|rate|time|ms)\b|%|\d ?min"
)
"""What heads numbers that were measured, whatever they are of."""


@dataclass(frozen=True)
class ColumnPlan:
    """What is done with the cells of a column.

    A column of figures may stand for a subject, a level, a round or a summary of its own; its
    ``metric`` is None where the row names it.
    """

    index: int
    name: str
    role: Role
    metric: Metric | None = None
    claim: ClaimForm | None = None
    subject: str = ""
    load: str | None = None
    round: str | None = None
    summary: Summary | None = None
    rest: str = ""
    """What the heading says besides a metric."""
