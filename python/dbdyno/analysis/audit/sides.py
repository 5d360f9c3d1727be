"""The two sides of a conclusion, and what one cell says to it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from dbdyno.analysis.audit.cells import Cell, label, subjects_named
from dbdyno.analysis.audit.noise import FEW_PERCENT, Change
from dbdyno.results_table.description import Conclusion, Level
from dbdyno.results_table.model import Levels, ResultsTable


class Standing(StrEnum):
    """What one cell says to a conclusion."""

    HOLDS = "holds"
    REVERSED = "reversed"
    OPEN = "open"


def subjects_of(table: ResultsTable, conclusion: Conclusion) -> list[str]:
    """Return the subjects that a conclusion is about; of none all, or "" where there are none."""
    if conclusion.subject:
        return subjects_named(table, conclusion.subject)
    return list(dict.fromkeys(each.subject for each in table.figures))


def levels_of(named: Mapping[str, Level]) -> Levels:
    """Return the levels that a description names, as a table has them."""
    return tuple((name, str(level)) for name, level in named.items())


def side(cell: Cell, levels: Levels) -> str:
    """Return the name of a side: its subject, and the levels that are not common to both."""
    own = label(tuple(each for each in cell.levels if each not in levels))
    return " ".join(filter(None, (cell.subject, own)))


def is_open(found: Change) -> bool:
    """Tell whether a change is within the noise of its rounds, or of single runs."""
    if not found.has_rounds:
        return abs(found.percent) < FEW_PERCENT
    return not found.is_shown
