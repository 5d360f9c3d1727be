"""Experiments over numbers of clients whose truth is known, for tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dbdyno.analysis.findings import CellSummary
from dbdyno.analysis.scaling.cells import scaling_of
from dbdyno.analysis.scaling.law import Parameters
from dbdyno.analysis.scaling.model import Scaling
from dbdyno.experiment.plan import Cell, FactorLevels
from tests.unit.analysis.compare.summaries import summary

Values = NDArray[np.float64]

CLIENTS = (1, 2, 4, 8, 16, 32, 64)
TRUTH = Parameters(float(np.log(1000)), 0.03, 4e-4)
"""The peak is at 49.2 clients with about 14,500 transactions a second."""


def factor_of(clients: Sequence[int]) -> FactorLevels:
    return FactorLevels("clients", tuple(map(str, clients)), "load.clients")


def summaries_of(throughput: Values, clients: Sequence[int] = CLIENTS) -> list[CellSummary]:
    """Return cells of throughput with a row a round and a column a number of clients."""
    return [
        summary(
            Cell((("clients", str(count)),)), dict(enumerate(throughput[:, column].tolist(), 1))
        )
        for column, count in enumerate(clients)
    ]


def scaling(throughput: Values, clients: Sequence[int] = CLIENTS) -> Scaling:
    (found,) = scaling_of([factor_of(clients)], summaries_of(throughput, clients), ())
    return found


def noisy(
    random: np.random.Generator,
    logarithms: Values,
    rounds: int,
    noise: float = 0.02,
    shock: float = 0.0,
) -> Values:
    """Return throughput with noise of each trial, and shocks of whole rounds."""
    shape = (rounds, len(logarithms))
    noises = random.normal(0, noise, shape) + random.normal(0, shock, (rounds, 1))
    return np.asarray(np.exp(logarithms + noises))


def law(clients: Sequence[int] = CLIENTS, curve: Parameters = TRUTH) -> Values:
    """Return the logarithms of throughput by the law."""
    return curve.log_throughput(np.array(clients, dtype=np.float64))
