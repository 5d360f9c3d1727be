"""What a search has found: the knee, and the clients that keep a limit."""

from __future__ import annotations

from dataclasses import dataclass

from dbdyno.experiment.design.search import Knee, find_knee, next_levels
from dbdyno.experiment.design.search_plan import knee_search, searched_points
from dbdyno.experiment.plan import Cell, PlannedSearch
from dbdyno.store.model import StoredResult
from dbdyno.store.search_points import search_points


@dataclass(frozen=True)
class FoundKnee:
    """The answer of a search at one combination of the other factors' levels.

    ``knee`` is None where no number of clients got any work done. While ``is_open``, the search
    would go on, and its answer may change.
    """

    others: Cell
    search: PlannedSearch
    knee: Knee | None
    is_open: bool


def find_knees(result: StoredResult) -> tuple[FoundKnee, ...]:
    """Return the answer for each combination of the other factors' levels, if searched."""
    search = result.plan.search
    if search is None:
        return ()
    asked = knee_search(search)
    points = search_points(result)
    searched = {cell: searched_points(result.plan, cell, points) for cell in points}
    return tuple(
        FoundKnee(cell, search, find_knee(asked, found), bool(next_levels(asked, found)))
        for cell, found in searched.items()
    )
