"""The statistics by hand: small cases whose answers can be checked on paper."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dbdyno.analysis.estimates import (
    coefficient_of_variation,
    geometric_mean,
    paired_effect,
    smallest_detectable_percent,
    trend,
)
from dbdyno.analysis.findings import VerdictKind


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


def test_the_ratio_of_two_means_is_the_effect() -> None:
    generator = np.random.default_rng(4)
    first, second = generator.lognormal(5, 0.8, (2, 6))
    effect = paired_effect(first, second)
    ratio = geometric_mean(first).mean / geometric_mean(second).mean
    assert effect.effect_percent == pytest.approx(100 * (ratio - 1), rel=1e-12)


def test_the_coefficient_of_variation_uses_the_sample_deviation() -> None:
    assert coefficient_of_variation(np.array([90.0, 100.0, 110.0])) == pytest.approx(0.1)
    assert coefficient_of_variation(np.array([90.0])) is None
    assert coefficient_of_variation(np.array([0.0, 0.0])) is None


def test_the_effect_is_the_geometric_mean_of_the_rounds_ratios() -> None:
    effect = paired_effect(np.array([200.0, 242.0]), np.array([100.0, 100.0]))
    assert effect.effect_percent == pytest.approx(120.0)
    # Logarithms of 2 and 2.42: half their distance is also s / sqrt(2); t(0.975, 1) = 12.7062.
    margin = 12.7062 * math.log(1.21) / 2
    assert effect.low_percent == pytest.approx(100 * (2.2 * math.exp(-margin) - 1), rel=1e-5)
    assert effect.high_percent == pytest.approx(100 * (2.2 * math.exp(margin) - 1), rel=1e-5)


def test_the_interval_agrees_with_scipys_paired_test() -> None:
    generator = np.random.default_rng(3)
    for rounds in (2, 3, 5, 8):
        first, second = generator.lognormal(5, 0.05, (2, rounds))
        low, high = stats.ttest_rel(np.log(first), np.log(second)).confidence_interval(0.95)
        effect = paired_effect(first, second)
        assert effect.low_percent == pytest.approx(100 * math.expm1(low))
        assert effect.high_percent == pytest.approx(100 * math.expm1(high))


def test_what_slows_a_whole_round_falls_out() -> None:
    baseline = np.array([100.0, 50.0, 10.0])
    effect = paired_effect(baseline * np.array([1.10, 1.11, 1.09]), baseline)
    assert effect.kind is VerdictKind.FASTER
    assert effect.effect_percent == pytest.approx(10.0, abs=0.01)


@pytest.mark.parametrize(
    ("throughput", "kind"),
    [
        ([110.0, 111.0, 109.0], VerdictKind.FASTER),
        ([90.0, 91.0, 89.0], VerdictKind.SLOWER),
        ([101.0, 99.0, 100.5], VerdictKind.NO_DIFFERENCE_SHOWN),
        ([110.0], VerdictKind.TOO_FEW_ROUNDS),
        ([], VerdictKind.TOO_FEW_ROUNDS),
        ([110.0, 0.0, 109.0], VerdictKind.NOT_COMPARABLE),
    ],
)
def test_every_kind_of_verdict(throughput: list[float], kind: VerdictKind) -> None:
    effect = paired_effect(np.array(throughput), np.full(len(throughput), 100.0))
    assert effect.kind is kind
    assert effect.rounds == len(throughput)


def test_a_round_without_work_leaves_no_percentage_at_all() -> None:
    effect = paired_effect(np.array([110.0, 111.0]), np.array([100.0, 0.0]))
    assert effect.kind is VerdictKind.NOT_COMPARABLE
    assert effect.effect_percent is None
    assert effect.detectable_percent is None


def test_equal_rounds_show_no_difference() -> None:
    effect = paired_effect(np.array([100.0, 100.0]), np.array([100.0, 100.0]))
    assert effect.kind is VerdictKind.NO_DIFFERENCE_SHOWN
    assert (effect.effect_percent, effect.detectable_percent) == (0.0, 0.0)


def test_the_detectable_effect_is_that_of_the_tables() -> None:
    # Cohen (1988), table 2.4.1, a2 = .05, power .80, corrected for one sample: with 34 pairs d is
    # 0.50 (section 2.3.3 with n = 34: d sqrt(2) = 0.70, for which table 2.4.1 needs 33 to 34).
    assert smallest_detectable_percent(0.01, 34) == pytest.approx(0.495, abs=0.01)


def test_the_detectable_effect_shrinks_with_rounds_and_grows_with_scatter() -> None:
    by_rounds = [smallest_detectable_percent(0.02, rounds) for rounds in (2, 3, 5, 10, 100)]
    assert by_rounds == sorted(by_rounds, reverse=True)
    assert smallest_detectable_percent(0.04, 5) > smallest_detectable_percent(0.02, 5)


def test_a_straight_line_is_a_trend_of_its_own_size() -> None:
    found = trend(np.array([100.0, 110.0, 120.0, 130.0, 140.0]))
    assert found.relative_change == pytest.approx(40 / 120)
    # Of the 120 orders of five values, two are monotone.
    assert found.p_value == pytest.approx(2 / 120)


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
