"""What an experiment can show: by its scatter, and by how many rounds it has."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import scipy
from scipy import special

POWER = 0.80
SIGNIFICANCE = 0.05
MOST_ROUNDS = 1000
TAIL = 0.1
"""How often a range of what the rounds have shown is too high, and how often too low."""


@dataclass(frozen=True)
class Strictness:
    """How strictly a difference is tested, and how surely its variance is known.

    ``gain`` is by how much moderated variances have more degrees of freedom than rounds less one.
    """

    level: float = SIGNIFICANCE
    gain: float = 1.0


USUAL = Strictness()


def power_of(effect: float, deviation: float, rounds: int, test: Strictness = USUAL) -> float:
    """Return the probability that the paired t test shows a log ratio, by its scatter over rounds.

    With n rounds the statistic follows the noncentral t distribution with n − 1 degrees of freedom
    and noncentrality δ √n / s (Cohen, Statistical Power Analysis for the Behavioral Sciences, 2nd
    ed. 1988, sections 2.3 and 2.5). A difference that is shown with the wrong sign is none.
    """
    if rounds < 2:
        return 0.0
    if deviation <= 0:
        return 1.0 if effect else 0.0
    return _power(abs(effect) * math.sqrt(rounds) / deviation, rounds, test)


def _power(noncentrality: float, rounds: int, test: Strictness) -> float:
    freedom = test.gain * (rounds - 1)
    # special.nctdtr is not a number for some noncentralities that are far away.
    return float(scipy.stats.nct.sf(critical(freedom, 1 - test.level), freedom, noncentrality))


def rounds_needed(effect: float, deviation: float, test: Strictness = USUAL) -> int | None:
    """Return the fewest rounds that show a log ratio with 80 % probability; None beyond 1,000."""
    if not effect:
        return None
    low, high = 2, MOST_ROUNDS
    if power_of(effect, deviation, high, test) < POWER:
        return None
    while low < high:
        middle = (low + high) // 2
        if power_of(effect, deviation, middle, test) >= POWER:
            high = middle
        else:
            low = middle + 1
    return low


def range_of_deviation(deviation: float, freedom: float) -> tuple[float, float]:
    """Return between which two values the true one lies with 80 % probability (chi-square)."""
    low, high = (special.chdtri(freedom, tail) for tail in (TAIL, 1 - TAIL))
    return deviation * math.sqrt(freedom / low), deviation * math.sqrt(freedom / high)


def smallest_detectable_percent(
    standard_deviation: float, rounds: int, test: Strictness = USUAL
) -> float:
    """Return the true effect that a comparison shows with 80 % probability, in percent larger.

    ``standard_deviation`` is that of the rounds' log ratios.
    """
    noncentrality = _detectable_noncentrality(rounds, test)
    return 100 * math.expm1(noncentrality * standard_deviation / math.sqrt(rounds))


@cache
def _detectable_noncentrality(rounds: int, test: Strictness) -> float:
    most = 4 * critical(test.gain * (rounds - 1), 1 - test.level)
    return float(scipy.optimize.brentq(lambda each: _power(each, rounds, test) - POWER, 0.0, most))


@cache
def critical(freedom: float, confidence: float = 1 - SIGNIFICANCE) -> float:
    """Return what Student's t exceeds to either side with probability 1 − confidence."""
    return float(special.stdtrit(freedom, (1 + confidence) / 2))
