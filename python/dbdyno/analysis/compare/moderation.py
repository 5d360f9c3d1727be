"""Variances of several comparisons of a few rounds each, made surer by each other.

With four rounds a variance is hardly known. Those of the comparisons of one factor are alike, so
that each is drawn towards what they have in common, by as much as they agree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from dbdyno.analysis.compare.power import FEWEST_MODERATED

PRECISION = 1e-8
"""Newton's method ends where a step is so small, as a share of what it has found."""


@dataclass(frozen=True)
class Variance:
    """A variance with the degrees of freedom that Student's t has with it."""

    value: float
    freedom: float


def moderate(variances: Sequence[float], freedom: int) -> list[Variance]:
    """Return the variances, each with ``freedom`` degrees of its own, drawn towards each other.

    The empirical Bayes estimate of Smyth (2004, Statistical Applications in Genetics and Molecular
    Biology 3, section 6.2). The degrees that a variance gains are ``freedom`` at most, because
    comparisons of one factor have baselines and rounds in common.
    """
    if len(variances) < FEWEST_MODERATED or min(variances) <= 0 or freedom < 1:
        return [Variance(each, freedom) for each in variances]
    common, prior = _common(np.log(np.array(variances)), freedom)
    prior = min(prior, float(freedom))
    return [
        Variance((prior * common + freedom * each) / (prior + freedom), prior + freedom)
        for each in variances
    ]


def _common(logarithms: np.ndarray, freedom: int) -> tuple[float, float]:
    """Return what variances have in common, and the degrees of freedom that it is worth."""
    half = freedom / 2
    shifted = logarithms - special.digamma(half) + math.log(half)
    mean = float(np.mean(shifted))
    scatter = float(np.var(shifted, ddof=1) - special.polygamma(1, half))
    if scatter <= 0:
        return math.exp(mean), math.inf
    prior = 2 * _inverse_trigamma(scatter)
    return math.exp(mean + special.digamma(prior / 2) - math.log(prior / 2)), prior


def _inverse_trigamma(value: float) -> float:
    """Return the number whose trigamma function has a value; by its limits where that is far.

    Newton's method on the reciprocal, which is convex, so that it comes from one side (Smyth 2004,
    appendix).
    """
    if value > 1e7:
        return 1 / math.sqrt(value)
    if value < 1e-6:
        return 1 / value
    found = 0.5 + 1 / value
    step = found
    while abs(step) > PRECISION * found:
        trigamma = float(special.polygamma(1, found))
        step = trigamma * (1 - trigamma / value) / float(special.polygamma(2, found))
        found += step
    return found
