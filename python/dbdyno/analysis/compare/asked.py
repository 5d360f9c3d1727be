"""What rounds say of one factor before it is judged, and the figures that all such answers have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from dbdyno.analysis.compare.model import Comparison, Effect, FactorEffect
from dbdyno.analysis.compare.moderation import Variance
from dbdyno.analysis.compare.power import critical
from dbdyno.analysis.compare.significance import holm, t_test_p_value

Judged = TypeVar("Judged", FactorEffect, Comparison)

FEWEST_ROUNDS = 2


@dataclass(frozen=True)
class Asked:
    """What the rounds say of one factor, before it is known whether it has passed."""

    factor: str
    effects: Sequence[FactorEffect]
    comparisons: Sequence[Comparison]
    interaction: float | None
    is_moderated: bool

    @property
    def main(self) -> float:
        """The p-value of any level on the mean of all combinations, corrected for their number."""
        return min(
            (each.effect.p_value for each in self.effects if each.effect is not None), default=1.0
        )

    @property
    def any_effect(self) -> float:
        """The p-value of either: of any level, or of one that depends on the other factors."""
        known = [self.main] + ([] if self.interaction is None else [self.interaction])
        return min(holm(known))


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


def corrected(judged: Sequence[Judged]) -> list[Judged]:
    """Return them with p-values that are corrected for each other."""
    effects = [each.effect for each in judged if each.effect is not None]
    corrected = iter(holm([effect.p_value for effect in effects]))
    return [
        each
        if each.effect is None
        else replace(each, effect=replace(each.effect, p_value=next(corrected)))
        for each in judged
    ]


def percent(logarithm: float) -> float:
    """Return a log ratio as a change in percent."""
    return 100 * math.expm1(logarithm)
