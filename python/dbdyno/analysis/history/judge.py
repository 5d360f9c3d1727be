"""Each result of a history against those before it, as a control chart does.

The unit is the result, not the round: what changes on a machine from day to day is a part of how
results scatter, and rounds of one day know nothing of it. So a result is held against the
prediction interval of those before it since the level last changed (Student's t of one more
observation; Hahn and Meeker 1991, Statistical Intervals, chapter 4). One that lies outside is an
outlier until the next one lies outside on the same side, too: then the level has changed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from scipy import special

FEWEST = 3
"""So many results before it a result needs to be judged."""
SIGNIFICANCE = 0.01
"""Of one result: a history has many, and an outlier is confirmed by a second one."""
LEAST_CHANGE = math.log(1.001)
"""A tenth of a percent: less is seen by nobody, however little a rate that was given scatters."""


class Standing(StrEnum):
    """How a result stands to those before it."""

    TOO_FEW = "too few before it"
    WITHIN = "as before"
    OUTLIER = "outlier"
    CHANGED = "changed"
    """The first result at a new level."""


@dataclass(frozen=True)
class Judged:
    """A value with what those before it let expect; None where they are too few."""

    value: float
    standing: Standing
    expected: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def change_percent(self) -> float | None:
        """By how much it differs from what was expected."""
        return None if self.expected is None else 100 * (self.value / self.expected - 1)


def judge_history(values: Sequence[float]) -> list[Judged]:
    """Judge positive values, the oldest first; each by the logarithms of those before it."""
    found: list[Judged] = []
    level: list[float] = []
    for value in values:
        judged = _judge(math.log(value), level)
        last = found[-1] if found else None
        if judged.standing is Standing.OUTLIER and last is not None and _confirms(judged, last):
            found[-1] = replace(last, standing=Standing.CHANGED)
            level = [math.log(last.value), math.log(value)]
            judged = Judged(value, Standing.TOO_FEW)
        elif judged.standing is not Standing.OUTLIER:
            level.append(math.log(value))
        found.append(judged)
    return found


def _confirms(judged: Judged, last: Judged) -> bool:
    """Tell whether two results in a row lie outside on the same side."""
    if last.standing is not Standing.OUTLIER or judged.expected is None or last.expected is None:
        return False
    return (judged.value > judged.expected) == (last.value > last.expected)


def _judge(logarithm: float, level: Sequence[float]) -> Judged:
    value = math.exp(logarithm)
    if len(level) < FEWEST:
        return Judged(value, Standing.TOO_FEW)
    mean, deviation = float(np.mean(level)), float(np.std(level, ddof=1))
    width = deviation * math.sqrt(1 + 1 / len(level))
    width *= float(special.stdtrit(len(level) - 1, 1 - SIGNIFICANCE / 2))
    width = max(width, LEAST_CHANGE)
    is_outside = abs(logarithm - mean) > width
    return Judged(
        value,
        Standing.OUTLIER if is_outside else Standing.WITHIN,
        math.exp(mean),
        math.exp(mean - width),
        math.exp(mean + width),
    )
