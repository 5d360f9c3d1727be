"""What comparing cells yields: codes and figures, no words.

Effects are changes of the metric in percent: positive where the figure is larger, whether that is
good or bad. Intervals are at 95 %, each for itself. P-values are corrected for all that is asked,
so that one below ``significance`` is a difference shown (see ``families.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dbdyno.analysis.compare.metric import THROUGHPUT, Metric
from dbdyno.analysis.compare.power import SIGNIFICANCE
from dbdyno.experiment.plan import Cell, Contrast


class VerdictKind(StrEnum):
    """What a comparison says."""

    BETTER = "better"
    WORSE = "worse"
    UNDECIDED = "undecided"
    """The interval, which stands for itself, leaves out zero. But the verdict is corrected for all
    that was asked, and then nothing is shown."""
    NO_DIFFERENCE_SHOWN = "no difference shown"
    EQUIVALENT = "equivalent"
    """The two differ by less than the margin that the experiment names, to either side."""
    NO_WORSE = "no worse"
    """It is not worse by the margin or more."""
    TOO_FEW_ROUNDS = "too few rounds"
    NOT_COMPARABLE = "not comparable"
    """There is no ratio, or it would say nothing; ``Comparison.reason`` tells which."""


class Reason(StrEnum):
    """Why two cells are not compared by a metric."""

    IDLE = "idle"
    """One of them did nothing in some round, so that there is no ratio."""
    GIVEN_RATE = "given rate"
    """Both kept up with one rate: throughput was given and not found."""
    UNLIKE_RATES = "unlike rates"
    """They were given different loads."""
    UNLIKE_CLIENTS = "unlike clients"
    """Fewer clients waited for one of the servers, because the generator read answers late."""
    NOT_KEPT_UP = "not kept up"
    """One did not keep up with its rate, so that its response times say how long the trial was."""
    FEW_TIMES = "few times"
    """In some round one had too few transactions for the percentile: its slow rounds would lack."""


SHOWN = frozenset({VerdictKind.BETTER, VerdictKind.WORSE})
"""Verdicts of a difference."""


@dataclass(frozen=True)
class Effect:
    """A change in percent with its interval, and what it stands on.

    ``deviation`` is the standard deviation of the rounds' log ratios; ``freedom`` are the degrees
    of freedom of the interval, more than rounds − 1 where variances were moderated. ``level`` is
    that of the single test by which the verdict is reached, as long as the others of its family
    have a power of 80 %.
    """

    percent: float
    low_percent: float
    high_percent: float
    p_value: float
    deviation: float
    freedom: float
    rounds: int
    level: float = SIGNIFICANCE


@dataclass(frozen=True)
class Comparison:
    """One cell against another by one metric, paired over rounds; one factor differs."""

    factor: str
    cell: Cell
    baseline: Cell
    kind: VerdictKind
    rounds: int
    effect: Effect | None = None
    """None where there are too few rounds, or no ratio."""
    reason: Reason | None = None
    idle_rounds: tuple[int, ...] = ()
    metric: Metric = THROUGHPUT

    @property
    def contrast(self) -> Contrast:
        """The level of each of the two cells."""
        return self.cell.contrast(self.factor, self.baseline)


@dataclass(frozen=True)
class FactorEffect:
    """A level of a factor against its baseline over all combinations of the other factors.

    ``combinations`` are those that are in it, ``left_out`` those that share too few rounds.
    ``not_both`` are those of which no cell was planned for one of the two levels.
    """

    factor: str
    level: str
    baseline: str
    kind: VerdictKind
    rounds: int
    combinations: int
    left_out: int
    effect: Effect | None = None
    metric: Metric = THROUGHPUT
    not_both: int = 0

    @property
    def contrast(self) -> Contrast:
        """The level and its baseline."""
        return self.level, self.baseline


@dataclass(frozen=True)
class PartialMean:
    """A level against its baseline over some of the other factors, at one combination of the rest.

    It is an estimate: no verdict is reached by it.
    """

    factor: str
    level: str
    baseline: str
    at: Cell
    """The levels at which it is."""
    over: tuple[str, ...]
    """The factors that it is a mean over; of one combination, those of the others beside it."""
    combinations: int
    """How many of their combinations are in it."""
    effect: Effect
    is_over_load: bool
    """Whether it is a mean over loads; else it is at a load, over what sets no transactions."""

    @property
    def contrast(self) -> Contrast:
        """The level and its baseline."""
        return self.level, self.baseline


@dataclass(frozen=True)
class FactorTest:
    """Whether a factor has any effect at all: what has to be shown before its cells are called.

    ``interaction_p_value`` asks whether its effect depends on the other factors; None where it has
    no combinations to depend on, or too few rounds.
    """

    factor: str
    has_passed: bool
    main_p_value: float
    """Of any level, on the mean of all combinations."""
    interaction_p_value: float | None
    is_moderated: bool
    """Whether the cells' variances were drawn towards each other."""
    is_unlike: bool = False
    """Whether it was shown that its effect depends on the other factors."""
    is_paired: bool = True
    """Whether rounds belong together. Of a factor without such rounds, the p-value of interaction
    is the smallest of its cells, corrected for their number."""


@dataclass(frozen=True)
class MetricComparisons:
    """All that is compared by one metric, at one level of significance."""

    metric: Metric
    significance: float
    tests: tuple[FactorTest, ...]
    effects: tuple[FactorEffect, ...]
    comparisons: tuple[Comparison, ...]
    handed_on: float = 0.0
    """The level that the factor in question hands on to the other metrics."""
    partial_means: tuple[PartialMean, ...] = ()
