"""What rounds say of one factor before it is judged, and the figures that all such answers have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.analysis.compare.model import Comparison, Effect, FactorEffect
from dbdyno.analysis.compare.moderation import Variance
from dbdyno.analysis.compare.multiple_testing import holm
from dbdyno.analysis.compare.power import critical
from dbdyno.analysis.compare.significance import t_test_p_value

FEWEST_ROUNDS = 2


@dataclass(frozen=True)
class Asked:
    """What the rounds say of one factor, each level and cell by itself."""

    factor: str
    effects: Sequence[FactorEffect]
    comparisons: Sequence[Comparison]
    interaction: float | None
    is_moderated: bool

    @property
    def main(self) -> float:
        """The p-value of any level on the mean of all combinations, corrected for their number."""
        known = [each.effect.p_value for each in self.effects if each.effect is not None]
        return min(holm(known), default=1.0)


def effect_of(mean: float, variance: Variance, rounds: int, resolution: float) -> Effect:
    """Return a mean log ratio of so many rounds as an effect; ``variance`` is of one round.

    Rounds do not mend how finely figures are told: where they all agree, all have the same error.
    So the variance of the mean is that of a uniform error at least.
    """
    error = math.sqrt(max(variance.value / rounds, uniform_variance(resolution)))
    margin = critical(variance.freedom) * error
    return Effect(
        percent=percent(mean),
        low_percent=percent(mean - margin),
        high_percent=percent(mean + margin),
        p_value=t_test_p_value(mean, error, variance.freedom),
        deviation=error * math.sqrt(rounds),
        freedom=variance.freedom,
        rounds=rounds,
    )


def uniform_variance(step: float) -> float:
    """Return the variance of what is uniform over a step."""
    return step**2 / 12


def of_mean(resolutions: Sequence[float]) -> float:
    """Return the resolution of a mean of figures, each with an error of its own."""
    return math.hypot(*resolutions) / max(len(resolutions), 1)


def percent(logarithm: float) -> float:
    """Return a log ratio as a change in percent."""
    return 100 * math.expm1(logarithm)
