"""The test of steadiness, by rounds with a known truth: alike, with slow ones, or unlike."""

from __future__ import annotations

import numpy as np
import pytest

from dbdyno.analysis.audit.noise import variation_p_value

TABLES = 2000
LEVEL = 0.05


def rounds(random: np.random.Generator, count: int, spread: float, slow: float) -> list[float]:
    """Return rates of rounds, of which a share ``slow`` is a third slower."""
    rates = 1000 * np.exp(random.normal(0, spread, count))
    return [float(rate) for rate in np.where(random.random(count) < slow, rates * 0.67, rates)]


def found(count: int, spreads: tuple[float, float], slow: float) -> float:
    """Return the share of simulated tables in which the rounds of two cells vary unlike."""
    random = np.random.default_rng(count)
    p_values = [
        variation_p_value(*(rounds(random, count, spread, slow) for spread in spreads))
        for _ in range(TABLES)
    ]
    return float(np.mean(np.array(p_values) < LEVEL))


@pytest.mark.parametrize("count", [5, 8, 20])
@pytest.mark.parametrize("slow", [0.0, 0.05])
def test_cells_that_vary_alike_are_seldom_called_unlike(count: int, slow: float) -> None:
    assert found(count, (0.01, 0.01), slow) < LEVEL + 0.02


@pytest.mark.parametrize(("count", "power"), [(8, 0.6), (20, 0.95)])
def test_cells_that_vary_unlike_are_found(count: int, power: float) -> None:
    assert found(count, (0.005, 0.025), 0.0) > power


def test_cells_of_which_one_does_not_vary_are_not_judged() -> None:
    assert variation_p_value([100.0, 100.0, 100.0], [90.0, 100.0, 110.0]) == 1.0
