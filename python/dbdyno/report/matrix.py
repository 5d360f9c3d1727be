"""Cells in rows and columns, as published reports have them: a numeric factor runs across.

A third factor makes a matrix of each of its levels; with more there is none. Each cell has its
effect against the baseline of the factor in question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dbdyno.analysis.compare.metric import Metric
from dbdyno.analysis.compare.model import SHOWN, Comparison
from dbdyno.analysis.findings import CellSummary, Findings, Percentiles
from dbdyno.experiment.plan import FactorLevels
from dbdyno.report import figures
from dbdyno.report.grammar import choose, grouped_cells
from dbdyno.report.language import say
from dbdyno.report.verdicts import factors_compared
from dbdyno.store.layout import overall_key


@dataclass(frozen=True)
class MatrixCell:
    """A cell's figures, and how it stands to the baseline of the factor in question."""

    summary: CellSummary
    comparison: Comparison | None
    is_baseline: bool

    @property
    def is_shown(self) -> bool:
        """Whether a difference from the baseline is shown."""
        return self.comparison is not None and self.comparison.kind in SHOWN

    @property
    def effect(self) -> tuple[str, str]:
        """The effect and its interval, or what stands in its place."""
        if self.is_baseline:
            return say("baseline"), figures.ABSENT
        found = self.comparison.effect if self.comparison is not None else None
        if found is None:
            return figures.ABSENT, figures.ABSENT
        return figures.effect(found.percent, found.low_percent, found.high_percent)


@dataclass(frozen=True)
class Matrix:
    """A row for each level of ``down`` with a cell for each of the ``columns``.

    Columns are levels of ``across``. None is a combination that has no cell. A level without any
    cell here has no row or column.
    """

    heading: str
    """The level of the third factor; empty where there is none."""
    across: FactorLevels
    down: FactorLevels
    compared: str
    """The factor that effects are of; empty where nothing is compared."""
    is_paired: bool
    """Whether its levels ran in the same rounds."""
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[MatrixCell | None, ...]], ...]

    @property
    def is_full(self) -> bool:
        """Whether each combination of the levels here has a cell."""
        return all(cell is not None for _, members in self.rows for cell in members)


def matrices(findings: Findings, metric: Metric) -> list[Matrix]:
    """Return the matrices of two varied factors or three; none of any other number."""
    grammar = choose(findings.factors)
    # Where nothing but scripts is varied beside it, they have no colours, and yet rows.
    down = grammar.colour or next(iter(grammar.panels), None)
    further = tuple(factor for factor in grammar.panels if factor is not down)
    if grammar.across is None or down is None or len(further) > 1:
        return []
    compared = factors_compared(findings)
    question = compared[0][0] if compared else ""
    comparisons = {
        each.cell: each
        for by_metric in findings.compared
        for each in by_metric.comparisons
        if by_metric.metric == metric and each.factor == question
    }
    baselines = {each.baseline for each in comparisons.values()}
    is_paired = all(factor.is_paired for factor in findings.factors if factor.name == question)
    return [
        Matrix(
            heading,
            grammar.across,
            down,
            question if comparisons else "",
            is_paired,
            columns := _levels_of(members, grammar.across),
            _rows(
                columns,
                grammar.across,
                down,
                [
                    MatrixCell(each, comparisons.get(each.cell), each.cell in baselines)
                    for each in members
                ],
            ),
        )
        for heading, members in grouped_cells(findings.cells, further)
    ]


def _levels_of(cells: Sequence[CellSummary], factor: FactorLevels) -> tuple[str, ...]:
    there = {each.cell.level(factor.name) for each in cells}
    return tuple(level for level in factor.levels if level in there)


def _rows(
    columns: Sequence[str], across: FactorLevels, down: FactorLevels, cells: list[MatrixCell]
) -> tuple[tuple[str, tuple[MatrixCell | None, ...]], ...]:
    by_levels = {
        (each.summary.cell.level(down.name), each.summary.cell.level(across.name)): each
        for each in cells
    }
    return tuple(
        (level, tuple(by_levels.get((level, column)) for column in columns))
        for level in _levels_of([each.summary for each in cells], down)
    )


def response_of(cell: CellSummary, findings: Findings) -> Percentiles | None:
    """Return the response times of what throughput counts; None where there are none."""
    return cell.response.get(counted_in(cell, findings))


def counted_in(cell: CellSummary, findings: Findings) -> str:
    """Return the name of the transactions that a cell's throughput counts."""
    return findings.measure.kind or overall_key(list(cell.response))
