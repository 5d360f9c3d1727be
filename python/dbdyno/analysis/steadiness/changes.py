"""Where throughput moved to another level within a trial: marks for charts, never for a verdict.

Binary segmentation: the sums of deviations from the mean part a trial in two where they are
farthest from zero (CUSUM; E. S. Page, Biometrika 41, 1954), and each part is looked at again. As
neighbouring intervals are alike, the sums are held against the long-run deviation of what is left
when both levels are taken away (Bartlett's weights; Newey and West, Econometrica 55, 1987). Without
a change they are a Brownian bridge, whose largest distance from zero has the distribution of
Kolmogorov.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dbdyno.analysis.steadiness.model import Change

Values = NDArray[np.float64]

FEWEST_EACH_SIDE = 8
"""Intervals that a level lasts: what is shorter is a dip or a peak."""
LEAST_CHANGE = 0.05
"""By the trial's median: less is nothing that anybody would look for."""
FEWEST_PARTED = 30
"""Fewer intervals say too little about how alike neighbours are."""
FARTHEST = 1.95
"""The bridge goes farther in 1 of 1,000: there are many trials, each parted several times."""
MARGIN_OF_FEW = 12
"""The limit is higher by this over the number of intervals: few show too little deviation."""
MOST_CHANGES = 6
"""Of a trial, the largest: more is not a change of level but how the trial was."""


def changes_of(trial: int, starts_s: Values, rates_per_s: Values) -> tuple[Change, ...]:
    """Return where the level of throughput changed, in order of time; () of an idle trial.

    Both arrays have one value per whole interval, shape (intervals,).
    """
    median = float(np.median(rates_per_s)) if len(rates_per_s) else 0.0
    if not median > 0:
        return ()
    places = sorted(_parted(rates_per_s / median, 0))
    edges = [0, *places, len(rates_per_s)]
    levels = [float(rates_per_s[first:after].mean()) for first, after in pairwise(edges)]
    found = [
        Change(trial, float(starts_s[place]), before_per_s=before, after_per_s=after)
        for place, before, after in zip(places, levels, levels[1:], strict=False)
        if abs(after - before) >= LEAST_CHANGE * median
    ]
    found.sort(key=lambda change: -abs(change.after_per_s - change.before_per_s))
    return tuple(sorted(found[:MOST_CHANGES], key=lambda change: change.at_s))


def _parted(shares: Values, first: int) -> Iterator[int]:
    """Yield the first interval of each new level; ``first`` is where these intervals begin."""
    place = _place(shares)
    if place is not None:
        yield first + place
        yield from _parted(shares[:place], first)
        yield from _parted(shares[place:], first + place)


def _place(shares: Values) -> int | None:
    """Return the interval with which another level begins; None where there is but one level."""
    count = len(shares)
    if count < FEWEST_PARTED:
        return None
    sums = np.cumsum(shares - shares.mean())
    inner = np.abs(sums[FEWEST_EACH_SIDE - 1 : count - FEWEST_EACH_SIDE])
    place = int(np.argmax(inner)) + FEWEST_EACH_SIDE
    left = shares - np.where(np.arange(count) < place, shares[:place].mean(), shares[place:].mean())
    deviation = _long_run_deviation(left)
    limit = FARTHEST * (1 + MARGIN_OF_FEW / count)
    is_change = inner.max() > limit * deviation * math.sqrt(count)
    return place if is_change else None


def _long_run_deviation(values: Values) -> float:
    """Return the deviation of sums of dependent values, by the root of their number."""
    count = len(values)
    lags = min(math.ceil(1.5 * count ** (1 / 3)), count // 4)
    variance = float(values @ values) / count
    for lag in range(1, lags + 1):
        weight = 1 - lag / (lags + 1)
        variance += 2 * weight * float(values[:-lag] @ values[lag:]) / count
    return math.sqrt(max(variance, 0.0))
