"""The legend of a figure, from the grammar that all charts share."""

from __future__ import annotations

from dbdyno.report.document.model import Legend
from dbdyno.report.grammar import Grammar


def legend_of(grammar: Grammar) -> Legend | None:
    """Return the legend; None where nothing is told apart by colour."""
    return Legend(grammar.colour.name, grammar.legend()) if grammar.colour else None
