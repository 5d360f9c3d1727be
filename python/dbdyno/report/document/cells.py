"""Cells of tables: how a figure of each unit, an interval and the levels of a cell become one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from dbdyno.analysis.findings import Estimate
from dbdyno.experiment.plan import Cell as ExperimentCell
from dbdyno.experiment.plan import FactorLevels
from dbdyno.report import figures
from dbdyno.report.document.model import Cell, Column, Tone
from dbdyno.report.grammar import cell_label, name_in_words
from dbdyno.report.language import say
from dbdyno.report.usage import UsageCell

NONE = Cell(figures.ABSENT)


def number(heading: str) -> Column:
    """Return a column of figures."""
    return Column(heading, is_number=True)


def rate(value: float | None, tone: Tone = Tone.NONE) -> Cell:
    """Return a rate with four significant digits."""
    return _figure(value, figures.rate, tone)


def milliseconds(value: float | None) -> Cell:
    """Return a time in milliseconds."""
    return _figure(value, figures.milliseconds)


def share(value: float | None, tone: Tone = Tone.NONE) -> Cell:
    """Return a share as a percentage."""
    return _figure(value, figures.share, tone)


def count(value: float | None) -> Cell:
    """Return a whole number."""
    return _figure(value, figures.count)


def words(value: float | None, text: str, tone: Tone = Tone.NONE) -> Cell:
    """Return a figure that has words of its own; an en dash where there is none."""
    return NONE if value is None else Cell(text, value=value, tone=tone)


def interval(mean: float, low: float | None, high: float | None) -> Cell:
    """Return ``[low, high]`` with the decimals of the mean."""
    return Cell(figures.rate_interval(mean, low, high))


def used(usage: UsageCell | None) -> Cell:
    """Return what was used of a resource: the mean, and its p95 below."""
    return NONE if usage is None else Cell(usage.mean, value=usage.value, below=usage.p95)


def estimate(found: Estimate | None) -> Cell:
    """Return a mean with its interval below it."""
    if found is None or not found.count:
        return NONE
    below = figures.rate_interval(found.mean, found.low, found.high)
    return Cell(figures.rate(found.mean), value=found.mean, below=below)


def header(text: str, rows: int = 1, *, is_code: bool = False) -> Cell:
    """Return what a row, or several of them, is about."""
    return Cell(text, is_header=True, rows=rows, is_code=is_code)


def level_columns(factors: Sequence[FactorLevels]) -> list[Column]:
    """Return a column for each factor; one for the only cell where nothing is varied."""
    return [Column(name_in_words(factor)) for factor in factors] or [Column(say("cell"))]


def level_headers(
    cell: ExperimentCell, factors: Sequence[FactorLevels], rows: int = 1
) -> list[Cell]:
    """Return what fills the columns of ``level_columns``."""
    levels = [header(cell.level(factor.name), rows) for factor in factors]
    return levels or [header(cell_label(cell), rows)]


def below_levels(
    cell: ExperimentCell, factors: Sequence[FactorLevels], rows: Sequence[Sequence[Cell]]
) -> list[list[Cell]]:
    """Return rows that are all of one cell: its levels are before the first and span them."""
    headers = level_headers(cell, factors, len(rows))
    return [[*(headers if place == 0 else []), *row] for place, row in enumerate(rows)]


def _figure(value: float | None, write: Callable[[float], str], tone: Tone = Tone.NONE) -> Cell:
    if value is None or math.isnan(value):
        return NONE
    return Cell(write(value), value=value, tone=tone)
