"""Whether throughput is called steady when it is: series of which the truth is known."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from dbdyno.analysis.validity.window import not_steady
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.generator.steadiness import NEGLIGIBLE, is_steady, judge
from dbdyno.protocol.events import WarmupEnded
from dbdyno.protocol.trial_plan import STEADY_INTERVALS_MIN

LONG = 120
SERIES = 40

Values = NDArray[np.float64]
Shape = Callable[[Values], Values]


def noise(random: np.random.Generator, share: float, rho: float) -> Values:
    """Return noise of which each value has some of the one before."""
    series = np.zeros(LONG + STEADY_INTERVALS_MIN)
    drawn = random.standard_normal(len(series)) * np.sqrt(1 - rho**2)
    for index in range(1, len(series)):
        series[index] = rho * series[index - 1] + drawn[index]
    return share * series[STEADY_INTERVALS_MIN:]


def ends(shape: Shape, share: float, rho: float = 0.3, most: int = LONG) -> list[int]:
    """Return after how many intervals each of many warm-ups would end; ``most`` is the bound."""
    found = []
    for seed in range(SERIES):
        values = (
            1000
            * shape(np.arange(LONG, dtype=np.float64))
            * (1 + noise(np.random.default_rng(seed), share, rho))
        )
        found.append(next((n for n in range(1, most) if shows(values[:n])), most))
    return found


def shows(values: Values) -> bool:
    change = judge(list(values))
    return change is not None and is_steady(change)


def steady(time: Values) -> Values:
    return np.ones_like(time)


def settling_at(interval: int) -> Shape:
    return lambda time: np.minimum(1.0, 0.4 + 0.6 * time / interval)


@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_noise_alone_is_steady_quickly(rho: float) -> None:
    assert np.quantile(ends(steady, 0.02, rho), 0.9) == STEADY_INTERVALS_MIN
    assert np.quantile(ends(steady, 0.05, rho), 0.8) < 2 * STEADY_INTERVALS_MIN


@pytest.mark.parametrize("settles", [20, 40])
@pytest.mark.parametrize("share", [0.02, 0.05])
def test_a_ramp_is_steady_soon_after_it_has_settled_and_not_before(
    settles: int, share: float
) -> None:
    found = ends(settling_at(settles), share)
    assert min(found) > settles
    assert np.median(found) <= settles + STEADY_INTERVALS_MIN
    assert np.quantile(found, 0.9) <= settles + 2 * STEADY_INTERVALS_MIN


def test_a_cache_that_fills_is_steady_when_little_is_left_to_fill() -> None:
    found = ends(lambda time: 1 - 0.6 * np.exp(-time / 10), 0.03)
    left = 0.6 * np.exp(-np.array(found) / 10)
    assert max(left) < 0.1
    assert np.median(left) < 0.03


@pytest.mark.parametrize("per_interval", [-0.01, 0.01, 0.02])
def test_a_slow_drift_is_not_steady(per_interval: float) -> None:
    found = ends(lambda time: np.exp(per_interval * time), 0.03, most=60)
    assert np.mean(np.array(found) < 60) <= 0.1


def test_a_change_that_just_matters_is_seldom_called_negligible() -> None:
    """The error of the first kind of two one-sided tests at 5 % each, in a single look."""
    time = np.arange(STEADY_INTERVALS_MIN)
    drift = 1 + NEGLIGIBLE / STEADY_INTERVALS_MIN * (time - time.mean())
    random = np.random.default_rng(1)
    found = [shows(drift * (1 + 0.03 * random.standard_normal(len(time)))) for _ in range(400)]
    assert np.mean(found) <= 0.1


def test_a_dip_now_and_then_is_no_change() -> None:
    """Two seconds of checkpoint in twenty."""

    def shape(time: Values) -> Values:
        return np.where(time % 10 == 7, 0.3, 1.0)

    assert np.quantile(ends(shape, 0.02), 0.9) <= STEADY_INTERVALS_MIN + 5


def test_too_few_intervals_and_a_server_that_does_nothing_show_nothing() -> None:
    assert judge([5.0] * (STEADY_INTERVALS_MIN - 1)) is None
    assert judge([0.0] * 50) is None
    assert judge([5.0] * STEADY_INTERVALS_MIN) is not None


def test_what_was_judged_is_said_with_the_figures() -> None:
    rising = judge([100.0 + second for second in range(40)])
    assert rising is not None
    assert not is_steady(rising)
    assert rising.intervals == STEADY_INTERVALS_MIN
    # One in a hundred and thirty an interval, over twenty of them.
    assert rising.low == pytest.approx(rising.high) == pytest.approx(20 / 129.5)


def warned(shape: Shape, share: float, bound: int) -> float:
    """Return in which share of trials a warm-up that comes to its bound is warned of."""
    count = 0
    for seed in range(SERIES):
        scatter = 1 + noise(np.random.default_rng(seed), share, 0.0)
        values = list((1000 * shape(np.arange(LONG, dtype=np.float64)) * scatter)[:bound])
        change = judge(values)
        if change is None or not is_steady(change):
            count += is_said(WarmupEnded(ended="bound", duration_s=bound, change=change))
    return count / SERIES


def is_said(warmup: WarmupEnded) -> bool:
    measured = cast("WindowTotals", SimpleNamespace(trial=SimpleNamespace(warmup=warmup)))
    return not_steady(measured) is not None


@pytest.mark.parametrize("bound", [30, 60, LONG])
def test_steady_load_with_much_noise_is_seldom_warned_of(bound: int) -> None:
    """Before, 42 % of such trials had a warning."""
    assert warned(steady, 0.1, bound) <= 0.05
    assert warned(lambda time: 1 + time / bound, 0.1, bound) >= 0.6
