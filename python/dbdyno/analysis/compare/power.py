"""What an experiment can show: by its scatter, and by how many rounds it has.

``dbdyno plan`` asks this at a prompt, so nothing here takes a library that is slow to import.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

POWER = 0.80
SIGNIFICANCE = 0.05
MOST_ROUNDS = 1000
TAIL = 0.1
"""How often a range of what the rounds have shown is too high, and how often too low."""

FEWEST_MODERATED = 3
"""Fewer variances say too little about what they have in common (``moderation.py``)."""

_REACH = 23.0
"""Beyond this exponent a density adds less than a ten-thousand-millionth."""


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
    return exceeding(critical(freedom, 1 - test.level), freedom, noncentrality)


def exceeding(value: float, freedom: float, noncentrality: float = 0.0) -> float:
    """Return the probability that a noncentral t exceeds a value, to 1e-7; Student's t is at 0.

    With infinitely many degrees of freedom it is the normal distribution.

    It is the mean of P(Z > value S - noncentrality), where S squared is chi-square over its degrees
    of freedom: an integral over log S. The trapezoidal rule is exact for it but for an error that
    falls exponentially with the step (Trefethen and Weideman, SIAM Review 56, 2014, section 5).
    """
    if math.isinf(freedom):
        return math.erfc((value - noncentrality) / math.sqrt(2)) / 2
    step = min(0.25 / math.sqrt(freedom), 0.8 / (1 + abs(noncentrality)))
    end = math.sqrt(_REACH / freedom)
    place = -end - _REACH / freedom
    total = above = 0.0
    while place < end:
        scale = math.exp(place)
        weight = math.exp(freedom * (place - (scale * scale - 1) / 2))
        total += weight
        above += weight * math.erfc((value * scale - noncentrality) / math.sqrt(2)) / 2
        place += step
    return above / total


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
    from scipy import special

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
    low, high = 0.0, 4 * critical(test.gain * (rounds - 1), 1 - test.level)
    while high - low > 1e-4 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if _power(middle, rounds, test) >= POWER else (middle, high)
    return high


@cache
def critical(freedom: float, confidence: float = 1 - SIGNIFICANCE) -> float:
    """Return what Student's t exceeds to either side with probability 1 − confidence.

    By Newton's steps from 0, where the tail is convex: none goes too far.
    """
    if math.isinf(freedom):
        return NormalDist().inv_cdf((1 + confidence) / 2)
    gammas = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    density_at_0 = math.exp(gammas) / math.sqrt(freedom * math.pi)
    value, step = 0.0, math.inf
    while step > 1e-9 * (1 + value):
        density = density_at_0 * (1 + value * value / freedom) ** (-(freedom + 1) / 2)
        step = (exceeding(value, freedom) - (1 - confidence) / 2) / density
        value += step
    return value
