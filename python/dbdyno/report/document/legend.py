"""The legend of a figure, as the grammar of the charts has it."""

from __future__ import annotations

from dbdyno.analysis.findings import Findings
from dbdyno.report.document.model import Legend
from dbdyno.report.drawn import drawn_cells
from dbdyno.report.grammar import choose
from dbdyno.report.language import say


def legend_of(findings: Findings) -> Legend | None:
    """Return each level of the coloured factor that is drawn, with its mark; None without one."""
    grammar = choose(findings.factors)
    if grammar.colour is None:
        return None
    name = grammar.colour.name
    drawn = {summary.cell.level(name) for summary in drawn_cells(findings.cells)}
    marks = [(level, mark) for level, mark in grammar.legend() if level in drawn]
    return Legend(name, marks, say("Colours and markers of {factor}", factor=name))
