"""The whole chain of comparisons against a known truth: many reports are simulated and counted.

The bounds are wide enough for the number of simulations (three standard errors and more), and the
seeds are fixed, so these tests give the same answer every time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from dbdyno.analysis.compare.cells import compare_cells
from dbdyno.analysis.compare.judge import Rules, judge
from dbdyno.analysis.compare.metric import METRICS, THROUGHPUT, MetricName
from dbdyno.analysis.compare.model import SHOWN, MetricComparisons
from dbdyno.analysis.compare.ratios import Pair
from dbdyno.experiment.comparable import compared_pairs
from dbdyno.experiment.plan import Cell, FactorLevels
from tests.unit.analysis.compare.summaries import summary

Values = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int, int, int], Values]
"""From a generator, rounds, targets and loads to logarithms, shape (rounds, targets, loads)."""

DEVIATION = 0.03


def normal(random: np.random.Generator, *shape: int) -> Values:
    return random.normal(0, DEVIATION, shape)


def lognormal(random: np.random.Generator, *shape: int) -> Values:
    values = DEVIATION * np.exp(random.normal(0, 0.5, shape))
    return np.asarray(values - values.mean())


def common_shocks(random: np.random.Generator, *shape: int) -> Values:
    """Slow a whole round down, and one target in a round."""
    rounds, targets, _ = shape
    shocks = random.normal(0, 0.1, (rounds, 1, 1)) + random.normal(0, 0.02, (rounds, targets, 1))
    return normal(random, *shape) + shocks


def drifting(random: np.random.Generator, *shape: int) -> Values:
    """Let the machine's speed walk from trial to trial; pairs of rounds mirror each other."""
    rounds, targets, loads = shape
    walk = np.cumsum(random.normal(0, 0.01, rounds * targets * loads))
    # The targets run next to each other, and each second round backwards.
    ordered = walk.reshape(rounds, loads, targets).transpose(0, 2, 1)
    ordered[1::2] = ordered[1::2, ::-1, ::-1]
    return normal(random, *shape) + ordered


NOISES = (normal, lognormal, common_shocks, drifting)


def pairs_of(logarithms: Values) -> list[Pair]:
    """Return the comparisons of two factors, targets and loads."""
    _, targets, loads = logarithms.shape
    factors = (
        FactorLevels("target", tuple(f"t{n}" for n in range(targets)), "target"),
        FactorLevels("load", tuple(str(n) for n in range(loads)), "load.clients"),
    )
    cells = {
        Cell((("target", target), ("load", load))): logarithms[:, t, n]
        for t, target in enumerate(factors[0].levels)
        for n, load in enumerate(factors[1].levels)
    }
    return [
        Pair(factor, cell, baseline, by_round(cells[cell]), by_round(cells[baseline]))
        for factor, cell, baseline in compared_pairs(factors, list(cells))
    ]


def by_round(logarithms: Values) -> dict[int, float]:
    return dict(enumerate(np.exp(logarithms).tolist(), start=1))


def judged(logarithms: Values) -> MetricComparisons:
    return judge(
        THROUGHPUT, pairs_of(logarithms), [], Rules("target", moderated=("target", "load"))
    )


def shows_anything(found: MetricComparisons) -> bool:
    kinds = [*(each.kind for each in found.effects), *(each.kind for each in found.comparisons)]
    return not SHOWN.isdisjoint(kinds)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("rounds", [4, 6, 10])
def test_a_report_of_24_cells_in_which_nothing_differs_seldom_says_so(
    noise: Noise, rounds: int
) -> None:
    random = np.random.default_rng(31)
    false = sum(shows_anything(judged(noise(random, rounds, 2, 12))) for _ in range(300))
    # 6 % are allowed; of 300 reports that is 18, with a standard error of 4.1.
    assert false <= 28


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("rounds", [4, 6, 10])
def test_intervals_of_cells_and_of_whole_factors_cover_the_truth(noise: Noise, rounds: int) -> None:
    random = np.random.default_rng(32)
    truth = np.log(np.array([1.0, 1.1]))[None, :, None]
    covered: dict[str, list[bool]] = {"cells": [], "whole": []}
    for _ in range(300):
        found = judged(noise(random, rounds, 2, 6) + truth)
        for name, all_of in (("cells", found.comparisons), ("whole", found.effects)):
            covered[name] += [
                each.effect.low_percent <= 10.0 <= each.effect.high_percent
                for each in all_of
                if each.factor == "target" and each.effect is not None
            ]
    assert 0.93 <= np.mean(covered["cells"]) <= 0.975
    # 300 intervals alone: a standard error of 1.3 %.
    assert 0.91 <= np.mean(covered["whole"]) <= 0.99


@pytest.mark.parametrize(
    ("rounds", "deviation", "least"), [(3, 0.02, 0.78), (5, 0.02, 0.97), (5, 0.05, 0.58)]
)
def test_other_factors_cost_the_one_in_question_no_power(
    rounds: int, deviation: float, least: float
) -> None:
    """A true 5 % at six loads: the power of a t test alone is 82, 100 and 64 %."""
    random = np.random.default_rng(33)
    truth = np.log(np.array([1.0, 1.05]))[None, :, None]
    found = [
        judged(random.normal(0, deviation, (rounds, 2, 6)) + truth).effects[0] for _ in range(400)
    ]
    assert np.mean([each.kind in SHOWN for each in found]) >= least


def test_moderated_variances_show_more_cells_than_their_own() -> None:
    """With four rounds and noise of 3 %, of six cells that are 10 % faster each."""
    truth = np.log(np.array([1.0, 1.10]))[None, :, None]
    shares = []
    for moderated in (("target", "load"), ()):
        random = np.random.default_rng(34)
        shown: list[bool] = []
        for _ in range(200):
            pairs = pairs_of(normal(random, 4, 2, 6) + truth)
            found = judge(THROUGHPUT, pairs, [], Rules("target", moderated=moderated))
            shown += [each.kind in SHOWN for each in found.comparisons if each.factor == "target"]
        shares.append(float(np.mean(shown)))
    assert shares[0] > shares[1] + 0.1


def test_a_difference_in_one_load_only_is_found_where_it_is() -> None:
    random = np.random.default_rng(35)
    truth = np.zeros((1, 2, 6))
    truth[0, 1, 5] = np.log(1.4)
    right = wrong = 0
    for _ in range(200):
        found = judged(normal(random, 6, 2, 6) + truth)
        shown = [
            each.cell.level("load")
            for each in found.comparisons
            if each.factor == "target" and each.kind in SHOWN
        ]
        right += "5" in shown
        wrong += any(load != "5" for load in shown)
    assert right >= 160
    assert wrong <= 16


def test_all_metrics_of_a_report_together_seldom_say_that_anything_differs() -> None:
    """Each metric has noise of its own, which is the worst case: 6.6 % are allowed."""
    random = np.random.default_rng(36)
    factors = (
        FactorLevels("target", ("a", "b"), "target"),
        FactorLevels("load", ("1", "2", "3"), "load.clients"),
    )
    cells = [
        Cell((("target", target), ("load", load)))
        for target in factors[0].levels
        for load in factors[1].levels
    ]
    others = [metric.name for metric in METRICS if metric is not THROUGHPUT]
    false = 0
    for _ in range(300):
        summaries = [
            summary(cell, drawn(random), values={name: drawn(random) for name in others})
            for cell in cells
        ]
        false += any(map(shows_anything, compare_cells(factors, summaries, Rules("target"))))
    # 6.6 % of 300 are 20, with a standard error of 4.3.
    assert false <= 32
    assert MetricName.THROUGHPUT not in others


def drawn(random: np.random.Generator) -> dict[int, float]:
    return dict(enumerate(np.exp(random.normal(0, DEVIATION, 6)).tolist(), start=1))
