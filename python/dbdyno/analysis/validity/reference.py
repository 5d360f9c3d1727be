"""The reference cell against itself: whether the machine moved more than the noise.

The noise is that of the compared cells from one round to the next: half the variance of
successive differences, which a slow drift does not enter (von Neumann and others, The mean square
successive difference, Annals of Mathematical Statistics 12, 1941, 153-162). The variance of the
reference's trials over it follows F where nothing has moved.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dbdyno.analysis.evidence import Evidence
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.findings import Finding
from dbdyno.analysis.throughput import ThroughputMeasure
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.validity.warn import warn
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.experiment.plan import Cell

TRIALS_MIN = 3
FREEDOM_MIN = 3
CHANGE_MIN = 0.03
P_VALUE_MAX = 0.01

Values = NDArray[np.float64]

FREEDOM_OF_A_DIFFERENCE = 2 / 3
"""Successive differences share trials: so many degrees of freedom each, for long series."""


def reference_moved(
    reference: Sequence[WindowTotals],
    compared: Sequence[WindowTotals],
    throughput: ThroughputMeasure,
) -> Finding | None:
    """Say how far the reference moved, where that is more than noise and worth a word."""
    if len(reference) < TRIALS_MIN:
        return None
    in_order = sorted(reference, key=lambda measured: measured.number)
    kind, values = server_figures(in_order, throughput)
    _, noise = server_figures(compared, throughput)
    differences = _differences(compared, noise)
    change = float(np.exp(values.max() - values.min()) - 1)
    p_value = p_value_of_movement(values, differences)
    if p_value >= P_VALUE_MAX or change < CHANGE_MIN:
        return None
    evidence = Evidence(
        kind,
        reference=in_order[0].trial.planned.cell.label(),
        range_share=change,
        trials=len(values),
        change_share=float(np.exp(values[-1] - values[0]) - 1),
        noise_share=_deviation(differences),
        p_value=p_value,
    )
    return warn(Code.REFERENCE_MOVED, evidence, trials=[measured.number for measured in in_order])


def p_value_of_movement(values: Values, differences: Values) -> float:
    """Return how likely the values, logarithms in order, scatter so by the noise alone.

    1 where the noise is not known, or a value is of no work at all.
    """
    freedom = (len(differences) - 1) * FREEDOM_OF_A_DIFFERENCE
    if not np.all(np.isfinite(values)) or freedom < FREEDOM_MIN:
        return 1.0
    noise_variance = max(_deviation(differences) ** 2, np.finfo(float).tiny)
    ratio = float(np.var(values, ddof=1)) / noise_variance
    return float(special.fdtrc(len(values) - 1, freedom, ratio))


def _deviation(differences: Values) -> float:
    """Return the noise of one trial; the slope that all differences have in common is drift."""
    return float(np.std(differences, ddof=1) / np.sqrt(2))


def server_figures(
    trials: Sequence[WindowTotals], throughput: ThroughputMeasure
) -> tuple[EvidenceKind, Values]:
    """Return the logarithm of what the server itself decides: of response time at a given rate."""
    at_rate = any(measured.offered_per_s is not None for measured in trials)
    values = [
        measured.median_s("response") if at_rate else measured.of_kind_per_s(throughput.kind)
        for measured in trials
    ]
    with np.errstate(divide="ignore"):
        logarithms = np.log(np.array(values, dtype=float))
    kind = EvidenceKind.REFERENCE_RESPONSE if at_rate else EvidenceKind.REFERENCE_THROUGHPUT
    return kind, logarithms


def _differences(trials: Sequence[WindowTotals], values: Values) -> Values:
    """Return the differences between successive rounds of each cell, those of no work left out."""
    by_cell: dict[Cell, list[tuple[int, float]]] = defaultdict(list)
    for measured, value in zip(trials, values, strict=True):
        if np.isfinite(value):
            planned = measured.trial.planned
            by_cell[planned.cell].append((planned.round, float(value)))
    differences = [np.diff([value for _, value in sorted(cell)]) for cell in by_cell.values()]
    return np.concatenate(differences) if differences else np.array([])
