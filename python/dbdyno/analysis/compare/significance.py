"""Tests: plain numbers in, p-values out.

All arrays hold logarithms of ratios, a row a round. The round is the unit of replication.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

Values = NDArray[np.float64]


def t_test_p_value(mean: float, standard_error: float, freedom: float) -> float:
    """Return the two-sided p-value of Student's t; 1 where nothing scatters and nothing differs."""
    if standard_error <= 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * special.stdtr(freedom, -abs(mean) / standard_error))


def interaction_p_value(levels: Sequence[Values], resolution: float = 0.0) -> float:
    """Return how likely effects as unlike as these are where all are the same in truth.

    Each level of a factor has an array of the shape (rounds, combinations): its effect in each
    round and for each combination of the other factors' levels, of which levels may have unlike
    ones. Within a level, the mean over the combinations is taken out of each round; if the effect
    does not depend on the others, what is left has mean zero. Box's F test with the
    Greenhouse-Geisser estimate of the degrees of freedom bears unequal variances and common
    baselines (Box 1954, Annals of Mathematical Statistics 25; Greenhouse and Geisser 1959,
    Psychometrika 24). No contrast varies less than figures do that are told so finely.
    """
    several = [level for level in levels if level.shape[1] > 1]
    rounds = min((len(level) for level in several), default=0)
    if rounds < 3:
        return 1.0
    contrasts = np.hstack([level - level.mean(axis=1, keepdims=True) for level in several])
    covariance = np.atleast_2d(np.cov(contrasts, rowvar=False))
    total = float(np.trace(covariance))
    means = contrasts.mean(axis=0)
    least = len(means) * rounds * resolution**2 / 12
    if max(total, least) <= 0:
        return 1.0 if np.allclose(means, 0) else 0.0
    freedom = total**2 / float(np.sum(covariance**2)) if total > 0 else 1.0
    total = max(total, least)
    statistic = rounds * float(means @ means) / total
    return float(special.fdtrc(freedom, freedom * (rounds - 1), statistic))
