"""The law against a known truth: how often intervals hold it, and what is refused.

The seeds are fixed, and the bounds three standard errors wide.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from dbdyno.analysis.scaling.law import Parameters
from dbdyno.analysis.scaling.model import Refusal, Scaling, Span
from tests.unit.analysis.scaling.truths import CLIENTS, TRUTH, Values, law, noisy, scaling

COUNTS = np.array(CLIENTS, dtype=np.float64)


def holds(span: Span | None, truth: float) -> bool:
    return span is not None and span.low <= truth <= span.high


def what_holds(found: Scaling) -> list[bool]:
    """Tell of each figure whether its interval holds the truth."""
    assert found.law is not None
    peak = TRUTH.peak_clients
    at_peak, beyond = np.exp(TRUTH.log_throughput(np.array([peak, 128.0])))
    return [
        holds(found.law.lambda_per_s, 1000.0),
        holds(found.law.contention, TRUTH.contention),
        holds(found.law.coherency, TRUTH.coherency),
        holds(found.law.peak.clients, peak),
        holds(found.law.peak.throughput_per_s, float(at_peak)),
        holds(found.law.extrapolated.per_s, float(beyond)),
    ]


@pytest.mark.parametrize(
    ("rounds", "noise", "shock"), [(3, 0.02, 0.0), (4, 0.03, 0.1), (6, 0.02, 0.05)]
)
def test_intervals_hold_the_truth(rounds: int, noise: float, shock: float) -> None:
    random = np.random.default_rng(41)
    held = np.array(
        [what_holds(scaling(noisy(random, law(), rounds, noise, shock))) for _ in range(40)]
    )
    assert 0.91 <= held.mean() <= 0.99, held.mean()
    # A single figure: a standard error of 3.4 %.
    assert held.mean(axis=0).min() >= 0.85, held.mean(axis=0)


@pytest.mark.parametrize("rounds", [3, 4])
@pytest.mark.parametrize(
    "shape",
    [np.log(1000 * COUNTS), law(curve=Parameters(float(np.log(1000)), 0.1, 0.0))],
    ids=["linear", "contention alone"],
)
def test_without_coherency_a_peak_is_seldom_seen(shape: Values, rounds: int) -> None:
    random = np.random.default_rng(42)
    found = Counter(scaling(noisy(random, shape, rounds, 0.03, 0.03)).refusal for _ in range(40))
    # 2.5 % are one of 40.
    assert found[Refusal.NO_BEND] >= 36


@pytest.mark.parametrize("rounds", [3, 6])
@pytest.mark.parametrize(
    "shape",
    [
        np.minimum(1000 * COUNTS, 9000),
        np.where(COUNTS <= 8, 1000 * COUNTS, 4000),
        1000 * COUNTS**1.2,
        np.exp(law() + np.array([0, 0.3, 0, -0.3, 0.3, 0, -0.3])),
    ],
    ids=["ceiling", "collapse", "more than linear", "zigzag"],
)
def test_other_shapes_are_refused(shape: Values, rounds: int) -> None:
    random = np.random.default_rng(43)
    for _ in range(10):
        found = scaling(noisy(random, np.log(shape), rounds, 0.03, 0.03))
        assert found.refusal is Refusal.BAD_FIT


@pytest.mark.parametrize("noise", [0.01, 0.1])
def test_noise_alone_is_seldom_taken_for_another_shape(noise: float) -> None:
    random = np.random.default_rng(44)
    found = Counter(scaling(noisy(random, law(), 3, noise, 0.05)).refusal for _ in range(40))
    assert found[Refusal.BAD_FIT] <= 2


def test_noise_without_any_curve_says_nothing() -> None:
    """Throughput that is 1,000 with 40 % of noise, whatever the clients."""
    random = np.random.default_rng(45)
    flat = np.full(len(CLIENTS), np.log(1000.0))
    found = [scaling(noisy(random, flat, 3, 0.4)) for _ in range(30)]
    assert sum(each.law is not None for each in found) <= 4
