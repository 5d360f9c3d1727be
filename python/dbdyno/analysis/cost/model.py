"""What is found of the cost of a transaction: figures, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dbdyno.analysis.findings import Estimate
    from dbdyno.experiment.plan import Cell


class CostName(StrEnum):
    """What a transaction takes, in seconds and bytes; of memory, the mean level."""

    SERVER_CPU = "server cpu"
    CLIENT_CPU = "client cpu"
    READ = "read"
    WRITTEN = "written"
    DISK_FLUSHES = "disk flushes"
    LOG = "log"
    """InnoDB's redo, PostgreSQL's WAL."""
    LOG_FSYNCS = "log fsyncs"
    NETWORK = "network"
    MEMORY = "memory"


TrialCosts = Mapping[CostName, float]
"""The costs of one trial. What nobody watched is absent; zero is a zero that was counted."""


@dataclass(frozen=True)
class Cost:
    """What a transaction of a cell takes: the geometric mean over rounds, and how it compares.

    ``ratio`` is that of the cell to its baseline, by round and then over the rounds; None where
    either has a zero, or they share no round.
    """

    mean: Estimate
    ratio: Estimate | None = None

    @property
    def is_apart(self) -> bool:
        """Tell whether the interval of the ratio excludes one."""
        low, high = (self.ratio.low, self.ratio.high) if self.ratio else (None, None)
        return low is not None and high is not None and not low <= 1 <= high


@dataclass(frozen=True)
class CellCosts:
    """The costs of one cell. ``baseline`` is what it is held against; None if it is one itself."""

    cell: Cell
    baseline: Cell | None
    costs: Mapping[CostName, Cost]
    transactions_per_cpu_s: Estimate | None = None
    """What the server gets done in a second of CPU time."""
