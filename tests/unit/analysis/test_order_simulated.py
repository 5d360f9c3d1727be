"""What the order of trials is worth on a machine whose speed wanders, by simulation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from dbdyno.analysis.compare.judge import judge
from dbdyno.analysis.compare.metric import THROUGHPUT
from dbdyno.analysis.compare.model import SHOWN
from dbdyno.analysis.compare.power import critical
from dbdyno.analysis.compare.ratios import Pair
from dbdyno.analysis.compare.rules import Rules
from dbdyno.experiment import plan
from dbdyno.experiment.comparable import compared_pairs
from dbdyno.experiment.design.order import Nest, interleaved_order, nest

Cell = tuple[str, int]

ROUNDS = 6
STATE_CORRELATION, STATE_DEVIATION = 0.8, 0.20
NOISE = 0.02

CELLS: list[Cell] = [(target, clients) for target in "ab" for clients in range(6)]
TARGETS, CLIENTS = [target for target, _ in CELLS], [clients for _, clients in CELLS]
ADJACENT = nest(CELLS, [CLIENTS])
BLOCKS = nest(CELLS, [TARGETS])


def wandering(generator: np.random.Generator, trials: int) -> np.ndarray:
    """Return the logarithm of the machine's speed at each trial: an AR(1) process."""
    state = generator.normal(0, STATE_DEVIATION)
    states = []
    for _ in range(trials):
        states.append(state)
        innovation = math.sqrt(1 - STATE_CORRELATION**2) * STATE_DEVIATION
        state = STATE_CORRELATION * state + generator.normal(0, innovation)
    return np.array(states)


def half_widths(cells: Nest[Cell], experiments: int) -> tuple[float, float]:
    """Return the median half-width of the effects, in percent, and the share of false verdicts."""
    generator = np.random.default_rng(16)
    widths, false = [], 0
    for seed in range(experiments):
        order = interleaved_order(cells, ROUNDS, seed)
        logarithms = wandering(generator, len(order)) + generator.normal(0, NOISE, len(order))
        measured = dict(zip(order, np.exp(logarithms), strict=True))
        for clients in set(CLIENTS):
            own, other = (
                np.array([measured[number, (target, clients)] for number in range(1, ROUNDS + 1)])
                for target in "ba"
            )
            ratios = np.log(own / other)
            margin = critical(ROUNDS - 1) * float(np.std(ratios, ddof=1)) / math.sqrt(ROUNDS)
            widths.append(100 * math.expm1(margin))
            false += bool(stats.ttest_1samp(ratios, 0.0).pvalue < 0.05)
    return float(np.median(widths)), false / len(widths)


def test_neighbours_are_compared_with_half_the_width_of_blocks() -> None:
    adjacent, false_of_adjacent = half_widths(ADJACENT, 300)
    blocks, false_of_blocks = half_widths(BLOCKS, 300)
    assert adjacent < 0.65 * blocks
    assert false_of_adjacent < 0.08
    assert false_of_blocks < 0.08


Order = Sequence[tuple[int, plan.Cell]]


def after(level: str, share: float) -> Callable[[Order], np.ndarray]:
    """Return what a trial loses where the trial before ran a level."""

    def lost(order: Order) -> np.ndarray:
        before = [cell.level("target") for _, cell in order[:-1]]
        return np.array([0.0, *(-share * (each == level) for each in before)])

    return lost


def slow_first(order: Order) -> np.ndarray:
    """Return what a trial loses where it is the first of its round."""
    rounds = [0, *(number for number, _ in order)]
    return np.array([-0.2 * (one != other) for one, other in pairwise(rounds)])


def false_reports(
    targets: int, loads: int, rounds: int, lost: Callable[[Order], np.ndarray], noise: float
) -> float:
    """Return the share of reports that call anything a difference, where no level has an effect."""
    factors = (
        plan.FactorLevels("target", tuple("abc"[:targets]), "target"),
        plan.FactorLevels("load", tuple("123456"[:loads]), "load.clients"),
    )
    cells = [
        plan.Cell((("target", target), ("load", load)))
        for target in factors[0].levels
        for load in factors[1].levels
    ]
    nested = nest(cells, [[each.level(name) for each in cells] for name in ("load", "target")])
    compared = list(compared_pairs([each for each in factors if len(each.levels) > 1], cells))
    generator, false = np.random.default_rng(17), 0
    for seed in range(EXPERIMENTS):
        order = interleaved_order(nested, rounds, seed)
        logarithms = generator.normal(0, noise, len(order)) + lost(order)
        found: dict[plan.Cell, dict[int, float]] = {cell: {} for cell in cells}
        for (number, cell), value in zip(order, np.exp(logarithms).tolist(), strict=True):
            found[cell][number] = value
        pairs = [Pair(name, own, other, found[own], found[other]) for name, own, other in compared]
        judged = judge(THROUGHPUT, pairs, [], Rules("target", moderated=("target",)))
        kinds = [each.kind for each in judged.effects] + [each.kind for each in judged.comparisons]
        false += not SHOWN.isdisjoint(kinds)
    return false / EXPERIMENTS


EXPERIMENTS = 300
ALLOWED = 0.07 + 0.03
"""7 %, and two standard errors of as many experiments."""


@pytest.mark.parametrize("share", [0.02, 0.05])
@pytest.mark.parametrize(
    ("targets", "loads", "rounds"),
    [(2, 1, 4), (2, 1, 8), (2, 2, 4), (2, 3, 6), (2, 4, 6), (3, 1, 6), (3, 6, 6), (4, 3, 4)],
)
def test_what_a_trial_leaves_to_the_next_one_is_no_difference(
    targets: int, loads: int, rounds: int, share: float
) -> None:
    for noise in (0.01, NOISE):
        assert false_reports(targets, loads, rounds, after("b", share), noise) <= ALLOWED


@pytest.mark.parametrize(("targets", "loads"), [(2, 1), (2, 2), (2, 3), (2, 4), (3, 2)])
def test_a_slow_first_trial_of_each_round_is_no_difference(targets: int, loads: int) -> None:
    for rounds in (4, 6):
        assert false_reports(targets, loads, rounds, slow_first, NOISE) <= ALLOWED
