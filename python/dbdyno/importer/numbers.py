"""Numbers as logs have them. What is no number, or none that can be measured, is None."""

from __future__ import annotations

import re
from functools import lru_cache

LARGEST = 1e15
"""More than any count, rate or time that a benchmark has; what is beyond it is damage."""

_DIGITS_MAX = 40


def number(text: str | None) -> float | None:
    """Return a figure of a log, which is finite and not below 0; None for all else."""
    if text is None or len(text) > _DIGITS_MAX:
        return None
    try:
        # Most have no commas, and a long log has a million figures.
        value = float(text) if "," not in text else float(text.replace(",", ""))
    except ValueError:
        return None
    return value if 0 <= value <= LARGEST else None


def whole(text: str | None) -> int | None:
    """Return a count of a log; None for what is none."""
    value = number(text)
    return int(value) if value is not None and value.is_integer() else None


def positive(text: str | None) -> float | None:
    """Return a figure that is above 0, such as a length of time."""
    return number(text) or None


def per_second(count: float | None, seconds: float | None) -> float | None:
    """Return a rate; None where either is not known, or no time has passed."""
    return count / seconds if count is not None and seconds else None


def per_minute(text: str | None) -> float | None:
    """Return what is printed a minute as a rate per second."""
    value = number(text)
    return None if value is None else value / 60


def scaled(value: float | None, factor: float) -> float | None:
    """Return a figure in another unit."""
    return None if value is None else value * factor


def added(values: list[int | None]) -> int | None:
    """Return the sum of those that are known; None where none is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


_ORDINAL = re.compile(r"(\d{1,3}(?:\.\d+)?)")


@lru_cache(maxsize=64)
def share_of(text: str) -> float | None:
    """Return a percentile as a share: ``95``, ``95th`` and ``99.9th`` → 0.95 and 0.999."""
    found = _ORDINAL.match(text)
    value = number(found[1]) if found else None
    return round(value / 100, 6) if value and value < 100 else None
