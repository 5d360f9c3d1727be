"""What an experiment will be able to show, said before it runs: by its rounds and its cells."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dbdyno.experiment.plan import Plan

USUAL_NOISE = (0.02, 0.05)
"""Standard deviations of trials of one cell: a machine of one's own, and one that is shared."""


def describe_power(plan: Plan) -> str:
    """Return which differences are shown with 80 % probability; "" where nothing is compared."""
    from dbdyno.analysis.compare.rules import question_factor

    question = question_factor(plan.compared_factors, plan.compared_cells)
    if question is None or plan.search is not None:
        return ""
    if plan.rounds < 2:
        return f"nothing about {question}: a comparison takes two rounds, and six are usual"
    combinations = _combinations(plan, question)
    told = [_with_noise(noise, plan.rounds, combinations) for noise in USUAL_NOISE]
    every = len({cell.without(question) for cell in plan.compared_cells})
    which = "all" if combinations == every else "the"
    over = f" over {which} {combinations} combinations, and in one cell" if combinations > 1 else ""
    return f"effects of {question}{over}, in four of five experiments: {'; '.join(told)}"


def _combinations(plan: Plan, factor: str) -> int:
    """Return over how many combinations a factor is compared: of the level with the fewest."""
    from dbdyno.experiment.comparable import compared_pairs

    pairs = compared_pairs(plan.compared_factors, plan.compared_cells)
    by_level = Counter(cell.level(factor) for name, cell, _ in pairs if name == factor)
    return min(by_level.values())


def _with_noise(noise: float, rounds: int, combinations: int) -> str:
    from dbdyno.analysis.compare.power import smallest_detectable_percent
    from dbdyno.report.figures import percent

    # The ratio of two trials has the noise of both.
    of_cell = math.sqrt(2) * noise
    shown = [smallest_detectable_percent(of_cell / math.sqrt(combinations), rounds)]
    if combinations > 1:
        shown.append(smallest_detectable_percent(of_cell, rounds))
    return (
        f"from {' and '.join(map(percent, shown))} where trials scatter by {percent(100 * noise)}"
    )
