"""What is found of how throughput grows with clients: codes and figures, no words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dbdyno.experiment.plan import Cell


class Refusal(StrEnum):
    """Why the law is not told of some cells."""

    FEW_LEVELS = "few levels"
    FEW_ROUNDS = "few rounds"
    OPEN_LOOP = "open loop"
    """Throughput was given by a rate, whatever the number of clients."""
    WAITS = "waits"
    """Clients think or sleep, so that the number of those who want something is another."""
    IDLE = "idle"
    """Some number of clients did nothing in some round, which has no logarithm."""
    BAD_FIT = "bad fit"
    """Throughput has another shape than the law, by more than the rounds' scatter explains."""
    NO_BEND = "no bend"
    """Coherency is not told from zero, and without it the law has no peak."""


class PeakStanding(StrEnum):
    """Where the peak lies by what was measured."""

    WITHIN = "within"
    EXTRAPOLATED = "extrapolated"
    """Beyond the most clients that were measured, by a factor of two at the most."""
    BEYOND = "beyond"
    """Further beyond, where the law is not told."""
    BELOW = "below"
    """Below the fewest clients that were measured: throughput fell from there on."""


@dataclass(frozen=True)
class Span:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Peak:
    """The highest point of the curve; without figures where it is too far from what was measured.

    The interval of ``clients`` may end beyond ``Scaling.told_to``, where it is not to be told.
    """

    standing: PeakStanding
    clients: Span | None = None
    throughput_per_s: Span | None = None


@dataclass(frozen=True)
class CurvePoint:
    """Throughput by the law at a number of clients."""

    clients: float
    per_s: Span


@dataclass(frozen=True)
class Law:
    """The law as it fits some cells. ``curve`` is over the clients that were measured, in order."""

    lambda_per_s: Span
    """What one client gets done that is alone."""
    contention: Span
    coherency: Span
    peak: Peak
    extrapolated: CurvePoint
    """At the most clients of which anything is told. The interval also holds the curves that leave
    out one measured number of clients each."""
    curve: tuple[CurvePoint, ...]


@dataclass(frozen=True)
class Scaling:
    """The cells that differ in the number of clients alone, and the law where it is told."""

    factor: str
    others: Cell
    """Their levels of all other factors."""
    clients: tuple[int, ...]
    """The numbers that share their rounds, in order."""
    rounds: int
    refusal: Refusal | None = None
    law: Law | None = None
    misfit: float | None = None
    """By how much throughput is off the curve, as a share: the root of the mean square."""

    @property
    def told_to(self) -> int:
        """The most clients of which the law is told: twice what was measured."""
        return 2 * max(self.clients, default=0)
