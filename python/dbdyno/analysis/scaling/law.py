"""Gunther's Universal Scalability Law: its formula, and the parameters that fit it to figures.

X(N) = λN / (1 + σ(N − 1) + κN(N − 1)): N clients, λ what one client gets done, σ ≥ 0 the contention
for what only one can have at a time, κ ≥ 0 the cost of keeping all of them consistent with each
other (Gunther, Guerrilla Capacity Planning, Springer 2007, chapters 4 and 5).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

Values = NDArray[np.float64]

START = (0.02, 1e-4)
"""Contention and coherency from which the search for better ones begins."""
NEGLIGIBLE = 1e-4
"""The search stays off a bound by a little. What changes throughput by less than this share, at the
largest number of clients, is zero."""


@dataclass(frozen=True)
class Parameters:
    """The parameters of one curve; ``log_lambda`` is of λ in transactions per second."""

    log_lambda: float
    contention: float
    coherency: float

    @property
    def peak_clients(self) -> float:
        """N* = √((1 − σ)/κ), where the curve is highest; infinite where it has no highest point.

        Where contention alone lets no second client bring anything, one client is the peak.
        """
        if self.contention >= 1:
            return 1.0
        return math.sqrt((1 - self.contention) / self.coherency) if self.coherency else math.inf

    def log_throughput(self, clients: Values) -> Values:
        """Return the logarithm of throughput at some numbers of clients."""
        return self.log_lambda + np.log(clients) - np.log(_slowing(clients, *self._slowing))

    def gradient(self, clients: Values) -> Values:
        """Return its derivatives by the three parameters, shape (clients, 3)."""
        return _gradient(clients, *self._slowing)

    @property
    def _slowing(self) -> tuple[float, float]:
        return self.contention, self.coherency


def fit(clients: Values, log_throughput: Values, start: Parameters | None = None) -> Parameters:
    """Return the parameters with the least squares on the logarithms, within their bounds.

    On logarithms an error of a percent weighs alike at each number of clients.
    """
    own = (start.contention, start.coherency) if start else (0.0, 0.0)
    # A bound is no place to begin: the search could not tell in which direction to leave it.
    contention, coherency = (max(pair) for pair in zip(own, START, strict=True))
    log_growth = np.log(clients) - log_throughput
    log_lambda = float(np.mean(np.log(_slowing(clients, contention, coherency)) - log_growth))

    def residuals(values: Values) -> Values:
        return np.asarray(values[0] + log_growth - np.log(_slowing(clients, *values[1:])))

    def slopes(values: Values) -> Values:
        return _gradient(clients, *values[1:])

    found = scipy.optimize.least_squares(
        residuals,
        [log_lambda, contention, coherency],
        slopes,
        bounds=([-np.inf, 0.0, 0.0], np.inf),
        x_scale=[1.0, *START],
    )
    log_lambda, contention, coherency = map(float, found.x)
    largest = float(clients.max())
    return Parameters(
        log_lambda,
        contention if contention * (largest - 1) > NEGLIGIBLE else 0.0,
        coherency if coherency * largest * (largest - 1) > NEGLIGIBLE else 0.0,
    )


def _slowing(clients: Values, contention: float, coherency: float) -> Values:
    """Return by how much clients get less done than as many clients that are alone."""
    return np.asarray(1 + contention * (clients - 1) + coherency * clients * (clients - 1))


def _gradient(clients: Values, contention: float, coherency: float) -> Values:
    slowing = _slowing(clients, contention, coherency)
    return np.column_stack(
        [
            np.ones_like(clients),
            -(clients - 1) / slowing,
            -clients * (clients - 1) / slowing,
        ]
    )
