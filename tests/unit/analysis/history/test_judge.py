"""Results over time: a new level is found, an outlier is none, and what scatters is left alone."""

from __future__ import annotations

import numpy as np
import pytest

from dbdyno.analysis.history.judge import Standing, judge_history


def standings(*values: float) -> list[Standing]:
    return [each.standing for each in judge_history(values)]


def test_a_new_level_begins_with_the_first_of_two_that_confirm_it() -> None:
    found = standings(100, 101, 99, 100, 90, 91, 90)
    assert found[4] is Standing.CHANGED
    assert Standing.CHANGED not in found[:4] + found[5:]


def test_what_was_expected_is_told() -> None:
    judged = judge_history([100, 101, 99, 100, 90])[4]
    assert judged.expected == pytest.approx(100, abs=0.1)
    assert judged.change_percent == pytest.approx(-10, abs=0.1)
    assert judged.low is not None
    assert judged.low > 90


def test_one_outlier_is_no_change_and_is_not_learnt_from() -> None:
    found = judge_history([100, 101, 99, 100, 80, 100, 101])
    assert [each.standing for each in found[4:]] == [
        Standing.OUTLIER,
        Standing.WITHIN,
        Standing.WITHIN,
    ]
    assert found[6].expected == pytest.approx(100, abs=0.2)


def test_an_outlier_among_the_first_results_hides_no_later_one() -> None:
    values = [100.0, 101.0, 60.0, 100.0, 99.0, 101.0, 100.0, 80.0, 100.5]
    judged = judge_history(values)
    assert [each.standing for each in judged[6:]] == [
        Standing.WITHIN,
        Standing.OUTLIER,
        Standing.WITHIN,
    ]
    assert judged[7].low is not None
    assert judged[7].low > 95


def test_outliers_to_either_side_confirm_nothing() -> None:
    assert Standing.CHANGED not in standings(100, 101, 99, 100, 80, 120, 100)


def test_three_results_are_needed() -> None:
    assert standings(100, 50, 200) == [Standing.TOO_FEW] * 3


def test_a_level_that_never_changes_is_seldom_said_to() -> None:
    random = np.random.default_rng(8)
    changed = sum(
        Standing.CHANGED in standings(*np.exp(random.normal(0, 0.03, 50))) for _ in range(200)
    )
    assert changed <= 8


def test_a_level_a_tenth_lower_is_found_where_it_begins() -> None:
    random = np.random.default_rng(9)
    found = 0
    for _ in range(100):
        values = np.exp(random.normal(0, 0.015, 20))
        values[12:] *= 0.9
        found += standings(*values)[12] is Standing.CHANGED
    assert found >= 95


def test_less_than_a_tenth_of_a_percent_is_no_change() -> None:
    # In an open loop that keeps up, throughput is the rate that was asked for.
    assert standings(100, 100, 100, 100, 99.95, 99.95)[4] is Standing.WITHIN
    assert standings(100, 100, 100, 100, 99.8, 99.8)[4] is Standing.CHANGED


def test_a_level_that_returns_after_two_low_results_is_two_changes() -> None:
    found = standings(100, 101, 99, 100, 80, 81, 100, 101, 99, 100)
    assert [place for place, each in enumerate(found) if each is Standing.CHANGED] == [4, 6]


def test_a_drift_is_told_with_how_far_it_went() -> None:
    random = np.random.default_rng(4)
    for _ in range(20):
        values = 100 * np.linspace(1, 0.8, 30) * np.exp(random.normal(0, 0.03, 30))
        last = judge_history(list(values))[-1]
        assert last.standing is Standing.DRIFTED
        assert last.change_percent == pytest.approx(-20, abs=6)


def test_an_early_outlier_does_not_hide_a_later_step() -> None:
    random = np.random.default_rng(5)
    found = 0
    for _ in range(40):
        values = np.exp(random.normal(0, 0.03, 30))
        values[2] *= 0.6
        values[15:] *= 0.9
        found += Standing.CHANGED in standings(*values)
    assert found >= 38


def test_a_step_of_five_percent_at_three_of_noise_is_found_more_often_than_not() -> None:
    # Where the step is known to be in the middle of 30 results, t at 1 % finds it in 95 of 100.
    random = np.random.default_rng(6)
    shown = {Standing.CHANGED, Standing.DRIFTED}
    found = 0
    for _ in range(60):
        values = np.exp(random.normal(0, 0.03, 30))
        values[15:] *= 0.95
        found += bool(shown & set(standings(*values)))
    assert found >= 36
