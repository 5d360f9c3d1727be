"""What is found of steadiness: codes and figures, no words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dbdyno.analysis.findings import Estimate
    from dbdyno.experiment.plan import Cell


class ServerEvent(StrEnum):
    """What a server's counters tell of that may hold throughput up."""

    CHECKPOINT_TIMED = "checkpoint by time"
    CHECKPOINT_REQUESTED = "checkpoint requested"
    """PostgreSQL's ``max_wal_size`` was used up."""
    FLUSH_WAIT = "waits for pages to be flushed"
    AUTOVACUUM = "autovacuum"


@dataclass(frozen=True)
class Dip:
    """A run of intervals below half of the trial's median.

    ``lost_s`` is what was not done in it, as seconds of the median; dips are ranked by it.
    """

    trial: int
    start_s: float
    """From the window's start."""
    duration_s: float
    lowest_share: float
    """The lowest interval by the median."""
    lost_s: float
    events: tuple[ServerEvent, ...] = ()
    """What was counted beside it; that is no proof of a cause."""


@dataclass(frozen=True)
class Change:
    """Where throughput moved to another level, and stayed there for a while."""

    trial: int
    at_s: float
    """From the window's start: when the first interval of the new level began."""
    before_per_s: float
    after_per_s: float
    """Means of the levels before and after."""


@dataclass(frozen=True)
class TrialSteadiness:
    """One trial: its whole intervals by their median. ``dips`` are the worst, worst first."""

    variation: float
    """The standard deviation over the mean."""
    p5_share: float
    p95_share: float
    change_share: float
    """By the trend over the window, from its first to its last interval."""
    dips: tuple[Dip, ...]
    dip_count: int
    dipped_s: float
    observed_s: float
    changes: tuple[Change, ...] = ()
    """In order of time."""


@dataclass(frozen=True)
class CellSteadiness:
    """One cell over its valid trials. Shares are of each trial's median."""

    cell: Cell
    trials: int
    variation: Estimate
    """Geometric mean over the trials."""
    p5_share: float
    """Median over the trials, like ``p95_share``."""
    p95_share: float
    change_share: float
    """Mean over the trials, with its 95 % interval; None of a single trial."""
    change_low: float | None
    change_high: float | None
    dips: int
    trials_with_dips: int
    dipped_share: float
    """Of the time of all trials."""

    @property
    def is_changing(self) -> bool:
        """Tell whether the interval of the change excludes zero."""
        low, high = self.change_low, self.change_high
        return low is not None and high is not None and not low <= 0 <= high


@dataclass(frozen=True)
class Steadiness:
    """All cells, the worst dips of all trials, and all changes of level.

    ``unlisted`` counts the dips that are not among the worst.
    """

    cells: tuple[CellSteadiness, ...] = ()
    worst: tuple[tuple[Cell, Dip], ...] = ()
    unlisted: int = 0
    changes: tuple[tuple[Cell, Change], ...] = ()
    """In the order of cells, trials and time."""
