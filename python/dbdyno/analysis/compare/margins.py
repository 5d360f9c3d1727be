"""Which cells differ by less than the margin that an experiment names, for all of them together.

Each is held against both ends of the margin by a one-sided test (Schuirmann 1987, Journal of
Pharmacokinetics and Biopharmaceutics 15). All these tests are corrected for their number, so that
the chance of any wrong statement is that of one. No effect lies beyond both ends at once: so of the
hypotheses that are left there are never more true ones than comparisons (Shaffer 1986, Journal of
the American Statistical Association 81).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy import special

from dbdyno.analysis.compare.metric import Metric
from dbdyno.analysis.compare.model import Effect, VerdictKind


def within_margin(
    effects: Sequence[Effect | None], margin: float, metric: Metric, significance: float
) -> list[VerdictKind | None]:
    """Return of each effect whether it is equivalent or no worse; None where neither is shown."""
    tests = sorted(
        (p_value, at, end)
        for at, effect in enumerate(effects)
        if effect is not None
        for end, p_value in enumerate(_p_values(effect, margin))
    )
    excluded: list[set[int]] = [set() for _ in effects]
    left = len(tests) // 2
    for p_value, at, end in tests:
        if p_value * left >= significance:
            break
        excluded[at].add(end)
        left -= len(excluded[at]) == 2
    worse = 0 if metric.more_is_better else 1
    return [_kind(ends, worse) for ends in excluded]


def _p_values(effect: Effect, margin: float) -> tuple[float, float]:
    """Return those of an effect at the margin's lower end or below, and at its upper or above."""
    error = effect.deviation / math.sqrt(effect.rounds)
    centre, limit = math.log1p(effect.percent / 100), math.log1p(margin)
    if error <= 0:
        return float(centre <= -limit), float(centre >= limit)
    low, high = (
        float(special.stdtr(effect.freedom, -distance / error))
        for distance in (centre + limit, limit - centre)
    )
    return low, high


def _kind(excluded: set[int], worse: int) -> VerdictKind | None:
    if len(excluded) == 2:
        return VerdictKind.EQUIVALENT
    return VerdictKind.NO_WORSE if worse in excluded else None
