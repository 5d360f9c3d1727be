"""Whether throughput has the shape of the law at all."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from dbdyno.analysis.scaling.law import Parameters, Values

TOLERATED = 0.05
"""A curve that is off by less, as a share, serves, however surely it is off."""
P_VALUE_MAX = 0.001
PARAMETERS = 3


@dataclass(frozen=True)
class Misfit:
    """By how much the means are off the curve, as a share, and how likely that is by chance."""

    share: float
    p_value: float

    @property
    def is_bad(self) -> bool:
        """Tell whether the law is another than that of these figures."""
        return self.share > TOLERATED and self.p_value < P_VALUE_MAX


def misfit_of(clients: Values, logarithms: Values, fitted: Parameters) -> Misfit:
    """Return how the rounds stand to the curve through their mean.

    What the parameters can make up for is taken out of each round's distances from the curve,
    rounds that are slow as a whole included. Of what is left, the mean over the rounds is held
    against the rounds' scatter: the F test for lack of fit (Draper and Smith 1998, Applied
    Regression Analysis, section 2.1).
    """
    distances = logarithms - fitted.log_throughput(clients)
    mean = distances.mean(axis=0)
    share = math.sqrt(float(np.sum(mean**2)) / (len(clients) - PARAMETERS))
    is_free = [True, fitted.contention > 0, fitted.coherency > 0]
    tangents, _ = np.linalg.qr(fitted.gradient(clients)[:, is_free])
    left = distances - distances @ tangents @ tangents.T
    return Misfit(share, _p_value(left, len(clients) - sum(is_free)))


def _p_value(left: Values, freedom: int) -> float:
    """Return how likely such a mean is by the scatter about it, in so many dimensions."""
    rounds = len(left)
    mean = left.mean(axis=0)
    scatter = float(np.sum((left - mean) ** 2)) / (rounds - 1)
    if scatter <= 0:
        return 0.0
    ratio = rounds * float(np.sum(mean**2)) / scatter
    return float(special.fdtrc(freedom, freedom * (rounds - 1), ratio))
