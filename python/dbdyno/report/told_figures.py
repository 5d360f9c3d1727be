"""Figures that somebody else has told, drawn as throughput is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.analysis.imported.model import FigureKind, Imported, ToldFigure
from dbdyno.analysis.throughput import MeasureCode, ThroughputMeasure
from dbdyno.experiment.plan import Cell
from dbdyno.report import charts
from dbdyno.report.drawing import Drawing
from dbdyno.report.language import say

MOST_DRAWN = 12
"""A table may have a hundred columns; all of them are in the table of figures."""


def figure_name(figure: ToldFigure) -> str:
    """Return what a figure is called, with its unit where dbdyno knows it."""
    if figure.kind is FigureKind.QUANTILE:
        return say("p{percent}, ms", percent=f"{100 * float(figure.name):g}")
    return say("mean time, ms") if figure.kind is FigureKind.MEAN else figure.name


def told_quantile_ms(imported: Imported, cell: Cell, share: float) -> float | None:
    """Return a percentile of a cell in milliseconds: the geometric mean of its rounds' own."""
    for figure in imported.figures:
        if figure.kind is FigureKind.QUANTILE and float(figure.name) == share:
            found = figure.estimates.get(cell)
            return None if found is None else found.mean
    return None


def drawn_figures(findings: Findings) -> Iterator[tuple[ToldFigure, list[Drawing]]]:
    """Yield figures with their drawings: a chart of each, as the one of throughput."""
    told = findings.imported.figures if findings.imported else ()
    for figure in told[:MOST_DRAWN]:
        yield figure, charts.throughput(_in_place_of_throughput(findings, figure))


def _in_place_of_throughput(findings: Findings, figure: ToldFigure) -> Findings:
    cells = tuple(
        _with_figure(cell, figure) for cell in findings.cells if cell.cell in figure.estimates
    )
    measure = ThroughputMeasure(MeasureCode.OTHER, None, 1.0, figure_name(figure))
    return replace(findings, cells=cells, measure=measure, scaling=())


def _with_figure(cell: CellSummary, figure: ToldFigure) -> CellSummary:
    return replace(
        cell,
        throughput_per_s=figure.estimates[cell.cell],
        throughput_by_round=figure.by_round[cell.cell],
    )
