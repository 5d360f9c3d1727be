"""Which differences a report calls so: the chance of any wrong one is held for the whole report.

A factor is asked first: does any of its levels differ from the baseline, on the mean of all
combinations of the other factors, or does its effect depend on them? Only where it does, its levels
and its single cells are judged, each with Holm's correction for the others. All else has an effect
with an interval, and no verdict: where the interval leaves out zero, it is undecided.

The factor that the question is about is asked at the full level of significance, so that the other
questions cost it nothing. They share a small level of their own, and half of the full one as well
where that factor has shown a difference (the graphs of Bretz, Maurer, Brannath and Posch 2009,
Statistics in Medicine 28); the other half goes to the other metrics (``cells.py``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dbdyno.analysis.compare.asked import FEWEST_ROUNDS, Asked, corrected, effect_of
from dbdyno.analysis.compare.metric import Metric
from dbdyno.analysis.compare.model import (
    Comparison,
    Effect,
    FactorEffect,
    FactorTest,
    MetricComparisons,
    VerdictKind,
)
from dbdyno.analysis.compare.moderation import Variance, moderate
from dbdyno.analysis.compare.power import critical
from dbdyno.analysis.compare.ratios import Pair, common_rounds
from dbdyno.analysis.compare.significance import holm, interaction_p_value
from dbdyno.analysis.compare.unpaired import ask_unpaired

FEWEST_ROUNDS_FOR_INTERACTION = 3


REST = 0.2
"""The level of the other questions by the same metric, as a share of the full one."""
HANDED_ON = 0.5
"""What the other questions get of the full level where the first one is answered."""


@dataclass(frozen=True)
class Rules:
    """At which level differences are called, and which ones are too small to matter."""

    question: str | None = None
    """The factor that the question is about; the first one where nobody says."""
    significance: float = 0.05
    margin: float | None = None
    """As a share: 0.05 are five percent to either side."""
    moderated: Collection[str] = ()
    """Factors whose compared cells ran next to each other, so that their variances are alike."""
    unpaired: Collection[str] = ()
    """Factors whose levels were measured at different times, so that no two rounds belong
    together."""


def judge(
    metric: Metric, pairs: Sequence[Pair], others: Sequence[Comparison], rules: Rules
) -> MetricComparisons:
    """Return all that is compared by a metric; ``others`` have no ratio, and why is known."""
    factors = list(dict.fromkeys(pair.factor for pair in pairs))
    factors.sort(key=lambda factor: factor != rules.question)
    asked = [_ask(metric, factor, pairs, rules) for factor in factors]
    passed = _passed(asked, rules.significance)
    tests, effects, comparisons = [], [], list(others)
    for factor, has_passed in zip(asked, passed, strict=True):
        tests.append(
            FactorTest(
                factor.factor,
                has_passed,
                factor.main,
                factor.interaction,
                factor.is_moderated,
                is_unlike=_is_unlike(factor, rules),
                is_paired=factor.factor not in rules.unpaired,
            )
        )
        verdict = _verdict_of(metric, rules, has_passed=has_passed)
        effects += [replace(each, kind=verdict(each.effect)) for each in factor.effects]
        comparisons += [replace(each, kind=verdict(each.effect)) for each in factor.comparisons]
    return MetricComparisons(
        metric, rules.significance, tuple(tests), tuple(effects), tuple(comparisons)
    )


def _passed(asked: Sequence[Asked], significance: float) -> list[bool]:
    """Tell of each factor, the one in question first, whether it has any effect."""
    if not asked:
        return []
    first, *others = asked
    is_answered = first.main < significance
    level = significance * (REST + (HANDED_ON if is_answered else 0.0))
    questions = [1.0 if first.interaction is None else first.interaction]
    questions += [each.any_effect for each in others]
    interacts, *rest = (p_value < level for p_value in holm(questions))
    return [is_answered or interacts, *rest]


def _is_unlike(factor: Asked, rules: Rules) -> bool:
    """Tell whether a factor's effect was shown to depend on the others, at their own level.

    This calls nothing a difference. It tells readers whether the mean of all combinations says
    what happens in any of them.
    """
    if factor.interaction is None or factor.factor in rules.unpaired:
        return False
    return factor.interaction < REST * rules.significance


def _ask(metric: Metric, factor: str, pairs: Sequence[Pair], rules: Rules) -> Asked:
    own = [pair for pair in pairs if pair.factor == factor]
    if factor in rules.unpaired:
        return ask_unpaired(metric, factor, own)
    by_level: dict[str, list[Pair]] = {}
    for pair in own:
        by_level.setdefault(pair.level, []).append(pair)
    effects = corrected([over_all(metric, members) for members in by_level.values()])
    is_moderated = factor in rules.moderated
    return Asked(
        factor,
        effects,
        corrected(_cells(metric, own, is_moderated=is_moderated)),
        _interaction(list(by_level.values())),
        is_moderated,
    )


def over_all(metric: Metric, pairs: Sequence[Pair]) -> FactorEffect:
    """Return the effect of a level: by round the mean over the combinations, then t over rounds."""
    members, rounds = common_rounds([pair for pair in pairs if len(pair.logarithms) >= 1])
    first = pairs[0]
    effect = None
    if len(rounds) >= FEWEST_ROUNDS:
        means = np.mean([[each.logarithms[n] for n in rounds] for each in members], axis=0)
        variance = Variance(float(np.var(means, ddof=1)), len(rounds) - 1)
        effect = effect_of(float(np.mean(means)), variance, len(rounds))
    return FactorEffect(
        factor=first.factor,
        level=first.level,
        baseline=first.baseline.level(first.factor),
        kind=VerdictKind.TOO_FEW_ROUNDS,
        rounds=len(rounds),
        combinations=len(members),
        left_out=len(pairs) - len(members),
        effect=effect,
        metric=metric,
    )


def _cells(metric: Metric, pairs: Sequence[Pair], *, is_moderated: bool) -> list[Comparison]:
    arrays = [pair.array() for pair in pairs]
    variances = [
        Variance(float(np.var(each, ddof=1)), len(each) - 1) if len(each) >= FEWEST_ROUNDS else None
        for each in arrays
    ]
    if is_moderated:
        variances = _moderated(variances)
    return [
        Comparison(
            factor=pair.factor,
            cell=pair.cell,
            baseline=pair.baseline,
            kind=VerdictKind.TOO_FEW_ROUNDS,
            rounds=len(array),
            effect=None
            if variance is None
            else effect_of(float(np.mean(array)), variance, len(array)),
            metric=metric,
        )
        for pair, array, variance in zip(pairs, arrays, variances, strict=True)
    ]


def _moderated(variances: Sequence[Variance | None]) -> list[Variance | None]:
    """Draw variances towards each other, of those that have the most usual number of rounds."""
    freedoms = [each.freedom for each in variances if each is not None]
    if not freedoms:
        return list(variances)
    usual = max(set(freedoms), key=freedoms.count)
    alike = [each.value for each in variances if each is not None and each.freedom == usual]
    moderated = iter(moderate(alike, int(usual)))
    return [
        next(moderated) if each is not None and each.freedom == usual else each
        for each in variances
    ]


def _interaction(by_level: Sequence[Sequence[Pair]]) -> float | None:
    """Return the p-value of effects that depend on the others; None where none can be asked."""
    members, rounds = common_rounds([pair for level in by_level for pair in level])
    kept = set(map(id, members))  # To hash a pair, or to hold it against all members, is slow.
    left = [[pair for pair in level if id(pair) in kept] for level in by_level]
    most = max((len(level) for level in left), default=0)
    if most < 2 or len(rounds) < FEWEST_ROUNDS_FOR_INTERACTION:
        return None
    return interaction_p_value(
        [np.array([[pair.logarithms[n] for pair in level] for n in rounds]) for level in left]
    )


def _verdict_of(
    metric: Metric, rules: Rules, *, has_passed: bool
) -> Callable[[Effect | None], VerdictKind]:
    def verdict(effect: Effect | None) -> VerdictKind:
        if effect is None:
            return VerdictKind.TOO_FEW_ROUNDS
        if has_passed and effect.p_value < rules.significance:
            is_better = (effect.percent > 0) == metric.more_is_better
            return VerdictKind.BETTER if is_better else VerdictKind.WORSE
        within = _within(rules.margin, effect, metric)
        if within is not None:
            return within
        has_zero = effect.low_percent <= 0 <= effect.high_percent
        return VerdictKind.NO_DIFFERENCE_SHOWN if has_zero else VerdictKind.UNDECIDED

    return verdict


def _within(margin: float | None, effect: Effect, metric: Metric) -> VerdictKind | None:
    """Hold the 90 % interval against the margin: two one-sided tests at 5 % (Schuirmann 1987)."""
    if margin is None:
        return None
    error = effect.deviation / math.sqrt(effect.rounds)
    width = critical(effect.freedom, 0.90) * error
    centre, limit = math.log1p(effect.percent / 100), math.log1p(margin)
    if -limit < centre - width and centre + width < limit:
        return VerdictKind.EQUIVALENT
    worst = centre - width if metric.more_is_better else -(centre + width)
    return VerdictKind.NO_WORSE if worst > -limit else None
