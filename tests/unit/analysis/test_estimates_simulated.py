"""The statistics against a known truth: many experiments are simulated and counted.

The bounds are wide enough for the number of simulations (three standard errors and more), and the
seeds are fixed, so these tests give the same answer every time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from dbdyno.analysis.estimates import (
    PairedEffect,
    Values,
    geometric_mean,
    paired_effect,
    smallest_detectable_percent,
    trend,
)
from dbdyno.analysis.findings import VerdictKind

NOISE = 0.02
ROUND_NOISE = 0.10


def experiments(
    count: int, rounds: int, effect: float, seed: int, noise: float = NOISE
) -> Iterator[tuple[Values, Values]]:
    """Yield throughput of a cell and its baseline, per round.

    Every trial has noise of its own, and every round slows or speeds both cells up together.
    """
    generator = np.random.default_rng(seed)
    for _ in range(count):
        shared = generator.normal(0, ROUND_NOISE, rounds)
        own = generator.normal(0, noise, (2, rounds))
        baseline = 1000 * np.exp(shared + own[0])
        yield 1000 * (1 + effect) * np.exp(shared + own[1]), baseline


def verdicts(count: int, rounds: int, effect: float, seed: int) -> list[PairedEffect]:
    return [paired_effect(*pair) for pair in experiments(count, rounds, effect, seed)]


def share(effects: list[PairedEffect], *kinds: VerdictKind) -> float:
    return sum(effect.kind in kinds for effect in effects) / len(effects)


def test_where_nothing_differs_one_in_twenty_is_a_false_alarm() -> None:
    effects = verdicts(1000, rounds=5, effect=0.0, seed=20)
    assert 0.03 <= share(effects, VerdictKind.FASTER, VerdictKind.SLOWER) <= 0.07


def test_false_alarms_are_as_often_faster_as_slower() -> None:
    effects = verdicts(4000, rounds=5, effect=0.0, seed=21)
    assert 0.015 <= share(effects, VerdictKind.FASTER) <= 0.035
    assert 0.015 <= share(effects, VerdictKind.SLOWER) <= 0.035


def test_ten_percent_is_found_in_two_percent_of_noise() -> None:
    effects = verdicts(1000, rounds=5, effect=0.10, seed=22)
    assert share(effects, VerdictKind.FASTER) > 0.95
    assert share(verdicts(1000, rounds=5, effect=-0.10, seed=22), VerdictKind.SLOWER) > 0.95


@pytest.mark.parametrize("rounds", [2, 3, 5, 10])
def test_the_effects_interval_covers_the_truth(rounds: int) -> None:
    effects = verdicts(2000, rounds=rounds, effect=0.05, seed=23)
    covered = sum(
        effect.low_percent is not None
        and effect.high_percent is not None
        and effect.low_percent <= 5.0 <= effect.high_percent
        for effect in effects
    )
    assert 0.935 <= covered / len(effects) <= 0.965


def test_the_means_interval_covers_the_truth() -> None:
    generator = np.random.default_rng(24)
    estimates = [geometric_mean(1000 * np.exp(generator.normal(0, 0.2, 5))) for _ in range(2000)]
    covered = sum(
        estimate.low is not None
        and estimate.high is not None
        and estimate.low <= 1000 <= estimate.high
        for estimate in estimates
    )
    assert 0.935 <= covered / len(estimates) <= 0.965


@pytest.mark.parametrize("rounds", [3, 5, 8])
def test_the_stated_detectable_effect_is_found_four_times_in_five(rounds: int) -> None:
    # The difference of two trials has the noise of both.
    detectable = smallest_detectable_percent(NOISE * np.sqrt(2), rounds) / 100
    effects = verdicts(2000, rounds=rounds, effect=detectable, seed=25)
    assert 0.77 <= share(effects, VerdictKind.FASTER, VerdictKind.SLOWER) <= 0.83


def test_an_experiment_states_about_the_detectable_effect_that_it_has() -> None:
    stated = [effect.detectable_percent for effect in verdicts(1000, 5, 0.0, seed=26)]
    truth = smallest_detectable_percent(NOISE * np.sqrt(2), 5)
    # The scatter is estimated from five rounds: right on average, within a factor of two each.
    mean_square = float(np.mean(np.square([value or 0.0 for value in stated])))
    assert mean_square**0.5 == pytest.approx(truth, rel=0.05)


def test_steady_windows_seldom_look_like_a_trend() -> None:
    generator = np.random.default_rng(27)
    windows = 1000 * np.exp(generator.normal(0, 0.05, (1000, 60)))
    p_values = [trend(window, 10).p_value for window in windows]
    assert np.mean(np.array(p_values) < 0.01) <= 0.02
