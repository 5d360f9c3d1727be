"""What an experiment will be able to show, said before it runs: by its rounds and its cells."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dbdyno.experiment.plan import Plan

USUAL_NOISE = (0.02, 0.05)
"""Standard deviations of trials of one cell: a machine of one's own, and one that is shared."""


def describe_power(plan: Plan) -> str:
    """Return which differences are shown with 80 % probability; "" where nothing is compared."""
    from dbdyno.analysis.compare.rules import question_factor

    question = question_factor(plan.given_factors)
    if question is None or plan.search is not None:
        return ""
    if plan.rounds < 2:
        return f"nothing about {question}: a comparison takes two rounds, and six are usual"
    cells = {trial.cell for trial in plan.compared}
    combinations = len(
        {tuple(level for level in cell.levels if level[0] != question) for cell in cells}
    )
    told = [_with_noise(noise, plan.rounds, combinations) for noise in USUAL_NOISE]
    over = "" if combinations == 1 else f" over all {combinations} combinations, and in one cell"
    return f"effects of {question}{over}, in four of five experiments: {'; '.join(told)}"


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
