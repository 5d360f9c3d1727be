"""The statistics of trials: intervals on means, paired effects, what could be seen, and trends.

Everything here takes plain numbers, one per trial, so that it can be tested by simulation. The
trial is the unit of replication: the seconds in a trial depend on each other and never count as n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dbdyno.analysis.compare.power import critical
from dbdyno.analysis.findings import Estimate

Values = NDArray[np.float64]

MOST_COUNTED = 33
"""Of more values than these, the normal approximation is good enough."""


def geometric_mean(values: Values) -> Estimate:
    """Return the geometric mean of non-negative values with Student's t interval on it.

    The interval is that of the logarithms, so that no end of it is below zero, and ratios of such
    means over the same rounds are the effects. Where a value is zero so is the
    mean, and there is no interval. Without any value the mean is NaN.
    """
    count = len(values)
    if count == 0:
        return Estimate(math.nan, None, None, 0)
    if np.any(values <= 0):
        return Estimate(0.0, None, None, count)
    # Relative to the first, so that the mean of one value, or of equal ones, is that very value.
    first = float(values[0])
    logarithms = np.log(values / first)
    mean = float(np.mean(logarithms))
    if count == 1:
        return Estimate(first, None, None, 1)
    ends = (mean + sign * _margin(logarithms) for sign in (0, -1, 1))
    centre, low, high = (first * math.exp(end) for end in ends)
    return Estimate(centre, low, high, count)


def coefficient_of_variation(values: Values) -> float | None:
    """Return the sample standard deviation (n − 1) over the mean; None where there is none."""
    if len(values) < 2 or not np.mean(values) > 0:
        return None
    return float(np.std(values, ddof=1) / np.mean(values))


@dataclass(frozen=True)
class Trend:
    """A monotone trend: the change from first to last value over the median, and its p-value."""

    relative_change: float
    p_value: float


def trend(values: Values, batches: int | None = None) -> Trend:
    """Return the trend of equally spaced values: Theil-Sen slope and Mann-Kendall test.

    The Mann-Kendall test is Kendall's tau between the values and their order. Both are robust: one
    value that is far off changes them little. Neighbours that depend on each other make the test
    cry wolf; with ``batches`` it looks at the means of so many stretches, which depend on each
    other far less. Without three values, or without any variation, there is no trend.
    """
    if not _can_have_trend(values):
        return Trend(0.0, 1.0)
    _, means = _places_and_means(values, batches)
    return Trend(relative_change(values, batches), mann_kendall_p_value(means))


def mann_kendall_p_value(values: Values) -> float:
    """Return how likely so much order is by chance, to either side (Mann 1945, Econometrica 13).

    All orders of few values are counted (Kendall, Rank Correlation Methods, 4th ed. 1970, section
    5.2); of more, or of some that are equal, the normal approximation is taken (section 4.4).
    SciPy has the same, and takes a second to be imported.
    """
    count = len(values)
    first, second = np.triu_indices(count, 1)
    score = abs(int(np.sum(np.sign(values[second] - values[first]))))
    _, alike = np.unique(values, return_counts=True)
    if count <= MOST_COUNTED and len(alike) == count:
        orders = _orders_by_inversions(count)
        rarer = sum(orders[: (len(first) - score) // 2 + 1])
        return min(1.0, 2 * rarer / math.factorial(count))
    sizes = np.array([count, *alike], dtype=np.float64)
    terms = sizes * (sizes - 1) * (2 * sizes + 5) / 18
    return math.erfc(score / math.sqrt(2 * float(terms[0] - np.sum(terms[1:]))))


@cache
def _orders_by_inversions(count: int) -> list[int]:
    """Return how many orders of so many values have 0, 1, 2 ... pairs the wrong way round."""
    orders = [1]
    for size in range(2, count + 1):
        longer = [0] * (len(orders) + size - 1)
        for inversions, number in enumerate(orders):
            for more in range(size):
                longer[inversions + more] += number
        orders = longer
    return orders


def relative_change(values: Values, batches: int | None = None) -> float:
    """Return the change of ``trend`` alone: the test takes longer than the slope."""
    if not _can_have_trend(values):
        return 0.0
    slope = _theil_sen(*_places_and_means(values, batches))
    return slope * (len(values) - 1) / float(np.median(values))


def _theil_sen(places: Values, values: Values) -> float:
    """Return the median slope of all pairs; SciPy's takes ten times as long for its interval."""
    first, second = np.triu_indices(len(values), 1)
    return float(np.median((values[second] - values[first]) / (places[second] - places[first])))


def _can_have_trend(values: Values) -> bool:
    is_enough = len(values) >= 3 and bool(np.median(values) > 0)
    return is_enough and not bool(np.all(values == values[0]))


def _places_and_means(values: Values, batches: int | None) -> tuple[Values, Values]:
    order = np.arange(len(values), dtype=np.float64)
    count = batches or len(values)
    return _batch_means(order, count), _batch_means(values, count)


def _batch_means(values: Values, batches: int) -> Values:
    """Return the means of at most ``batches`` stretches of equal length (± 1), in their order."""
    count = min(batches, len(values))
    length, longer = divmod(len(values), count)
    lengths = np.full(count, length)
    lengths[:longer] += 1
    means: Values = np.add.reduceat(values, np.cumsum(lengths) - lengths) / lengths
    return means


def _margin(values: Values) -> float:
    standard_error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return critical(len(values) - 1) * standard_error
