"""Cells in rows and columns, as published reports have them.

With two varied factors or three, the numeric one runs across, and the third has a matrix of each of
its levels. With more, where most combinations were run, systems are rows: those factors that are no
numbers together. Else factors were varied one at a time, and each has a matrix for each place where
it was: its levels are columns, and load is rows. Each cell has its effect against a baseline.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dbdyno.analysis.compare.metric import Metric
from dbdyno.analysis.compare.model import SHOWN, Comparison
from dbdyno.analysis.findings import CellSummary, Findings, Percentiles
from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.report import figures
from dbdyno.report.grammar import (
    VARIANT,
    Grammar,
    grouped_cells,
    name_in_words,
    places,
    together,
    views,
)
from dbdyno.report.language import listed, say
from dbdyno.report.verdicts import by_cell, factors_compared
from dbdyno.store.layout import overall_key

Factors = tuple[FactorLevels, ...]


@dataclass(frozen=True)
class MatrixCell:
    """A cell's figures, and how it stands to the baseline of the factor in question."""

    summary: CellSummary
    comparison: Comparison | None
    is_baseline: bool
    baseline: str = ""
    """The row or column that it is compared with, where there are several."""
    is_by_row: bool = True
    """Whether it is compared with another row, and not with another column."""

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
        effect, interval = figures.effect_of(found)
        if self.baseline and not self.is_by_row:
            effect = say("{effect} against {baseline}", effect=effect, baseline=self.baseline)
        return effect, interval


@dataclass(frozen=True)
class Matrix:
    """A row for each level of ``down`` with a cell for each of the ``columns``.

    Both are levels, or several factors' levels together. None is a combination that has no cell. A
    level without any cell here has no row or column.
    """

    heading: str
    """The levels that all cells here share and others do not; empty where there are none."""
    across: str
    down: str
    compared: tuple[str, ...]
    """The factors that effects are of; none where nothing is compared."""
    is_paired: bool
    """Whether their levels ran in the same rounds."""
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[MatrixCell | None, ...]], ...]

    @property
    def is_full(self) -> bool:
        """Whether each combination of the levels here has a cell."""
        return all(cell is not None for _, members in self.rows for cell in members)


def matrices(findings: Findings, metric: Metric) -> list[Matrix]:
    """Return the matrices of all cells; none without a numeric factor beside another."""
    return systems_by_load(findings, metric) or list(_one_at_a_time(findings, metric))


def systems_by_load(findings: Findings, metric: Metric) -> list[Matrix]:
    """Return matrices with a numeric factor across; none where factors were varied one by one."""
    grammar, *further_views = views(findings.factors, findings.cells)
    rows = grammar.systems
    if grammar.across is None or not rows or further_views:
        return []
    comparisons = _comparisons(findings, metric, _factors_of_effects(findings, rows))
    return _by_load(findings, grammar, rows, comparisons)


def _factors_of_effects(findings: Findings, rows: Factors) -> list[str]:
    """Return the factor in question, and those of the rows where these are of several."""
    names = [factor.name for factor in rows]
    if VARIANT in names:
        return [VARIANT]
    question = next((factor for factor, _ in factors_compared(findings)), "")
    return [question, *(name for name in names if name != question and len(names) > 1)]


def by_other_factors(
    findings: Findings, metric: Metric
) -> Iterator[tuple[FactorLevels, list[Matrix]]]:
    """Yield each factor that chooses among those matrices, with matrices of which it is the rows.

    Levels of what sets the transactions are no rows: their rates are of different things.
    """
    grammar, *further_views = views(findings.factors, findings.cells)
    if grammar.across is None or not grammar.systems or further_views:
        return
    for factor in grammar.others:
        if factor not in grammar.systems and not factor.sets_transactions:
            comparisons = _comparisons(findings, metric, (factor.name,))
            yield factor, _by_load(findings, grammar, (factor,), comparisons)


def _by_load(
    findings: Findings, grammar: Grammar, rows: Factors, comparisons: Mapping[Cell, Comparison]
) -> list[Matrix]:
    """Return a matrix for each combination of what is neither in its rows nor in its columns."""
    if grammar.across is None:
        return []
    further = tuple(each for each in grammar.others if each not in rows)
    return [
        _matrix(findings, (heading, grammar.across), rows, (members, comparisons))
        for heading, members in grouped_cells(findings.cells, further)
    ]


def _one_at_a_time(findings: Findings, metric: Metric) -> Iterator[Matrix]:
    """Yield the matrices of each factor but load, at each place where it was varied."""
    for view in views(findings.factors, findings.cells):
        if view.across is not None and view.colour is not None:
            comparisons = _comparisons(findings, metric, (view.colour.name,))
            for heading, members in places(view, findings.cells):
                columns = (heading, view.colour)
                yield _matrix(findings, columns, (view.across,), (members, comparisons))


def _comparisons(
    findings: Findings, metric: Metric, factors: Sequence[str]
) -> dict[Cell, Comparison]:
    """Return by cell what it is compared with: by the first of these factors by which it is."""
    ranked = [
        each
        for by_metric in findings.compared
        for each in by_metric.comparisons
        if by_metric.metric == metric and each.factor in factors
    ]
    return by_cell(sorted(ranked, key=lambda each: factors.index(each.factor)))


def _matrix(
    findings: Findings,
    across: tuple[str, FactorLevels],
    rows: Factors,
    cells: tuple[Sequence[CellSummary], Mapping[Cell, Comparison]],
) -> Matrix:
    """Return the matrix of some cells; ``across`` has its heading and the factor of its columns."""
    (heading, factor), (members, comparisons) = across, cells
    baselines = {each.baseline for each in comparisons.values()}
    names = names_of_baselines(comparisons, rows)
    compared = {comparisons[each.cell].factor for each in members if each.cell in comparisons}
    there = {each.cell.level(factor.name) for each in members}
    columns = tuple(level for level in factor.levels if level in there)
    table = []
    for _, row in grouped_cells(members, rows):
        known = {
            each.cell.level(factor.name): MatrixCell(
                each,
                found := comparisons.get(each.cell),
                each.cell in baselines and found is None,
                names.get(each.cell, ""),
                is_by_row=found is not None and found.factor != factor.name,
            )
            for each in row
        }
        label = together(row[0].cell, rows)
        table.append((label, tuple(known.get(level) for level in columns)))
    return Matrix(
        heading,
        name_in_words(factor),
        listed(map(name_in_words, rows)),
        tuple(name_in_words(each) for each in findings.factors if each.name in compared),
        all(each.is_paired for each in findings.factors if each.name in compared),
        columns,
        tuple(table),
    )


def names_of_baselines(comparisons: Mapping[Cell, Comparison], rows: Factors) -> dict[Cell, str]:
    """Return by cell the row or the column that it is compared with; nothing where all have one."""
    own = {factor.name for factor in rows}
    names = {
        cell: together(each.baseline, rows) if each.factor in own else each.contrast[1]
        for cell, each in comparisons.items()
    }
    return names if len(set(names.values())) > 1 else {}


def compared_with(members: Sequence[MatrixCell | None]) -> str:
    """Return what a row is compared with, in words; "" where its caption says it."""
    baselines = {
        each.baseline for each in members if each is not None and each.baseline and each.is_by_row
    }
    return say("against {baselines}", baselines=listed(sorted(baselines))) if baselines else ""


def response_of(cell: CellSummary, findings: Findings) -> Percentiles | None:
    """Return the response times of what throughput counts; None where there are none."""
    return cell.response.get(counted_in(cell, findings))


def counted_in(cell: CellSummary, findings: Findings) -> str:
    """Return the name of the transactions that a cell's throughput counts."""
    return findings.measure.kind or overall_key(list(cell.response))
