"""The statistics by hand: small cases whose answers can be checked on paper."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dbdyno.analysis.estimates import (
    coefficient_of_variation,
    geometric_mean,
    mann_kendall_p_value,
    trend,
)


def test_the_interval_of_a_geometric_mean_is_students_on_the_logarithms() -> None:
    estimate = geometric_mean(np.array([50.0, 100.0, 200.0]))
    # Logarithms at distance ln 2: s = ln 2; t(0.975, 2) = 4.302653; ln 2 / sqrt(3) = 0.400189.
    margin = 4.302653 * 0.400189
    assert estimate.mean == pytest.approx(100)
    assert estimate.low == pytest.approx(100 * math.exp(-margin), rel=1e-5)
    assert estimate.high == pytest.approx(100 * math.exp(margin), rel=1e-5)
    assert estimate.count == 3


def test_one_value_has_no_interval_and_none_has_no_mean() -> None:
    one, none = geometric_mean(np.array([7.0])), geometric_mean(np.array([]))
    assert (one.mean, one.low, one.high, one.count) == (7.0, None, None, 1)
    assert math.isnan(none.mean)
    assert none.count == 0


def test_a_throughput_is_never_shown_as_possibly_negative() -> None:
    low = geometric_mean(np.array([1.0, 100.0])).low
    assert low is not None
    assert low > 0


def test_a_round_without_work_makes_a_mean_of_zero_without_an_interval() -> None:
    estimate = geometric_mean(np.array([100.0, 0.0, 100.0]))
    assert (estimate.mean, estimate.low, estimate.high, estimate.count) == (0.0, None, None, 3)


def test_the_coefficient_of_variation_uses_the_sample_deviation() -> None:
    assert coefficient_of_variation(np.array([90.0, 100.0, 110.0])) == pytest.approx(0.1)
    assert coefficient_of_variation(np.array([90.0])) is None
    assert coefficient_of_variation(np.array([0.0, 0.0])) is None


def test_a_straight_line_is_a_trend_of_its_own_size() -> None:
    found = trend(np.array([100.0, 110.0, 120.0, 130.0, 140.0]))
    assert found.relative_change == pytest.approx(40 / 120)
    # Of the 120 orders of five values, two are monotone.
    assert found.p_value == pytest.approx(2 / 120)


@pytest.mark.parametrize("count", [3, 4, 7, 20, 33, 34, 200])
def test_the_p_value_of_a_trend_is_scipys(count: int) -> None:
    generator = np.random.default_rng(count)
    for slope in (0.0, 0.05, 1.0):
        values = slope * np.arange(count) + generator.normal(0, 1, count)
        for rounded in (values, np.round(values)):
            if np.all(rounded == rounded[0]):
                continue
            expected = stats.kendalltau(np.arange(count), rounded).pvalue
            assert mann_kendall_p_value(rounded) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0], [5.0] * 8, [0.0] * 8])
def test_there_is_no_trend_in_nothing(values: list[float]) -> None:
    assert trend(np.array(values)).p_value == 1.0


@pytest.mark.parametrize("batches", [5, 7, 10, 25, 40])
def test_batches_change_nothing_about_a_straight_line(batches: int) -> None:
    found = trend(np.linspace(80.0, 120.0, 25), batches)
    assert found.relative_change == pytest.approx(0.4)


def test_batches_weaken_what_only_neighbours_say() -> None:
    # Two levels: as 40 single values overwhelming evidence, as 4 stretches none.
    values = np.repeat([100.0, 101.0], 20) + np.tile([0.0, 0.2], 20)
    assert trend(values).p_value < 0.0001
    assert trend(values, 4).p_value > 0.05
