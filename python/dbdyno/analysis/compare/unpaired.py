"""Cells whose rounds do not belong together: two results that were measured at different times.

Each side has its own mean and its own scatter. Their difference is judged by Welch's t test (Welch
1947, Biometrika 34) on logarithms, with the degrees of freedom of Satterthwaite (1946, Biometrics
Bulletin 2), but no more than two sides with the rounds of the smaller one can have. Without that
limit a side of three rounds that scatters little by chance borrows the certainty of twelve others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dbdyno.analysis.compare.asked import FEWEST_ROUNDS, Asked, effect_of, of_mean
from dbdyno.analysis.compare.metric import Metric
from dbdyno.analysis.compare.model import Comparison, Effect, FactorEffect, VerdictKind
from dbdyno.analysis.compare.moderation import Variance
from dbdyno.analysis.compare.multiple_testing import holm
from dbdyno.analysis.compare.ratios import ByRound, Pair, by_contrast

Values = NDArray[np.float64]
_STEPS = 60
"""Each at least halves what missing values are off by, where most are there."""


def ask_unpaired(metric: Metric, factor: str, pairs: Sequence[Pair]) -> Asked:
    """Return what is known of a factor whose levels have rounds of their own.

    A single cell may differ where the mean over all does not. So the smallest p-value of the cells,
    corrected for their number, stands where paired rounds have a test of interaction.
    """
    cells = [_cell(metric, pair) for pair in pairs]
    known = holm([each.effect.p_value for each in cells if each.effect is not None])
    return Asked(
        factor=factor,
        effects=[over_all(metric, members) for members in by_contrast(pairs).values()],
        comparisons=cells,
        interaction=min(known) if len(known) > 1 else None,
        is_moderated=False,
    )


def welch(own: Values, other: Values, *, resolution: float = 0.0) -> Effect | None:
    """Return the effect of ``own`` against ``other``, logarithms of one value a round.

    None where a side has fewer than two rounds. ``rounds`` of the effect are those of the smaller
    side, and ``deviation`` is what a paired comparison of as many rounds would have had to have.
    """
    rounds = min(len(own), len(other))
    if rounds < FEWEST_ROUNDS:
        return None
    parts = np.array([np.var(each, ddof=1) / len(each) for each in (own, other)])
    error_squared = float(parts.sum())
    freedoms = np.array([len(own) - 1, len(other) - 1])
    freedom = 2.0 * (rounds - 1)
    if error_squared > 0:
        freedom = min(freedom, error_squared**2 / float(np.sum(parts**2 / freedoms)))
    difference = float(np.mean(own) - np.mean(other))
    return effect_of(difference, Variance(error_squared * rounds, freedom), rounds, resolution)


def _cell(metric: Metric, pair: Pair) -> Comparison:
    return Comparison(
        factor=pair.factor,
        cell=pair.cell,
        baseline=pair.baseline,
        kind=VerdictKind.TOO_FEW_ROUNDS,
        rounds=min(len(pair.own), len(pair.other)),
        effect=welch(_logarithms(pair.own), _logarithms(pair.other), resolution=pair.resolution),
        metric=metric,
    )


def over_all(metric: Metric, pairs: Sequence[Pair]) -> FactorEffect:
    """Return the effect of a level: by round the mean over the combinations, for each side."""
    first = pairs[0]
    members = [pair for pair in pairs if min(len(pair.own), len(pair.other)) >= FEWEST_ROUNDS]
    own = means_by_round([pair.own for pair in members])
    other = means_by_round([pair.other for pair in members])
    return FactorEffect(
        factor=first.factor,
        level=first.contrast[0],
        baseline=first.contrast[1],
        kind=VerdictKind.TOO_FEW_ROUNDS,
        rounds=min(len(own), len(other)),
        combinations=len(members),
        left_out=len(pairs) - len(members),
        effect=welch(own, other, resolution=of_mean([pair.resolution for pair in members])),
        metric=metric,
    )


def means_by_round(sides: Sequence[ByRound]) -> Values:
    """Return the mean of the logarithms of all in each round that at least half of them have.

    What one lacks in a round is what it has on the mean, and that round more or less than others
    (F. Yates, Empire Journal of Experimental Agriculture 1, 1933): it takes no round from the rest.
    """
    having = Counter(number for side in sides for number in side)
    rounds = sorted(number for number, count in having.items() if 2 * count >= len(sides))
    known = np.array([[side.get(number, np.nan) for side in sides] for number in rounds])
    is_missing = np.isnan(known)
    if not rounds or is_missing.all(axis=0).any():
        return np.array([])
    table = np.log(known)
    filled = np.where(is_missing, np.nanmean(table, axis=0), table)
    for _ in range(_STEPS if is_missing.any() else 0):
        by_round, by_side = filled.mean(axis=1, keepdims=True), filled.mean(axis=0, keepdims=True)
        filled = np.where(is_missing, by_round + by_side - filled.mean(), table)
    return np.asarray(filled.mean(axis=1))


def _logarithms(side: ByRound) -> Values:
    return np.array([np.log(side[number]) for number in sorted(side)])
