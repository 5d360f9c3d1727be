"""Changes of level within a trial, on series of which it is known where they change."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from dbdyno.analysis.steadiness.changes import MOST_CHANGES, changes_of

Values = NDArray[np.float64]

USUAL_PER_S = 1000.0
TRIALS = 200


def noise(random: np.random.Generator, count: int, likeness: float, deviation: float) -> Values:
    """Return noise around 1 whose neighbours are alike: first-order autoregression."""
    steps = random.normal(scale=deviation * np.sqrt(1 - likeness**2), size=count)
    values = np.empty(count)
    last = random.normal(scale=deviation)
    for place, step in enumerate(steps):
        values[place] = last = likeness * last + step
    return 1 + values


def changes(rates_per_s: Values) -> list[tuple[float, float, float]]:
    starts_s = np.arange(len(rates_per_s), dtype=float)
    found = changes_of(7, starts_s, rates_per_s)
    assert all(change.trial == 7 for change in found)
    return [(each.at_s, each.before_per_s, each.after_per_s) for each in found]


@pytest.mark.parametrize(
    ("count", "likeness", "most"),
    [(30, 0.0, 0.03), (60, 0.5, 0.06), (300, 0.5, 0.04), (1200, 0.0, 0.02), (1200, 0.8, 0.04)],
)
def test_steady_trials_hardly_ever_have_one(count: int, likeness: float, most: float) -> None:
    random = np.random.default_rng(count)
    found = [changes(USUAL_PER_S * noise(random, count, likeness, 0.2)) for _ in range(TRIALS)]
    assert sum(map(bool, found)) <= most * TRIALS


@pytest.mark.parametrize(("count", "likeness"), [(60, 0.0), (300, 0.5), (1200, 0.5)])
def test_a_level_a_fifth_lower_is_found_where_it_begins(count: int, likeness: float) -> None:
    random = np.random.default_rng(count)
    hits = 0
    for _ in range(TRIALS):
        rates_per_s = USUAL_PER_S * noise(random, count, likeness, 0.05)
        rates_per_s[count // 3 :] *= 0.8
        hits += any(
            abs(at_s - count // 3) <= 2 and after_per_s < 0.85 * before_per_s
            for at_s, before_per_s, after_per_s in changes(rates_per_s)
        )
    assert hits >= 0.95 * TRIALS


def test_each_change_has_the_levels_beside_it() -> None:
    levels = np.repeat([1000.0, 500.0, 800.0], 40)
    rates_per_s = levels * noise(np.random.default_rng(3), 120, 0.0, 0.02)
    (first, second) = changes(rates_per_s)
    assert list(first) == pytest.approx([40.0, 1000.0, 500.0], rel=0.02)
    assert list(second) == pytest.approx([80.0, 500.0, 800.0], rel=0.02)


@pytest.mark.parametrize(
    "rates_per_s",
    [
        np.array([]),
        np.zeros(100),
        np.full(100, USUAL_PER_S),
        np.repeat([1000.0, 500.0], 10),
        np.where(np.arange(100) == 50, 0.0, USUAL_PER_S),
        np.repeat([1000.0, 1030.0], 100) * noise(np.random.default_rng(4), 200, 0.0, 0.01),
    ],
    ids=["none", "idle", "even", "few", "a dip", "too little to look for"],
)
def test_there_is_none(rates_per_s: Values) -> None:
    assert changes(rates_per_s) == []


def test_of_many_the_largest_are_kept_in_order_of_time() -> None:
    steps = [0.1, 0.4, 0.1, 0.3, 0.3, 0.3, 0.4, 0.4]
    levels = np.repeat(USUAL_PER_S * np.cumsum([1.0, *steps]), 40)
    found = changes(levels * noise(np.random.default_rng(5), len(levels), 0.0, 0.01))
    large = [40.0 * place for place, step in enumerate(steps, start=1) if step > 0.1]
    assert len(large) == MOST_CHANGES
    assert [at_s for at_s, _, _ in found] == large
