"""The law's formula by hand, and the search for its parameters."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dbdyno.analysis.scaling.law import Parameters, fit
from tests.unit.analysis.scaling.truths import CLIENTS, law

PLACES = np.array(CLIENTS, dtype=np.float64)


def test_throughput_is_that_of_the_formula() -> None:
    """X(5) = 100 · 5 / (1 + 0.1 · 4 + 0.01 · 5 · 4) = 500 / 1.6."""
    curve = Parameters(math.log(100), 0.1, 0.01)
    assert np.exp(curve.log_throughput(np.array([1.0, 5.0]))) == pytest.approx([100.0, 312.5])


def test_the_peak_is_where_the_curve_is_highest() -> None:
    """√((1 − 0.19) / 0.01) = 9."""
    curve = Parameters(0.0, 0.19, 0.01)
    assert curve.peak_clients == pytest.approx(9.0)
    around = curve.log_throughput(np.array([8.9, 9.0, 9.1]))
    assert around[1] > max(around[0], around[2])


def test_without_coherency_there_is_no_peak_and_with_full_contention_it_is_one_client() -> None:
    assert Parameters(0.0, 0.5, 0.0).peak_clients == math.inf
    assert Parameters(0.0, 1.2, 0.001).peak_clients == 1.0


def test_the_gradient_is_that_of_the_curve() -> None:
    step = 1e-6
    base = (1.0, 0.05, 0.002)
    for index in range(3):
        moved = [value + step * (place == index) for place, value in enumerate(base)]
        slope = (
            Parameters(*moved).log_throughput(PLACES) - Parameters(*base).log_throughput(PLACES)
        ) / step
        assert Parameters(*base).gradient(PLACES)[:, index] == pytest.approx(slope, rel=1e-3)


@pytest.mark.parametrize("contention", [0.0, 0.03, 0.5])
@pytest.mark.parametrize("coherency", [0.0, 1e-5, 4e-4, 1e-2])
def test_exact_figures_give_their_parameters_back(contention: float, coherency: float) -> None:
    truth = Parameters(math.log(750), contention, coherency)
    found = fit(PLACES, law(curve=truth))
    assert found.log_lambda == pytest.approx(truth.log_lambda, abs=1e-4)
    assert found.contention == pytest.approx(contention, abs=1e-5)
    assert found.coherency == pytest.approx(coherency, abs=1e-6)
    assert (found.coherency == 0) == (coherency == 0)


def test_the_fit_finds_no_less_than_others_from_elsewhere() -> None:
    """Noisy figures of curves on their bounds: where a search gets stuck most easily."""
    random = np.random.default_rng(3)
    for _ in range(40):
        truth = Parameters(6.9, float(random.choice([0, 0.01])), float(random.choice([0, 1e-5])))
        noisy = truth.log_throughput(PLACES) + random.normal(0, 0.1, len(PLACES))
        squares = [
            float(np.sum((fit(PLACES, noisy, start).log_throughput(PLACES) - noisy) ** 2))
            for start in (None, Parameters(0.0, 0.5, 0.01), Parameters(0.0, 0.001, 0.01))
        ]
        assert squares[0] <= 1.001 * min(squares)
