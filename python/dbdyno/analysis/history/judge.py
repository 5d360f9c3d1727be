"""Each result of a history against those of its level that came before it.

The unit is the result, not the round: what changes on a machine from day to day is a part of how
results scatter, and rounds of one day know nothing of it. Where the level changed is found in the
whole series; a result is then compared with the prediction interval of those before it at its level
(Student's t of one more observation; Hahn and Meeker 1991, Statistical Intervals, chapter 4). One
that lies outside is an outlier. The first results of a level cannot be judged so when they come in;
one of them that lies outside what all the others let expect is left out of what later ones are
compared with.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

import numpy as np
from scipy import special

from dbdyno.analysis.history.levels import FEWEST, LEAST_CHANGE, find_levels

SIGNIFICANCE = 0.01
"""Of one result: a history has many."""
GROSS = 0.001
"""Of leaving a result out afterwards: without its ends a level would look steadier than it is."""


class Standing(StrEnum):
    """How a result stands to those before it."""

    TOO_FEW = "too few before it"
    WITHIN = "as before"
    OUTLIER = "outlier"
    CHANGED = "changed"
    """The first result at a new level."""
    OTHER_CLIENTS = "other clients in effect"
    """Its response times are those of another number of clients that waited for the server."""
    DRIFTED = "drifted"
    """The last result of a series that rises or falls all along; expected is where it began."""


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
    """Judge positive values, the oldest first, by their logarithms."""
    logarithms = np.log(np.array(values, dtype=float))
    levels = find_levels(logarithms)
    found: list[Judged] = []
    before: list[float] = []
    for begin, end in pairwise([*levels.begins, len(values)]):
        level: list[float] = []
        for place in range(begin, end):
            judged = _judge(float(logarithms[place]), level)
            if place == begin and begin:
                judged = replace(
                    _judge(float(logarithms[place]), before), standing=Standing.CHANGED
                )
            if judged.standing is not Standing.OUTLIER:
                level.append(float(logarithms[place]))
            found.append(judged)
        before = level
    if levels.drift is not None:
        found[-1] = _drifted(found[-1].value, levels.drift)
    return found


def _drifted(value: float, drift: float) -> Judged:
    return Judged(value, Standing.DRIFTED, value / math.exp(drift))


def _judge(logarithm: float, level: Sequence[float]) -> Judged:
    value = math.exp(logarithm)
    if len(level) < FEWEST:
        expected = math.exp(float(np.mean(level))) if level else None
        return Judged(value, Standing.TOO_FEW, expected)
    mean, width = _expected(_without_outliers(level), SIGNIFICANCE)
    is_outside = abs(logarithm - mean) > width
    return Judged(
        value,
        Standing.OUTLIER if is_outside else Standing.WITHIN,
        math.exp(mean),
        math.exp(mean - width),
        math.exp(mean + width),
    )


def _expected(level: Sequence[float], significance: float) -> tuple[float, float]:
    """Return the middle and half the width of the prediction interval of one more result."""
    width = float(np.std(level, ddof=1)) * math.sqrt(1 + 1 / len(level))
    width *= float(special.stdtrit(len(level) - 1, 1 - significance / 2))
    return float(np.mean(level)), max(width, LEAST_CHANGE)


def _without_outliers(level: Sequence[float]) -> list[float]:
    """Return results without those that all the others exclude, each tried (Bonferroni)."""
    kept = list(level)
    while len(kept) > FEWEST:
        farthest = int(np.argmax(np.abs(np.array(kept) - np.median(kept))))
        others = kept[:farthest] + kept[farthest + 1 :]
        mean, width = _expected(others, GROSS / len(kept))
        if abs(kept[farthest] - mean) <= width:
            break
        kept = others
    return kept
