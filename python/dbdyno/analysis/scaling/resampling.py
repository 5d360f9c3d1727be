"""How sure a curve is: by resampling whole rounds, because the round is what was repeated.

What slows a whole round stays together so, and the seconds of a trial never count as n.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dbdyno.analysis.compare.power import critical
from dbdyno.analysis.scaling.law import Parameters, Values, fit
from dbdyno.analysis.scaling.model import Span

RESAMPLES = 300
SEED = 20
"""The same result gives the same figures each time."""
ENDS = (0.025, 0.975)


def resampled(clients: Values, logarithms: Values, fitted: Parameters) -> list[Parameters]:
    """Return the parameters of resampled rounds; ``logarithms`` has a row a round."""
    means, places = np.unique(_stretched_means(logarithms), axis=0, return_inverse=True)
    curves = [fit(clients, mean, start=fitted) for mean in means]
    return [curves[place] for place in places.ravel()]


def span(value: float, others: Sequence[float]) -> Span:
    """Return a figure with what the middle 95 % of resampled rounds make of it."""
    # Infinite ones, of curves without a peak, cannot be interpolated.
    low, high = np.quantile(others, ENDS, method="inverted_cdf")
    return Span(value, float(low), float(high))


def _stretched_means(logarithms: Values) -> Values:
    """Return the mean logarithms of resampled rounds, a row a sample.

    Of few rounds, resampled means scatter too little: by √((n − 1)/n), and as if their variance
    were known. Their distances from the mean are made longer by what Student's t asks for
    (Hesterberg 2015, What Teachers Should Know About the Bootstrap, The American Statistician 69,
    section 4.3, does the same to the ends of the interval).
    """
    rounds = len(logarithms)
    drawn = np.random.default_rng(SEED).integers(rounds, size=(RESAMPLES, rounds))
    # In the order of the rounds, equal samples have equal sums to the last bit.
    means = logarithms[np.sort(drawn, axis=1)].mean(axis=1)
    mean = logarithms.mean(axis=0)
    stretch = math.sqrt(rounds / (rounds - 1)) * critical(rounds - 1) / critical(math.inf)
    return np.asarray(mean + stretch * (means - mean))
