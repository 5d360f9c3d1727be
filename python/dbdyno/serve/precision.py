"""How exactly cells are compared so far: the width of each interval, and never its place.

Who looks at effects while rounds are missing, and stops at one, finds differences that are not
there. The width says how much longer it pays to wait, and nothing of which cell is ahead.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from dbdyno.experiment.plan import Cell, Plan


@dataclass(frozen=True)
class Precision:
    """Two cells that are compared; ``width_percent`` is half of the 95 % interval of their ratio.

    None where fewer than two rounds have both.
    """

    factor: str
    cell: Cell
    baseline: Cell
    rounds: int
    rounds_left: int
    width_percent: float | None


def precisions(plan: Plan, throughputs: Mapping[int, float]) -> list[Precision]:
    """Return the comparisons of a plan by the throughputs so far, by the number of the trial."""
    # What it needs is heavy, and a page can be shown without it.
    from dbdyno.analysis.compare.judge import judge
    from dbdyno.analysis.compare.metric import THROUGHPUT
    from dbdyno.analysis.compare.ratios import Pair
    from dbdyno.analysis.compare.rules import Rules, neighbouring_factors
    from dbdyno.experiment.comparable import compared_pairs

    by_cell: defaultdict[Cell, dict[int, float]] = defaultdict(dict)
    for trial in plan.compared:
        per_s = throughputs.get(trial.number)
        if per_s:
            by_cell[trial.cell][trial.round] = per_s
    cells = plan.compared_cells
    pairs = [
        Pair(factor, cell, baseline, by_cell[cell], by_cell[baseline])
        for factor, cell, baseline in compared_pairs(plan.compared_factors, cells)
    ]
    rules = Rules(moderated=neighbouring_factors(plan))
    known = [pair for pair in pairs if len(pair.logarithms) > 1]
    widths = {
        (each.factor, each.cell, each.baseline): _half_width_percent(
            each.effect.low_percent, each.effect.high_percent
        )
        for each in judge(THROUGHPUT, known, [], rules).comparisons
        if each.effect is not None
    }
    return [
        Precision(
            pair.factor,
            pair.cell,
            pair.baseline,
            len(pair.logarithms),
            max(plan.rounds - len(pair.logarithms), 0),
            widths.get((pair.factor, pair.cell, pair.baseline)),
        )
        for pair in pairs
    ]


def _half_width_percent(low_percent: float, high_percent: float) -> float:
    """Return what the ratio may be off by: of a ratio, so that it does not hang on the effect."""
    return 100 * (math.sqrt((1 + high_percent / 100) / (1 + low_percent / 100)) - 1)
