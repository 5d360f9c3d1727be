"""The legend of a figure, as the grammar of the charts has it."""

from __future__ import annotations

from dbdyno.report.document.model import Legend
from dbdyno.report.grammar import Grammar
from dbdyno.report.language import say


def legend_of(grammar: Grammar) -> Legend | None:
    """Return each level of the coloured factor with its mark; None without one."""
    if grammar.colour is None:
        return None
    name = grammar.colour.name
    return Legend(name, grammar.legend(), say("Colours and markers of {factor}", factor=name))
