"""Percentages as they stand in sentences: as many decimals as tell them apart."""

from __future__ import annotations

WITH_INTERVAL = 3
LEAST_STEPS = 5
"""The least width of an interval, in steps of the last decimal."""
MOST_FOR_A_MEAN = 50
"""A mean near zero is written as zero where an interval is wider than so many steps."""


def percents(*values: float) -> list[str]:
    """Return percentages that belong together with as many decimals as tell them apart.

    Three are a mean and its interval. The width of the interval decides, and no end that is not
    zero is shown as zero, because whether the interval excludes zero is what the reader looks for.
    """
    width = max(values) - min(values) if len(values) > 1 else abs(values[0])
    mean, ends = values[:1], values[1:]
    if len(values) != WITH_INTERVAL:
        mean, ends = (), values
    for decimals in range(4):
        steps = width * 10**decimals
        is_enough = steps >= LEAST_STEPS and not _is_lost(ends, decimals)
        if is_enough and (steps >= MOST_FOR_A_MEAN or not _is_lost(mean, decimals)):
            break
    # Adding zero turns a negative zero, which would be printed with its sign, into a plain one.
    return [f"{round(value, decimals) + 0.0:.{decimals}f}" for value in values]


def _is_lost(values: tuple[float, ...], decimals: int) -> bool:
    """Tell whether any that is not zero would be shown as zero."""
    return any(value != 0 and abs(value) * 10**decimals < 0.5 for value in values)
