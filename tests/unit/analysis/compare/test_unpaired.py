"""Results that were measured at different times: Welch's test, held to what it promises."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from dbdyno.analysis.compare.judge import judge
from dbdyno.analysis.compare.metric import THROUGHPUT
from dbdyno.analysis.compare.model import SHOWN, MetricComparisons, VerdictKind
from dbdyno.analysis.compare.ratios import Pair
from dbdyno.analysis.compare.rules import Rules
from dbdyno.analysis.compare.unpaired import means_by_round, welch
from dbdyno.experiment.plan import Cell

OLD, NEW = "old", "new"


def cell(result: str, clients: int) -> Cell:
    return Cell((("result", result), ("clients", str(clients))))


def judged(own: np.ndarray, other: np.ndarray) -> MetricComparisons:
    """Judge logarithms of two results, each of the shape (rounds, cells)."""
    pairs = [
        Pair("result", cell(NEW, n), cell(OLD, n), by_round(own[:, n]), by_round(other[:, n]))
        for n in range(own.shape[1])
    ]
    return judge(THROUGHPUT, pairs, [], Rules("result", unpaired=("result",)))


def by_round(logarithms: np.ndarray) -> dict[int, float]:
    return dict(enumerate(np.exp(logarithms).tolist(), start=1))


def is_shown(found: MetricComparisons) -> bool:
    kinds = {*(each.kind for each in found.effects), *(each.kind for each in found.comparisons)}
    return not SHOWN.isdisjoint(kinds)


def test_it_is_scipys_test_with_scipys_interval() -> None:
    random = np.random.default_rng(5)
    own, other = random.normal(0.1, 0.02, 9), random.normal(0, 0.05, 9)
    found = welch(own, other)
    expected = scipy.stats.ttest_ind(own, other, equal_var=False)
    interval = expected.confidence_interval(0.95)
    assert found is not None
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.freedom == pytest.approx(expected.df)
    assert np.log1p(found.low_percent / 100) == pytest.approx(interval.low)
    assert np.log1p(found.high_percent / 100) == pytest.approx(interval.high)


def test_a_small_side_borrows_no_certainty_from_a_large_one() -> None:
    random = np.random.default_rng(7)
    count = 4000
    found = [welch(random.normal(0, 0.02, 3), random.normal(0, 0.02, 12)) for _ in range(count)]
    strict = 0.0125
    wrong = sum(each is not None and each.p_value < strict for each in found)
    # 50 are allowed, and Welch's own degrees of freedom gave 89.
    assert wrong <= 65


def test_one_round_is_too_few() -> None:
    found = judged(np.zeros((1, 1)), np.zeros((6, 1)))
    assert found.comparisons[0].kind is VerdictKind.TOO_FEW_ROUNDS
    assert found.comparisons[0].rounds == 1


def test_trials_that_failed_in_different_rounds_take_none_from_all() -> None:
    rounds, cells = np.array([[0.0], [0.05], [-0.02], [0.01]]), np.array([[0.0, 2.0]])
    pairs = [
        Pair("result", cell(NEW, n), cell(OLD, n), by_round(own), by_round(other))
        for n, (own, other) in enumerate(
            zip((rounds + cells + 0.1).T, (rounds[::-1] + cells).T, strict=True)
        )
    ]
    for lost, pair in enumerate(pairs, start=1):
        for side in (pair.own, pair.other):
            assert isinstance(side, dict)
            del side[lost]
    (effect,) = judge(THROUGHPUT, pairs, [], Rules("result", unpaired=("result",))).effects
    assert (effect.combinations, effect.left_out, effect.rounds) == (2, 0, 4)
    assert effect.effect is not None
    assert np.log1p(effect.effect.percent / 100) == pytest.approx(0.1)


def test_a_round_that_few_cells_have_does_not_count() -> None:
    sides = [dict.fromkeys((1, 2, 3), 5.0) for _ in range(12)]
    sides[0][4] = 9.0
    assert np.exp(means_by_round(sides)) == pytest.approx([5.0] * 3)


@pytest.mark.parametrize("failed", [2, 4])
@pytest.mark.parametrize("cells", [2, 4, 12])
def test_missing_trials_make_nothing_certain(cells: int, failed: int) -> None:
    random = np.random.default_rng(8)
    false = 0
    for _ in range(1000):
        sides = []
        for _ in range(2):
            known = random.normal(0, 0.03, (4, cells)) + random.normal(0, 0.03, (4, 1))
            trials = [by_round(known[:, n]) for n in range(cells)]
            lost = zip(random.permutation(cells), random.permutation(4)[:failed], strict=False)
            for place, number in lost:
                del trials[place][number + 1]
            sides.append(means_by_round(trials))
        effect = welch(*sides)
        assert effect is not None
        false += effect.p_value < 0.05
    # 50 are allowed, with a standard error of 6.9.
    assert false <= 64


@pytest.mark.parametrize("cells", [1, 12])
@pytest.mark.parametrize("rounds", [(3, 3), (6, 6), (4, 10)])
def test_two_runs_of_one_thing_seldom_differ(rounds: tuple[int, int], cells: int) -> None:
    random = np.random.default_rng(6)
    false = 0
    for _ in range(400):
        # Cells of one round have something in common.
        own, other = (
            random.normal(0, 0.03, (n, cells)) + random.normal(0, 0.03, (n, 1)) for n in rounds
        )
        false += is_shown(judged(own, other))
    # 6 % are allowed; of 400 that is 24, with a standard error of 4.7.
    assert false <= 36


def test_a_difference_in_one_cell_of_many_is_found_there_alone() -> None:
    random = np.random.default_rng(7)
    found = wrong = 0
    for _ in range(100):
        own, other = (random.normal(0, 0.02, (6, 8)) for _ in range(2))
        own[:, 3] -= 0.15
        comparisons = judged(own, other).comparisons
        found += comparisons[3].kind is VerdictKind.WORSE
        wrong += any(each.kind in SHOWN for n, each in enumerate(comparisons) if n != 3)
    assert found >= 95
    assert wrong <= 12
