"""Every cell against the baseline level of every factor, all other factors being equal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dbdyno.analysis.estimates import paired_effect
from dbdyno.analysis.findings import CellSummary, Comparison, VerdictKind
from dbdyno.analysis.sentences import comparison_sentence, given_rate_sentence
from dbdyno.analysis.throughput import TRANSACTIONS
from dbdyno.experiment.plan import Cell, FactorLevels


def compare_cells(
    factors: Sequence[FactorLevels],
    summaries: Sequence[CellSummary],
    counted: str = TRANSACTIONS.counted,
) -> tuple[Comparison, ...]:
    """Return all comparisons, factor by factor, in the order of the cells.

    ``counted`` is what throughput counts, one of them.
    """
    by_cell = {summary.cell: summary for summary in summaries}
    return tuple(
        compare(factor, by_cell[cell], by_cell[baseline], counted)
        for factor, cell, baseline in compared_pairs(factors, list(by_cell))
    )


def compared_pairs(
    factors: Sequence[FactorLevels], cells: Sequence[Cell]
) -> Iterator[tuple[str, Cell, Cell]]:
    """Yield factor, cell and baseline: they differ in that factor only, and both exist."""
    known = set(cells)
    for factor in factors:
        for cell in cells:
            baseline = _at_level(cell, factor.name, factor.levels[0])
            if baseline != cell and baseline in known:
                yield factor.name, cell, baseline


def compare(
    factor: str,
    summary: CellSummary,
    baseline: CellSummary,
    counted: str = TRANSACTIONS.counted,
) -> Comparison:
    """Compare two cells over the rounds of both their means."""
    if _is_given(summary, baseline):
        return _of_given_rates(factor, summary, baseline)
    throughput, reference = dict(summary.throughput_by_round), dict(baseline.throughput_by_round)
    common = _common_rounds(summary, baseline)
    effect = paired_effect(
        np.array([throughput[number] for number in common]),
        np.array([reference[number] for number in common]),
    )
    idle = [number for number in common if min(throughput[number], reference[number]) <= 0]
    return Comparison(
        factor=factor,
        cell=summary.cell,
        baseline=baseline.cell,
        kind=effect.kind,
        effect_percent=effect.effect_percent,
        low_percent=effect.low_percent,
        high_percent=effect.high_percent,
        detectable_percent=effect.detectable_percent,
        rounds=effect.rounds,
        sentence=comparison_sentence(factor, summary.cell, baseline.cell, effect, idle, counted),
    )


def _common_rounds(summary: CellSummary, baseline: CellSummary) -> list[int]:
    return sorted(set(summary.rounds) & set(baseline.rounds))


def _is_given(summary: CellSummary, baseline: CellSummary) -> bool:
    """Tell whether throughput came from outside, so that it says nothing about the server."""
    rates = {summary.offered_per_s, baseline.offered_per_s}
    if not summary.throughput_by_round or not baseline.throughput_by_round:
        return False
    return len(rates) > 1 or (rates != {None} and summary.kept_up and baseline.kept_up)


def _of_given_rates(factor: str, summary: CellSummary, baseline: CellSummary) -> Comparison:
    return Comparison(
        factor=factor,
        cell=summary.cell,
        baseline=baseline.cell,
        kind=VerdictKind.NOT_COMPARABLE,
        effect_percent=None,
        low_percent=None,
        high_percent=None,
        detectable_percent=None,
        rounds=len(_common_rounds(summary, baseline)),
        sentence=given_rate_sentence(factor, summary, baseline),
    )


def _at_level(cell: Cell, factor: str, level: str) -> Cell:
    return Cell(tuple((name, level if name == factor else own) for name, own in cell.levels))
