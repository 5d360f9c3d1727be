"""The statistics of single cells and windows against a known truth: many are simulated and counted.

The bounds are wide enough for the number of simulations (three standard errors and more), and the
seeds are fixed, so these tests give the same answer every time.
"""

from __future__ import annotations

import numpy as np

from dbdyno.analysis.estimates import geometric_mean, trend


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


def test_under_drift_and_with_rare_slow_trials_it_covers_as_seldom_as_the_method_says() -> None:
    """The words beside the means call the interval too narrow there: this is by how much."""
    generator = np.random.default_rng(25)
    drifting, slow = [], []
    for _ in range(2000):
        state = np.array([generator.normal()])
        for _ in range(5):
            state = np.append(state, 0.5 * state[-1] + generator.normal(0, np.sqrt(0.75)))
        drifting.append(covers(0.02 * state, 0.0))
        is_slow = generator.random(6) < 0.1
        slow.append(covers(generator.normal(0, 0.02, 6) - 0.35 * is_slow, -0.035))
    assert 0.74 <= np.mean(drifting) <= 0.82
    assert 0.46 <= np.mean(slow) <= 0.55


def covers(logarithms: np.ndarray, truth: float) -> bool:
    found = geometric_mean(np.exp(logarithms))
    assert found.low is not None
    assert found.high is not None
    return bool(found.low <= np.exp(truth) <= found.high)


def test_steady_windows_seldom_look_like_a_trend() -> None:
    generator = np.random.default_rng(27)
    windows = 1000 * np.exp(generator.normal(0, 0.05, (1000, 60)))
    p_values = [trend(window, 10).p_value for window in windows]
    assert np.mean(np.array(p_values) < 0.01) <= 0.02
