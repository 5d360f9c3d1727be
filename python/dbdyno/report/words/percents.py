"""Percentages as they stand in sentences: as many decimals as tell them apart."""

from __future__ import annotations


def percents(*values: float) -> list[str]:
    """Return percentages that belong together with as many decimals as tell them apart.

    The width of an interval decides, and no end that is not zero is shown as zero, because whether
    the interval excludes zero is what the reader looks for.
    """
    width = max(values) - min(values) if len(values) > 1 else abs(values[0])
    smallest = min((abs(value) for value in values if value != 0), default=1.0)
    enough = [
        decimals
        for decimals in (0, 1, 2, 3)
        if width * 10**decimals >= 5 and smallest * 10**decimals >= 0.5
    ]
    decimals = enough[0] if enough else 3
    # Adding zero turns a negative zero, which would be printed with its sign, into a plain one.
    return [f"{value + 0.0:.{decimals}f}" for value in values]
