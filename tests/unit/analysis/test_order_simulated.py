"""What the order of trials is worth on a machine whose speed wanders, by simulation."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from dbdyno.analysis.compare.power import critical
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
