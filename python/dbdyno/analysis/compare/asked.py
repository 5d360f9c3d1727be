"""What rounds say of one factor before it is judged, and the figures that all such answers have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.analysis.compare.model import Comparison, Effect, FactorEffect
from dbdyno.analysis.compare.moderation import Variance
from dbdyno.analysis.compare.power import critical
from dbdyno.analysis.compare.significance import holm, t_test_p_value

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


def effect_of(mean: float, variance: Variance, rounds: int) -> Effect:
    """Return a mean log ratio of so many rounds as an effect; ``variance`` is of one round."""
    error = math.sqrt(variance.value / rounds)
    margin = critical(variance.freedom) * error
    return Effect(
        percent=percent(mean),
        low_percent=percent(mean - margin),
        high_percent=percent(mean + margin),
        p_value=t_test_p_value(mean, error, variance.freedom),
        deviation=math.sqrt(variance.value),
        freedom=variance.freedom,
        rounds=rounds,
    )


def percent(logarithm: float) -> float:
    """Return a log ratio as a change in percent."""
    return 100 * math.expm1(logarithm)
