"""Figures, their targets, and whether they are met."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Bound(StrEnum):
    """On which side of its target a figure should be."""

    AT_MOST = "≤"
    AT_LEAST = "≥"


@dataclass(frozen=True)
class Target:
    """What a figure should be."""

    bound: Bound
    value: float


def at_most(value: float) -> Target:
    """Return a target from above."""
    return Target(Bound.AT_MOST, value)


def at_least(value: float) -> Target:
    """Return a target from below."""
    return Target(Bound.AT_LEAST, value)


@dataclass(frozen=True)
class Spread:
    """The median of some repeats, the least and the largest of them."""

    median: float
    least: float
    largest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Return the spread of one value or more."""
        return cls(statistics.median(values), min(values), max(values))


@dataclass(frozen=True)
class Figure:
    """One line of the table; ``detail`` has the absolute values that a ratio was made from."""

    section: str
    name: str
    unit: str
    spread: Spread
    target: Target | None = None
    detail: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the median is on the right side of the target; None where there is none."""
        if self.target is None:
            return None
        if self.target.bound is Bound.AT_MOST:
            return self.spread.median <= self.target.value
        return self.spread.median >= self.target.value

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as plain values."""
        target = self.target
        return {
            "section": self.section,
            "name": self.name,
            "unit": self.unit,
            "median": self.spread.median,
            "least": self.spread.least,
            "largest": self.spread.largest,
            "target": None if target is None else f"{target.bound} {target.value:g}",
            "met": self.met,
            "detail": self.detail,
        }


def ratio(dividends: Sequence[float], divisors: Sequence[float]) -> Spread:
    """Return the spread of the ratios of pairs that were measured one right after the other."""
    pairs = zip(dividends, divisors, strict=True)
    return Spread.of([dividend / divisor for dividend, divisor in pairs])


def medians(ours: Sequence[float], theirs: Sequence[float], unit: str) -> str:
    """Return both medians in words."""
    return f"{statistics.median(ours):.4g} against {statistics.median(theirs):.4g} {unit}".strip()
