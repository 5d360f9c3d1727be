"""Whether throughput had settled when the windows began: judged over trials, not within one.

The seconds of a trial depend on each other. A test that takes them for independent cries wolf:
steady but correlated noise looks like a trend in every tenth trial. So each trial gives two figures
only: how its first quarter compares with the rest, and how much its throughput rises or falls from
end to end. Student's t says over the trials whether either is there.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dbdyno.analysis.estimates import relative_change
from dbdyno.analysis.evidence import Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.findings import Finding
from dbdyno.analysis.steadiness.trial_steadiness import TREND_BATCHES
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.validity.warn import warn
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.experiment.plan import Cell

INTERVALS_MIN = 10
TRIALS_MIN = 3
P_VALUE_MAX = 0.005
CHANGE_MIN = 0.03
SMALLEST_RATIO = 0.01
"""Stands for a first quarter in which nothing finished: zero has no logarithm."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Change:
    """A change that the trials agree on, as a share, with its p-value."""

    share: float
    p_value: float


def not_settled(valid: Sequence[WindowTotals]) -> Finding | None:
    """Find a first quarter or a slope that trials have in common: all of them, or those of a cell.

    Cells share the p-value, so that with many of them chance finds nothing more often.
    """
    judged = [measured for measured in valid if _can_be_judged(measured)]
    found = _what_trials_share(judged, P_VALUE_MAX)
    if found is not None:
        return warn(Code.NOT_SETTLED, found, trials=[measured.number for measured in judged])
    by_cell: dict[Cell, list[WindowTotals]] = defaultdict(list)
    for measured in judged:
        by_cell[measured.trial.planned.cell].append(measured)
    if len(by_cell) < 2:
        return None
    p_value_max = P_VALUE_MAX / len(by_cell)
    of_cells = {
        cell: evidence
        for cell, trials in by_cell.items()
        if (evidence := _what_trials_share(trials, p_value_max, cell.label()))
    }
    if not of_cells:
        return None
    numbers = [measured.number for cell in of_cells for measured in by_cell[cell]]
    return warn(Code.NOT_SETTLED, *of_cells.values(), trials=sorted(numbers))


def _can_be_judged(measured: WindowTotals) -> bool:
    whole = measured.whole_throughput_per_s
    return len(whole) >= INTERVALS_MIN and bool(np.any(whole > 0))


def _what_trials_share(
    trials: Sequence[WindowTotals], p_value_max: float, place: str = ""
) -> Evidence | None:
    """Return the evidence, of the figure that is surer where both say something."""
    if len(trials) < TRIALS_MIN:
        return None
    series = [measured.whole_throughput_per_s for measured in trials]
    figures = [_common_change(series, figure) for figure in (first_quarter, slope)]
    found = [
        change
        for change in figures
        if change.p_value < p_value_max and abs(change.share) >= CHANGE_MIN
    ]
    if not found:
        return None
    surest = min(found, key=lambda change: change.p_value)
    kind, share = EvidenceKind.FIRST_QUARTER, surest.share
    if surest is not figures[0]:
        # The trend as the report has it of each cell: it is judged by its logarithm, which has no
        # end that a small first value could draw far away.
        kind = EvidenceKind.SLOPE
        share = float(np.mean([relative_change(each, TREND_BATCHES) for each in series]))
    return Evidence(
        kind, place=place, change_share=share, trials=len(trials), p_value=surest.p_value
    )


def _common_change(series: Sequence[Values], figure: Callable[[Values], float]) -> Change:
    figures = np.array([figure(values) for values in series])
    mean = float(np.mean(figures))
    error = float(np.std(figures, ddof=1)) / math.sqrt(len(figures))
    p_value = 2 * float(special.stdtr(len(figures) - 1, -abs(mean) / error)) if error else 0.0
    return Change(math.expm1(mean), p_value)


def first_quarter(throughput: Values) -> float:
    """Return the logarithm of the first quarter's mean over that of the rest."""
    end = len(throughput) // 4
    first, rest = float(np.mean(throughput[:end])), float(np.mean(throughput[end:]))
    if rest <= 0:
        return -math.log(SMALLEST_RATIO)
    return math.log(max(first / rest, SMALLEST_RATIO))


def slope(throughput: Values) -> float:
    """Return the logarithm of the last value over the first, of the line of least squares."""
    places = np.linspace(-0.5, 0.5, len(throughput))
    rise = float(places @ throughput) / float(places @ places) / float(np.mean(throughput))
    half = min(max(rise / 2, -1 + SMALLEST_RATIO), 1 - SMALLEST_RATIO)
    return math.log((1 + half) / (1 - half))
