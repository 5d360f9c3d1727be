"""What an experiment can show: by its scatter, and by how many rounds it has."""

from __future__ import annotations

import math
from functools import cache

import scipy
from scipy import special

POWER = 0.80
SIGNIFICANCE = 0.05
MOST_ROUNDS = 1000


def power_of(effect: float, deviation: float, rounds: int) -> float:
    """Return the probability that the paired t test shows a log ratio, by its scatter over rounds.

    With n rounds the statistic follows the noncentral t distribution with n − 1 degrees of freedom
    and noncentrality δ √n / s (Cohen, Statistical Power Analysis for the Behavioral Sciences, 2nd
    ed. 1988, sections 2.3 and 2.5). A difference that is shown with the wrong sign is none.
    """
    if rounds < 2:
        return 0.0
    if deviation <= 0:
        return 1.0 if effect else 0.0
    noncentrality = abs(effect) * math.sqrt(rounds) / deviation
    # special.nctdtr is not a number for some noncentralities that are far away.
    return float(scipy.stats.nct.sf(critical(rounds - 1), rounds - 1, noncentrality))


def rounds_needed(effect: float, deviation: float) -> int | None:
    """Return the fewest rounds that show a log ratio with 80 % probability; None beyond 1,000."""
    if not effect:
        return None
    low, high = 2, MOST_ROUNDS
    if power_of(effect, deviation, high) < POWER:
        return None
    while low < high:
        middle = (low + high) // 2
        if power_of(effect, deviation, middle) >= POWER:
            high = middle
        else:
            low = middle + 1
    return low


def smallest_detectable_percent(standard_deviation: float, rounds: int) -> float:
    """Return the true effect that a comparison shows with 80 % probability, in percent larger.

    ``standard_deviation`` is that of the rounds' log ratios.
    """
    detectable = _detectable_noncentrality(rounds) * standard_deviation / math.sqrt(rounds)
    return 100 * math.expm1(detectable)


@cache
def _detectable_noncentrality(rounds: int) -> float:
    freedom = rounds - 1

    def lacking_power(noncentrality: float) -> float:
        return float(scipy.stats.nct.sf(critical(freedom), freedom, noncentrality)) - POWER

    return float(scipy.optimize.brentq(lacking_power, 0.0, 4 * critical(freedom)))


@cache
def critical(freedom: float, confidence: float = 1 - SIGNIFICANCE) -> float:
    """Return what Student's t exceeds to either side with probability 1 − confidence."""
    return float(special.stdtrit(freedom, (1 + confidence) / 2))
