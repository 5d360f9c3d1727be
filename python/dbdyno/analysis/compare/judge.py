"""Which differences a report calls so: the chance of any wrong one is held for the whole report.

The factor that the question is about is asked first, at the full level of significance: does any of
its levels differ from the baseline, on the mean of all combinations of the other factors? What that
hands on, and a small level beside, is for its single cells, for whether its effect depends on the
other factors, for these, and for the other metrics (``families.py``). All else has an effect with
an interval, and no verdict: where the interval leaves out zero, it is undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dbdyno.analysis.compare.asked import (
    FEWEST_ROUNDS,
    Asked,
    effect_of,
    of_mean,
    uniform_variance,
)
from dbdyno.analysis.compare.families import Claims, Judged, claims
from dbdyno.analysis.compare.margins import within_margin
from dbdyno.analysis.compare.metric import Metric
from dbdyno.analysis.compare.model import (
    SHOWN,
    Comparison,
    Effect,
    FactorEffect,
    FactorTest,
    MetricComparisons,
    VerdictKind,
)
from dbdyno.analysis.compare.moderation import Variance, moderate
from dbdyno.analysis.compare.multiple_testing import CELLS, REST
from dbdyno.analysis.compare.ratios import Pair, by_contrast, common_rounds
from dbdyno.analysis.compare.rules import Rules
from dbdyno.analysis.compare.significance import interaction_p_value
from dbdyno.analysis.compare.unpaired import ask_unpaired

Values = NDArray[np.float64]

FEWEST_ROUNDS_FOR_INTERACTION = 3


def judge(
    metric: Metric, pairs: Sequence[Pair], others: Sequence[Comparison], rules: Rules
) -> MetricComparisons:
    """Return all that is compared by a metric; ``others`` have no ratio, and why is known."""
    factors = list(dict.fromkeys(pair.factor for pair in pairs))
    factors.sort(key=lambda factor: factor != rules.question)
    asked = [_ask(metric, factor, pairs, rules) for factor in factors]
    claimed, handed_on = _claimed(asked, rules.significance)
    verdict = _verdict_of(metric, rules)
    effects = [replace(e, kind=verdict(e.effect)) for made in claimed for e in made.effects]
    comparisons = [replace(c, kind=verdict(c.effect)) for made in claimed for c in made.comparisons]
    if rules.margin is not None:
        effects, comparisons = _held_to_margin(effects, comparisons, metric, rules)
    shown = {each.factor for each in effects if each.kind in SHOWN}
    shown |= {each.factor for each in comparisons if each.kind in SHOWN}
    tests = [
        FactorTest(
            factor.factor,
            factor.factor in shown,
            factor.main,
            factor.interaction,
            factor.is_moderated,
            is_unlike=_is_unlike(factor, rules),
            is_paired=factor.factor not in rules.unpaired,
        )
        for factor in asked
    ]
    return MetricComparisons(
        metric,
        rules.significance,
        tuple(tests),
        tuple(effects),
        (*others, *comparisons),
        handed_on,
    )


def _held_to_margin(
    effects: list[FactorEffect], comparisons: list[Comparison], metric: Metric, rules: Rules
) -> tuple[list[FactorEffect], list[Comparison]]:
    """Return what shows no difference with what it shows of the margin instead."""
    assert rules.margin is not None
    # A level of one combination is its cell, and is tested once.
    wholes = [each for each in effects if each.combinations > 1]
    known = [each.effect for each in wholes] + [each.effect for each in comparisons]
    found = within_margin(known, rules.margin, metric, rules.significance)
    of_cells = found[len(wholes) :]
    of_contrast = {(c.factor, c.contrast): k for c, k in zip(comparisons, of_cells, strict=True)}
    of_contrast |= {(e.factor, e.contrast): k for e, k in zip(wholes, found, strict=False)}
    return (
        [_replaced(each, of_contrast.get((each.factor, each.contrast))) for each in effects],
        [_replaced(*each) for each in zip(comparisons, of_cells, strict=True)],
    )


def _replaced(judged: Judged, within: VerdictKind | None) -> Judged:
    return judged if within is None or judged.kind in SHOWN else replace(judged, kind=within)


def _claimed(asked: Sequence[Asked], significance: float) -> tuple[list[Claims], float]:
    """Return what each factor shows, the one in question first, and what other metrics get.

    The interaction of the factor in question shares one level with the other factors, as long as
    not all levels of that factor are shown: then its cells are open anyway. Each of the others
    divides its own level between its levels and its interaction.
    """
    if not asked:
        return [], 0.0
    first, *others = asked
    alone = _question(first, significance, 0.0)
    handed_on = (alone.left - alone.used) / 2
    rest = REST * significance + handed_on
    is_open = alone.left >= significance
    share = rest / max(len(others) + (not is_open), 1)
    made = [alone if is_open else _question(first, significance, share)]
    for each in others:
        of_levels = share if each.interaction is None else (1 - REST) * share
        made.append(
            claims(
                each,
                significance,
                level=of_levels,
                interaction_level=share - of_levels,
                share_of_cells=1.0,
            )
        )
    return made, handed_on


def _question(first: Asked, significance: float, interaction_level: float) -> Claims:
    return claims(
        first,
        significance,
        level=significance,
        interaction_level=interaction_level,
        share_of_cells=CELLS,
    )


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
    contrasts = list(by_contrast(own).values())
    is_moderated = factor in rules.moderated
    return Asked(
        factor,
        [over_all(metric, members) for members in contrasts],
        _cells(metric, own, is_moderated=is_moderated),
        _interaction(contrasts),
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
        resolution = of_mean([each.resolution for each in members])
        effect = effect_of(float(np.mean(means)), variance, len(rounds), resolution)
    return FactorEffect(
        factor=first.factor,
        level=first.contrast[0],
        baseline=first.contrast[1],
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
        None if len(each) < FEWEST_ROUNDS else _variance(each, pair.resolution)
        for pair, each in zip(pairs, arrays, strict=True)
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
            else effect_of(float(np.mean(array)), variance, len(array), pair.resolution),
            metric=metric,
        )
        for pair, array, variance in zip(pairs, arrays, variances, strict=True)
    ]


def _variance(logarithms: Values, resolution: float) -> Variance:
    """Return the variance of one round; what it lacks of the least that it can be is added."""
    least = len(logarithms) * uniform_variance(resolution)
    return Variance(max(float(np.var(logarithms, ddof=1)), least), len(logarithms) - 1)


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


def _interaction(contrasts: Sequence[Sequence[Pair]]) -> float | None:
    """Return the p-value of effects that depend on the others; None where none can be asked."""
    members, rounds = common_rounds([pair for contrast in contrasts for pair in contrast])
    kept = set(map(id, members))  # To hash a pair, or to hold it against all members, is slow.
    left = [[pair for pair in contrast if id(pair) in kept] for contrast in contrasts]
    most = max((len(contrast) for contrast in left), default=0)
    if most < 2 or len(rounds) < FEWEST_ROUNDS_FOR_INTERACTION:
        return None
    return interaction_p_value(
        [np.array([[pair.logarithms[n] for pair in each] for n in rounds]) for each in left],
        max((pair.resolution for pair in members), default=0.0),
    )


def _verdict_of(metric: Metric, rules: Rules) -> Callable[[Effect | None], VerdictKind]:
    def verdict(effect: Effect | None) -> VerdictKind:
        if effect is None:
            return VerdictKind.TOO_FEW_ROUNDS
        if effect.p_value < rules.significance:
            is_better = (effect.percent > 0) == metric.more_is_better
            return VerdictKind.BETTER if is_better else VerdictKind.WORSE
        has_zero = effect.low_percent <= 0 <= effect.high_percent
        return VerdictKind.NO_DIFFERENCE_SHOWN if has_zero else VerdictKind.UNDECIDED

    return verdict
