"""Which of several findings a reader should see first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from dbdyno.analysis.compare.model import Comparison
from dbdyno.analysis.findings import Finding, Severity
from dbdyno.analysis.validity.codes import Code
from dbdyno.experiment.plan import Cell

TOUCHES_NO_VERDICT = frozenset({Code.DRIFT, Code.REFERENCE_MOVED, Code.CLOCK_STEPPED})
"""Comparisons within rounds bear a drift, and durations are not taken from the wall clock."""


def rank(
    warnings: Iterable[Finding], comparisons: Sequence[Comparison], cell_of: Mapping[int, Cell]
) -> tuple[Finding, ...]:
    """Return the warnings with the number of verdicts that they touch, the gravest first.

    Of equally grave ones, the one that touches most verdicts comes first; among those the order of
    the checks stays. ``cell_of`` has the cell of each trial by its number.
    """
    complete = []
    for warning in warnings:
        touched = warning.comparisons
        if warning.code in TOUCHES_NO_VERDICT:
            touched = 0
        elif touched is None and warning.trials:
            touched = count_touched(comparisons, {cell_of[trial] for trial in warning.trials})
        elif touched is None:
            touched = len(comparisons)
        complete.append(replace(warning, comparisons=touched))
    return tuple(sorted(complete, key=_rank))


def count_touched(comparisons: Iterable[Comparison], cells: Collection[Cell]) -> int:
    """Return how many comparisons have one of the cells on either side."""
    return sum(bool({each.cell, each.baseline} & set(cells)) for each in comparisons)


def _rank(warning: Finding) -> tuple[int, int]:
    return list(Severity).index(warning.severity), -(warning.comparisons or 0)
