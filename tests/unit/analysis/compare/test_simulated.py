"""The whole chain of comparisons against a known truth: many reports are simulated and counted.

The bounds are wide enough for the number of simulations (three standard errors and more), and the
seeds are fixed, so these tests give the same answer every time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from dbdyno.analysis.compare.cells import compare_cells
from dbdyno.analysis.compare.judge import judge
from dbdyno.analysis.compare.metric import (
    METRICS,
    RESPONSE_P95,
    THROUGHPUT,
    Metric,
    MetricName,
)
from dbdyno.analysis.compare.model import (
    SHOWN,
    Comparison,
    FactorEffect,
    MetricComparisons,
    VerdictKind,
)
from dbdyno.analysis.compare.power import Strictness, rounds_needed, smallest_detectable_percent
from dbdyno.analysis.compare.ratios import Pair
from dbdyno.analysis.compare.rules import Rules
from dbdyno.cli.power import how_tested
from dbdyno.experiment.comparable import compared_pairs
from dbdyno.experiment.plan import Cell, Contrast, FactorLevels
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


def pairs_of(logarithms: Values, against: Sequence[Contrast] = ()) -> list[Pair]:
    """Return the comparisons of two factors, targets and loads."""
    _, targets, loads = logarithms.shape
    names = tuple(f"t{n}" for n in range(targets))
    factors = (
        FactorLevels("target", names, "target", against=tuple(against)),
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


def judged(logarithms: Values, against: Sequence[Contrast] = ()) -> MetricComparisons:
    rules = Rules("target", moderated=("target", "load"))
    return judge(THROUGHPUT, pairs_of(logarithms, against), [], rules)


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
def test_a_level_with_two_baselines_is_as_seldom_called_different(noise: Noise) -> None:
    """The third comparison of three targets follows from the other two: none is independent."""
    random = np.random.default_rng(33)
    against = [("t2", "t0"), ("t2", "t1")]
    found = [judged(noise(random, 6, 3, 5), against) for _ in range(300)]
    pairs = [("t1", "t0"), *against]
    assert {tuple(e.contrast for e in each.effects[:3]) for each in found} == {tuple(pairs)}
    assert sum(map(shows_anything, found)) <= 28


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


def of_some(targets: int, loads: int, ratios: dict[tuple[int, int], float]) -> Values:
    """Return a truth in which some cells differ from the others, shape (1, targets, loads)."""
    truth = np.zeros((1, targets, loads))
    for (target, load), ratio in ratios.items():
        truth[0, target, load] = np.log(ratio)
    return truth


PARTLY_DIFFERENT = {
    "one combination": of_some(2, 12, {(1, 5): 1.4}),
    "one combination at the first load": of_some(2, 12, {(1, 0): 1.4}),
    "one target of three": of_some(3, 1, {(1, 0): 0.9}),
    "one target of three at all loads": of_some(3, 6, {(1, load): 0.9 for load in range(6)}),
    "half of the loads": of_some(2, 6, {(1, load): 1.1 for load in range(3)}),
    "loads and no target": of_some(2, 6, {(n, load): 1.1 for n in range(2) for load in (1, 2, 3)}),
    "one way here and the other there": of_some(2, 6, {(1, 0): 1.2, (1, 5): 1 / 1.2}),
}


@pytest.mark.parametrize("truth", PARTLY_DIFFERENT.values(), ids=PARTLY_DIFFERENT.keys())
@pytest.mark.parametrize("rounds", [4, 6])
def test_what_differs_here_is_no_reason_to_call_a_difference_elsewhere(
    truth: Values, rounds: int
) -> None:
    random = np.random.default_rng(37)
    false = 0
    for number in range(300):
        noise = normal if number % 2 else common_shocks
        found = judged(noise(random, rounds, *truth.shape[1:]) + truth)
        shown = [each for each in found.effects if each.kind in SHOWN]
        cells = [each for each in found.comparisons if each.kind in SHOWN]
        are_true = [true_change(each, truth[0]) for each in shown]
        are_true += [true_change(each, truth[0]) for each in cells]
        false += not all(are_true)
    # 6.6 % are allowed; of 300 reports that is 20, with a standard error of 4.3.
    assert false <= 32


def true_change(found: Comparison | FactorEffect, truth: Values) -> bool:
    """Tell whether a change that was shown is one in truth, and in the same direction."""
    assert found.effect is not None
    if isinstance(found, Comparison):
        places = [
            (int(each.level("target")[1:]), int(each.level("load")))
            for each in (found.cell, found.baseline)
        ]
        change = truth[places[0]] - truth[places[1]]
    elif found.factor == "target":
        change = (truth[int(found.level[1:])] - truth[0]).mean()
    else:
        change = (truth[:, int(found.level)] - truth[:, 0]).mean()
    return bool(change * found.effect.percent > 0)


def place(cell: Cell) -> tuple[int, int]:
    return int(cell.level("target")[1:]), int(cell.level("load"))


@pytest.mark.parametrize(
    ("targets", "loads"), [(2, 1), (2, 2), (2, 6), (2, 12), (3, 1), (3, 6), (4, 3)]
)
def test_so_many_rounds_show_five_percent_in_four_of_five_cells(targets: int, loads: int) -> None:
    random = np.random.default_rng(38)
    truth = of_some(targets, loads, {(t, n): 1.05 for t in range(1, targets) for n in range(loads)})
    few = judged(normal(random, 4, targets, loads)).comparisons
    effect = next(each.effect for each in few if each.factor == "target")
    assert effect is not None
    test = Strictness(effect.level, effect.freedom / (effect.rounds - 1))
    rounds = rounds_needed(np.log(1.05), DEVIATION * np.sqrt(2), test)
    assert rounds is not None
    shown = [
        each.kind in SHOWN
        for _ in range(200)
        for each in judged(normal(random, rounds, targets, loads) + truth).comparisons
        if each.factor == "target"
    ]
    assert 0.72 <= np.mean(shown) <= 0.88


@pytest.mark.parametrize(("targets", "loads"), [(2, 1), (2, 6), (2, 12), (3, 6)])
def test_what_plan_says_is_shown_in_four_of_five_experiments(targets: int, loads: int) -> None:
    """Over all combinations, and in each of them where it is in all."""
    random = np.random.default_rng(39)
    combinations = Counter({(f"t{n}", "t0"): loads for n in range(1, targets)})
    tests = how_tested(combinations, is_moderated=True)
    for test, is_whole in zip(tests, (True, False), strict=True):
        noise = DEVIATION * np.sqrt(2 / loads if is_whole else 2)
        ratio = 1 + smallest_detectable_percent(noise, 6, test) / 100
        truth = of_some(
            targets, loads, {(t, n): ratio for t in range(1, targets) for n in range(loads)}
        )
        shown: list[bool] = []
        for _ in range(200):
            found = judged(normal(random, 6, targets, loads) + truth)
            kinds = [
                each.kind
                for each in (found.effects if is_whole else found.comparisons)
                if each.factor == "target"
            ]
            shown += [kind in SHOWN for kind in kinds]
        assert 0.72 <= np.mean(shown) <= 0.88


@pytest.mark.parametrize("metric", [THROUGHPUT, RESPONSE_P95])
def test_a_report_at_the_margin_seldom_calls_anything_equivalent(metric: Metric) -> None:
    """Twelve cells that are worse by just the margin, and twelve that are better by it."""
    random = np.random.default_rng(40)
    rules = Rules("target", margin=0.05)
    truth = of_some(2, 12, {(1, n): 1.05 if n % 2 else 1 / 1.05 for n in range(12)})
    is_worse = np.array([bool(n % 2) != metric.more_is_better for n in range(12)])
    wrong = 0
    for _ in range(300):
        found = judge(metric, pairs_of(normal(random, 6, 2, 12) + truth), [], rules)
        kinds = [each.kind for each in found.comparisons if each.factor == "target"]
        wrong += any(
            kind is VerdictKind.EQUIVALENT or (kind is VerdictKind.NO_WORSE and worse)
            for kind, worse in zip(kinds, is_worse, strict=True)
        )
    # 5 % of 300 are 15, with a standard error of 3.8.
    assert wrong <= 26


def test_cells_that_are_equal_are_called_so_where_there_are_rounds_enough() -> None:
    random = np.random.default_rng(41)
    rules = Rules("target", margin=0.05)
    kinds = [
        each.kind
        for _ in range(50)
        for each in judge(
            THROUGHPUT, pairs_of(random.normal(0, 0.01, (8, 2, 4))), [], rules
        ).comparisons
        if each.factor == "target"
    ]
    assert np.mean([kind is VerdictKind.EQUIVALENT for kind in kinds]) > 0.9


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
