"""What an experiment will be able to show, said before it runs: by its rounds and its cells."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dbdyno.analysis.compare.power import Strictness
    from dbdyno.experiment.plan import Contrast, Plan

USUAL_NOISE = (0.02, 0.05)
"""Standard deviations of trials of one cell: a machine of one's own, and one that is shared."""


def describe_power(plan: Plan) -> str:
    """Return which differences are shown with 80 % probability; "" where nothing is compared."""
    from dbdyno.analysis.compare.rules import neighbouring_factors, question_factor

    question = question_factor(plan.compared_factors, plan.compared_cells)
    if question is None or plan.search is not None:
        return ""
    if plan.rounds < 2:
        return f"nothing about {question}: a comparison takes two rounds, and six are usual"
    by_contrast = _combinations(plan, question)
    combinations = min(by_contrast.values())
    tests = how_tested(by_contrast, is_moderated=question in neighbouring_factors(plan))
    told = [_with_noise(noise, plan, tests, combinations) for noise in USUAL_NOISE]
    every = len({cell.without(question) for cell in plan.compared_cells})
    which = "all" if combinations == every else "the"
    over = (
        f" over {which} {combinations} combinations, and in each of them where it is in all"
        if combinations > 1
        else ""
    )
    return f"effects of {question}{over}, in four of five experiments: {'; '.join(told)}"


def _combinations(plan: Plan, factor: str) -> Counter[Contrast]:
    """Return over how many combinations each level of a factor is compared with a baseline."""
    from dbdyno.experiment.comparable import compared_pairs

    pairs = compared_pairs(plan.compared_factors, plan.compared_cells)
    return Counter(cell.contrast(factor, base) for name, cell, base in pairs if name == factor)


def how_tested(
    by_contrast: Counter[Contrast], *, is_moderated: bool
) -> tuple[Strictness, Strictness]:
    """Return how a level of the factor in question is tested over all, and how in one cell.

    ``by_contrast`` has over how many combinations each level is compared with a baseline.
    """
    from dbdyno.analysis.compare.multiple_testing import (
        CELLS,
        usual_level_of_cells,
        usual_level_of_levels,
    )
    from dbdyno.analysis.compare.power import FEWEST_MODERATED, SIGNIFICANCE, Strictness

    cells = by_contrast.total()
    over_all = Strictness(usual_level_of_levels(SIGNIFICANCE, len(by_contrast)))
    if cells == len(by_contrast):
        return over_all, over_all
    gain = 2.0 if is_moderated and cells >= FEWEST_MODERATED else 1.0
    return over_all, Strictness(usual_level_of_cells(CELLS * SIGNIFICANCE, cells), gain)


def _with_noise(
    noise: float, plan: Plan, tests: tuple[Strictness, Strictness], combinations: int
) -> str:
    from dbdyno.analysis.compare.power import smallest_detectable_percent
    from dbdyno.report.figures import percent

    # The ratio of two trials has the noise of both.
    of_cell = math.sqrt(2) * noise
    over_all, in_one = tests
    shown = [smallest_detectable_percent(of_cell / math.sqrt(combinations), plan.rounds, over_all)]
    if combinations > 1:
        shown.append(smallest_detectable_percent(of_cell, plan.rounds, in_one))
    return (
        f"from {' and '.join(map(percent, shown))} where trials scatter by {percent(100 * noise)}"
    )
