"""The costs of each cell over its rounds, and against the baseline of the question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from dbdyno.analysis.compare.ratios import log_ratios
from dbdyno.analysis.compare.rules import question_factor
from dbdyno.analysis.compare.unpaired import welch
from dbdyno.analysis.cost.model import CellCosts, Cost, CostName, TrialCosts
from dbdyno.analysis.estimates import geometric_mean
from dbdyno.analysis.findings import CellSummary, Estimate
from dbdyno.experiment.comparable import compared_pairs
from dbdyno.experiment.plan import Cell, FactorLevels

CostsByRound = Mapping[Cell, Mapping[int, TrialCosts]]
"""What is known of each valid trial, by cell and round."""

Ratio = Callable[[Mapping[int, float], Mapping[int, float]], Estimate | None]


def cell_costs(
    factors: Sequence[FactorLevels], summaries: Sequence[CellSummary], known: CostsByRound
) -> tuple[CellCosts, ...]:
    """Return the costs of each cell; nothing where none is known of any.

    A cell is compared with that with the baseline level of the factor in question (the first, where
    its level has several) and the same levels of all others. One that has no part in the question
    is compared by the first factor that has a baseline for it.
    """
    cells = [summary.cell for summary in summaries]
    baselines = _baselines(factors, cells)
    by_round = {summary.cell: _of_mean(summary, known) for summary in summaries}
    found = []
    for cell in cells:
        baseline, ratio = baselines.get(cell, (None, _ratio))
        found.append(_costs(cell, baseline, ratio, by_round))
    return tuple(each for each in found if each.costs)


def _baselines(
    factors: Sequence[FactorLevels], cells: Sequence[Cell]
) -> dict[Cell, tuple[Cell, Ratio]]:
    """Return what each cell is compared with, and how; nothing of the question's own baselines."""
    question = question_factor(factors, cells)
    pairs = list(compared_pairs(factors, cells))
    own = {baseline for factor, _, baseline in pairs if factor == question}
    apart = {factor.name for factor in factors if not factor.is_paired}
    found: dict[Cell, tuple[Cell, Ratio]] = {}
    for factor, cell, baseline in sorted(pairs, key=lambda pair: pair[0] != question):
        if cell not in own or factor == question:
            found.setdefault(cell, (baseline, _ratio_apart if factor in apart else _ratio))
    return found


def _of_mean(summary: CellSummary, known: CostsByRound) -> dict[CostName, dict[int, float]]:
    """Return each cost by round, of those rounds that the cell's throughput is the mean of.

    A cost that some of these rounds lack is left out: its mean would be that of others.
    """
    of_cell = known.get(summary.cell, {})
    rounds = [of_cell.get(number, {}) for number in summary.rounds]
    return {
        name: {number: of_cell[number][name] for number in summary.rounds}
        for name in CostName
        if rounds and all(name in each for each in rounds)
    }


def _costs(
    cell: Cell,
    baseline: Cell | None,
    ratio: Ratio,
    by_round: Mapping[Cell, dict[CostName, dict[int, float]]],
) -> CellCosts:
    own = by_round[cell]
    others = by_round[baseline] if baseline is not None else {}
    costs = {
        name: Cost(_mean(values), ratio(values, others.get(name, {})))
        for name, values in own.items()
    }
    cpu = own.get(CostName.SERVER_CPU, {})
    is_used = bool(cpu) and min(cpu.values()) > 0
    per_cpu_s = {number: 1 / value for number, value in cpu.items()} if is_used else {}
    return CellCosts(cell, baseline, costs, _mean(per_cpu_s) if per_cpu_s else None)


def _mean(values: Mapping[int, float]) -> Estimate:
    return geometric_mean(np.array(list(values.values())))


def _ratio(own: Mapping[int, float], other: Mapping[int, float]) -> Estimate | None:
    """Return the geometric mean of the rounds' ratios: paired, so that slow rounds fall out."""
    if not own.keys() & other.keys() or min(*own.values(), *other.values()) <= 0:
        return None
    return geometric_mean(np.exp(list(log_ratios(own, other).values())))


def _ratio_apart(own: Mapping[int, float], other: Mapping[int, float]) -> Estimate | None:
    """Return the ratio of the means of rounds that do not belong together."""
    if not own or not other or min(*own.values(), *other.values()) <= 0:
        return None
    effect = welch(*(np.log(list(values.values())) for values in (own, other)))
    if effect is None:
        return None
    mean, low, high = (
        1 + percent / 100 for percent in (effect.percent, effect.low_percent, effect.high_percent)
    )
    return Estimate(mean, low, high, effect.rounds)
