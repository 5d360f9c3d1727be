"""How a figure is written: the same number reads the same in the page and in the terminal.

Thousands are parted by a comma, a minus sign is a minus sign, and a unit stands after a no-break
space. What does not exist is an en dash, never a zero.
"""

from __future__ import annotations

import math

from dbdyno.analysis.compare.model import Effect
from dbdyno.experiment.file.quantity import runs_of
from dbdyno.report.language import current, listed
from dbdyno.report.words.percents import percents

ABSENT = "–"


def is_known(value: float | None) -> bool:
    """Tell whether there is a finite figure at all."""
    return value is not None and math.isfinite(value)


def decimals_of(value: float, significant: int) -> int:
    """Return how many decimals show ``value`` with at least ``significant`` digits."""
    if value == 0:
        return 0
    magnitude = math.floor(math.log10(abs(value)))
    return max(0, significant - 1 - magnitude)


def _write(value: float, decimals: int) -> str:
    """Write a number with a real minus sign, and zero without any."""
    text = f"{value:,.{decimals}f}"
    if text.strip("-0.,") == "":
        text = text.lstrip("-")
    return text.replace("-", "−")


def rate(value: float | None) -> str:
    """Write a rate per second with four significant digits: ``12,345``, ``123.4``, ``0.1234``."""
    if value is None or not is_known(value):
        return ABSENT
    return _write(value, min(4, decimals_of(value, 4)))


def rate_interval(mean: float, low: float | None, high: float | None) -> str:
    """Write ``[low, high]`` with as many decimals as the mean between them has."""
    if low is None or high is None or not (is_known(low) and is_known(high)):
        return ABSENT
    decimals = min(4, decimals_of(mean, 4))
    return f"[{_write(low, decimals)}, {_write(high, decimals)}]"


def milliseconds(value: float | None) -> str:
    """Write a time with three significant digits, which is what the histograms hold.

    What lies beyond the range of the histograms is infinite, and written as such a limit.
    """
    if value == math.inf:
        return ">\N{NO-BREAK SPACE}2\N{NO-BREAK SPACE}h"
    if value is None or not is_known(value):
        return ABSENT
    return _write(value, min(6, decimals_of(value, 3)))


def count(value: float) -> str:
    """Write a whole number."""
    return _write(value, 0)


def percent(value: float | None) -> str:
    """Write a percentage with as many decimals as it takes not to be zero: ``4 %``, ``0.3 %``."""
    if value is None or not is_known(value):
        return ABSENT
    return with_percent_sign(percents(value)[0])


def with_percent_sign(number: str) -> str:
    """Write a number as a percentage, with the space that the language puts before the sign."""
    return f"{number}{current().percent_sign}"


def share(value: float | None) -> str:
    """Write a share between 0 and 1 as a percentage; a small one keeps two significant digits."""
    if value is None or not is_known(value):
        return ABSENT
    as_percent = 100 * value
    decimals = min(4, max(1, decimals_of(as_percent, 2)))
    return with_percent_sign(_write(as_percent, decimals))


def effect(
    value: float | None, low: float | None = None, high: float | None = None
) -> tuple[str, str]:
    """Write an effect and its interval with their signs: ``("+18.2 %", "[+14.1, +22.0]")``.

    They have the decimals that the verdict's sentence has, so that the page does not say one thing
    in two ways.
    """
    if value is None:
        return ABSENT, ABSENT
    if low is None or high is None:
        return with_percent_sign(_signed(percents(value)[0])), ABSENT
    centre, *ends = (_signed(text) for text in percents(value, low, high))
    return with_percent_sign(centre), f"[{', '.join(ends)}]"


def effect_of(found: Effect) -> tuple[str, str]:
    """Write a compared effect as ``effect`` does."""
    return effect(found.percent, found.low_percent, found.high_percent)


def _signed(number: str) -> str:
    """Give a number its plus or its minus sign; zero has none."""
    if number.strip("0.") == "":
        return number
    return number.replace("-", "−") if number.startswith("-") else f"+{number}"


def ranges(numbers: tuple[int, ...]) -> str:
    """Write whole numbers with their runs drawn together: ``1–4, 7, 9–12``."""
    runs = runs_of(numbers)
    return listed(f"{first}" if first == last else f"{first}–{last}" for first, last in runs)
