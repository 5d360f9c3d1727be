"""Tests and corrections by hand: small cases whose answers can be checked on paper."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dbdyno.analysis.compare.moderation import moderate
from dbdyno.analysis.compare.multiple_testing import holm
from dbdyno.analysis.compare.power import (
    critical,
    exceeding,
    power_of,
    rounds_needed,
    smallest_detectable_percent,
)
from dbdyno.analysis.compare.significance import interaction_p_value, t_test_p_value


def test_the_p_value_agrees_with_scipys_paired_test() -> None:
    generator = np.random.default_rng(3)
    for rounds in (2, 3, 5, 8):
        first, second = generator.lognormal(5, 0.05, (2, rounds))
        expected = stats.ttest_rel(np.log(first), np.log(second)).pvalue
        ratios = np.log(first / second)
        error = float(np.std(ratios, ddof=1)) / rounds**0.5
        p_value = t_test_p_value(float(np.mean(ratios)), error, rounds - 1)
        assert p_value == pytest.approx(expected)


def test_nothing_scatters_and_nothing_differs() -> None:
    assert t_test_p_value(0.0, 0.0, 3) == 1.0
    assert t_test_p_value(0.1, 0.0, 3) == 0.0


def test_holm_is_that_of_the_textbook() -> None:
    # 3 x 0.01, then max(0.03, 2 x 0.04), then max(0.08, 0.03): order kept.
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_an_interaction_is_what_differs_between_combinations_not_what_they_share() -> None:
    generator = np.random.default_rng(5)
    noise = generator.normal(0, 0.01, (6, 4))
    alike = noise + 0.3 + generator.normal(0, 0.1, (6, 1))
    unlike = alike + np.array([0.0, 0.0, 0.2, 0.2])
    assert interaction_p_value([alike]) > 0.05
    assert interaction_p_value([unlike]) < 0.01
    assert interaction_p_value([alike[:2]]) == 1.0
    assert interaction_p_value([alike[:, :1]]) == 1.0


def test_an_interaction_without_any_scatter_is_sure() -> None:
    constant = np.tile(np.array([[0.1, 0.2]]), (4, 1))
    assert interaction_p_value([constant]) == 0.0
    assert interaction_p_value([np.zeros((4, 2))]) == 1.0


def test_an_interaction_is_found_where_levels_have_unlike_combinations() -> None:
    generator = np.random.default_rng(6)
    first, second, alone = (generator.normal(0, 0.01, (6, count)) for count in (4, 2, 1))
    unlike = second + np.array([0.0, 0.2])
    assert interaction_p_value([first, second + 0.3, alone]) > 0.05
    assert interaction_p_value([first, unlike, alone]) < 0.01


def test_moderated_variances_come_nearer_to_each_other_and_gain_freedom() -> None:
    variances = [1.0, 2.0, 4.0, 1.5, 2.5, 3.0]
    moderated = moderate(variances, 3)
    assert max(each.value for each in moderated) < 4.0
    assert min(each.value for each in moderated) > 1.0
    # The variances scatter less than chance alone would make them: all that is allowed is gained.
    assert {each.freedom for each in moderated} == {6}


def test_variances_that_have_nothing_in_common_stay_as_they_are() -> None:
    unlike = [1e-8, 1e-2, 1e4, 1e-5, 1e1, 1e-1]
    moderated = moderate(unlike, 3)
    assert all(each.freedom < 3.5 for each in moderated)


@pytest.mark.parametrize("variances", [[1.0, 2.0], [1.0, 0.0, 2.0], []])
def test_too_few_variances_or_none_at_all_are_not_moderated(variances: list[float]) -> None:
    assert [(each.value, each.freedom) for each in moderate(variances, 4)] == [
        (each, 4) for each in variances
    ]


def test_the_critical_value_is_that_of_the_tables() -> None:
    assert critical(5) == pytest.approx(2.5706, abs=1e-4)
    assert critical(5, 0.90) == pytest.approx(2.0150, abs=1e-4)
    assert critical(math.inf) == pytest.approx(1.959964, abs=1e-6)
    assert exceeding(2.644854, math.inf, 1.0) == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize("freedom", [1, 1.3, 2, 5, 8.7, 100, 30_000])
@pytest.mark.parametrize("level", [0.05, 1e-3, 1e-5])
def test_students_t_and_the_noncentral_one_are_scipys(freedom: float, level: float) -> None:
    value = critical(freedom, 1 - level)
    assert value == pytest.approx(stats.t.isf(level / 2, freedom), rel=1e-7)
    for noncentrality in (0.0, 1.0, 2.8, min(value, 50.0), min(2 * value, 99.0)):
        expected = stats.nct.sf(value, freedom, noncentrality)
        assert exceeding(value, freedom, noncentrality) == pytest.approx(expected, abs=1e-7)


def test_the_detectable_effect_is_that_of_the_tables() -> None:
    # Cohen (1988), table 2.4.1, a2 = .05, power .80, corrected for one sample: with 34 pairs d is
    # 0.50 (section 2.3.3 with n = 34: d sqrt(2) = 0.70, for which table 2.4.1 needs 33 to 34).
    assert smallest_detectable_percent(0.01, 34) == pytest.approx(0.495, abs=0.01)


def test_the_detectable_effect_shrinks_with_rounds_and_grows_with_scatter() -> None:
    by_rounds = [smallest_detectable_percent(0.02, rounds) for rounds in (2, 3, 5, 10, 100)]
    assert by_rounds == sorted(by_rounds, reverse=True)
    assert smallest_detectable_percent(0.04, 5) > smallest_detectable_percent(0.02, 5)


def test_the_rounds_that_are_needed_have_the_power_that_is_wanted() -> None:
    for effect, deviation in ((0.05, 0.02), (0.05, 0.10), (0.01, 0.05)):
        needed = rounds_needed(effect, deviation)
        assert needed is not None
        assert power_of(effect, deviation, needed) >= 0.8
        assert power_of(effect, deviation, needed - 1) < 0.8
    assert rounds_needed(0.05, 0.0) == 2
    assert rounds_needed(0.0, 0.1) is None
    assert rounds_needed(0.001, 1.0) is None
