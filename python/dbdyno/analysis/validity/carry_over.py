"""What a trial leaves to the next one: by how much it shifts the effect of a level.

The order lets the levels of the factor in question follow each other equally often; those of other
factors mostly follow themselves, and in other orders nothing is balanced. So the logarithms of the
figures are taken as the sum of a cell's, a round's, and of what the level before has left (a
two-period carry-over model; B. Jones and M. G. Kenward, Design and Analysis of Cross-Over Trials,
3rd ed. 2014, chapter 5). The shift of an effect is what is left before its cells less what is left
before the baseline's. Where the order says nothing of it, because a level always follows the same
one, there is no estimate.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbdyno.analysis.compare.significance import t_test_p_value
from dbdyno.analysis.evidence import Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.findings import Finding
from dbdyno.analysis.throughput import ThroughputMeasure
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.validity.reference import server_figures
from dbdyno.analysis.validity.warn import warn
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.experiment.comparable import compared_pairs
from dbdyno.experiment.plan import Cell, FactorLevels, Plan

P_VALUE_MAX = 0.005
SHIFT_MIN = 0.01
FREEDOM_MIN = 4
SWEEPS_MAX = 100

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Placed:
    """One trial with the logarithm of its figure, and the cell that ran before it."""

    cell: Cell
    round: int
    before: Cell
    logarithm: float


@dataclass(frozen=True)
class Shift:
    """By how much the mean log ratio of a level and its baseline is shifted, and its p-value."""

    factor: str
    level: str
    baseline: str
    logarithm: float
    p_value: float
    comparisons: int


def carry_over(
    compared: Sequence[WindowTotals], plan: Plan, throughput: ThroughputMeasure
) -> Finding | None:
    """Find the level whose effect is shifted most surely, where that is worth a word."""
    cell_of = {trial.number: trial.cell for trial in plan.trials}
    _, logarithms = server_figures(compared, throughput)
    placed = [
        Placed(each.trial.planned.cell, each.trial.planned.round, cell_of[each.number - 1], value)
        for each, value in zip(compared, logarithms.tolist(), strict=True)
        if each.number - 1 in cell_of and math.isfinite(value)
    ]
    factors = [factor for factor in plan.compared_factors if factor.is_paired]
    found = [each for factor in factors for each in shifts(factor, placed)]
    surest = min(found, key=lambda each: each.p_value, default=None)
    if surest is None or surest.p_value >= P_VALUE_MAX / len(found):
        return None
    if abs(surest.logarithm) < SHIFT_MIN:
        return None
    evidence = Evidence(
        EvidenceKind.CARRY_OVER,
        factor=surest.factor,
        level=surest.level,
        baseline=surest.baseline,
        change_share=math.expm1(surest.logarithm),
        p_value=surest.p_value,
    )
    return warn(Code.CARRY_OVER, evidence, comparisons=surest.comparisons)


def shifts(factor: FactorLevels, trials: Sequence[Placed]) -> Iterator[Shift]:
    """Yield the shift of each level of a factor that the order tells."""
    if len({each.before.level(factor.name) for each in trials}) < 2:
        return
    cells = _codes([each.cell for each in trials])
    rounds = _codes([each.round for each in trials])
    levels = _codes([each.before.level(factor.name) for each in trials])
    before = np.zeros((len(trials), levels.max() + 1))
    before[np.arange(len(trials)), levels] = 1.0
    logarithms = np.array([[each.logarithm] for each in trials])
    left = _without(cells, rounds, np.hstack([before, logarithms]))
    design, figures = left[:, :-1], left[:, -1]
    inverse = np.linalg.pinv(design.T @ design, rcond=1e-9, hermitian=True)
    told = inverse @ (design.T @ design)
    rest = figures - design @ (inverse @ (design.T @ figures))
    freedom = len(trials) - (cells.max() + 1) - rounds.max() - round(float(np.trace(told)))
    if freedom < FREEDOM_MIN:
        return
    variance = float(rest @ rest) / freedom
    for level, baseline, weights, count in _weights(factor, trials, before):
        if not np.allclose(weights @ told, weights, atol=1e-6):
            continue
        shift = float(weights @ inverse @ design.T @ figures)
        error = math.sqrt(max(float(weights @ inverse @ weights), 0.0) * variance)
        yield Shift(
            factor.name, level, baseline, shift, t_test_p_value(shift, error, freedom), count
        )


def _weights(
    factor: FactorLevels, trials: Sequence[Placed], before: Values
) -> Iterator[tuple[str, str, Values, int]]:
    """Yield of each level how much more often its cells follow each level than the baseline's."""
    at = {(each.cell, each.round): before[place] for place, each in enumerate(trials)}
    rounds = sorted({each.round for each in trials})
    by_level: dict[tuple[str, str], list[Values]] = {}
    cells: dict[tuple[str, str], set[Cell]] = {}
    for _, own, other in compared_pairs([factor], list(dict.fromkeys(e.cell for e in trials))):
        pair = own.level(factor.name), other.level(factor.name)
        cells.setdefault(pair, set()).add(own)
        by_level.setdefault(pair, []).extend(
            at[own, number] - at[other, number]
            for number in rounds
            if (own, number) in at and (other, number) in at
        )
    for (level, baseline), known in by_level.items():
        if known:
            yield level, baseline, np.mean(known, axis=0), len(cells[level, baseline])


def _codes(keys: Sequence[Hashable]) -> NDArray[np.int64]:
    number = {key: at for at, key in enumerate(dict.fromkeys(keys))}
    return np.array([number[key] for key in keys], dtype=np.int64)


def _without(cells: NDArray[np.int64], rounds: NDArray[np.int64], values: Values) -> Values:
    """Return values less what their cell and their round have in common, by least squares.

    Means are taken out in turn, which is exact at once where every round has every cell.
    """
    left = np.array(values)
    for _ in range(SWEEPS_MAX):
        taken = 0.0
        for codes in (cells, rounds):
            sums = np.zeros((codes.max() + 1, values.shape[1]))
            np.add.at(sums, codes, left)
            means = sums / np.bincount(codes)[:, None]
            left -= means[codes]
            taken = max(taken, float(np.abs(means).max()))
        if taken < 1e-12:
            break
    return left
