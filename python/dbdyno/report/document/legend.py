"""The legend of a figure, as the grammar of the charts has it."""

from __future__ import annotations

from collections.abc import Iterable

from dbdyno.analysis.findings import Findings
from dbdyno.experiment.plan import Cell
from dbdyno.report.document.model import Legend
from dbdyno.report.drawn import MOST_CELLS, drawn_cells
from dbdyno.report.grammar import Grammar, choose, name_in_words
from dbdyno.report.language import say


def legend_of(
    findings: Findings, drawn: Iterable[Cell] | None = None, view: Grammar | None = None
) -> Legend | None:
    """Return each level of the coloured factor with its mark; None without one.

    Of more levels than are all drawn, it is those of the cells that are ``drawn``: in most figures
    ``drawn_cells``.
    """
    grammar = view or choose(findings.factors)
    if grammar.colour is None:
        return None
    name, marks = grammar.colour.name, grammar.legend()
    if len(marks) > MOST_CELLS:
        cells = (each.cell for each in drawn_cells(findings.cells)) if drawn is None else drawn
        levels = {cell.level(name) for cell in cells}
        marks = tuple(mark for mark in marks if mark[0] in levels)
    title = name_in_words(grammar.colour)
    return Legend(title, marks, say("Colours and markers of {factor}", factor=title))
