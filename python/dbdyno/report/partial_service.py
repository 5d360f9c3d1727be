"""Percentiles of cells that did not serve all that was offered: they say too little, and say so.

An open loop goes on offering work to a server that cannot keep up. What was dropped, or still
waited when the window ended, had the longest response times and is in no histogram.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from dbdyno.analysis.findings import CellSummary
from dbdyno.report import figures
from dbdyno.report.language import say

AT_LEAST = "≥\N{NO-BREAK SPACE}"


def is_partly_served(cell: CellSummary) -> bool:
    """Tell whether response times of a cell lack those who waited longest."""
    return cell.dropped > 0 or not cell.kept_up


def at_least(cell: CellSummary, value_ms: float | None) -> str:
    """Return the mark before a response time or a schedule lag that is only a lower bound."""
    is_bound = value_ms is not None and math.isfinite(value_ms) and is_partly_served(cell)
    return AT_LEAST if is_bound else ""


def note(cells: Iterable[CellSummary]) -> str | None:
    """Return what the mark means, and how much was dropped; None where no cell has the mark."""
    shares = [cell.dropped_share for cell in cells if is_partly_served(cell)]
    if not shares:
        return None
    low, high = figures.share(min(shares)), figures.share(max(shares))
    if max(shares) == 0:
        return say(
            "≥ marks times of served transactions only: the others were still waiting when the "
            "window ended."
        )
    if low == high:
        return say(
            "≥ marks times of served transactions only: {share} of the scheduled were dropped.",
            share=low,
        )
    return say(
        "≥ marks times of served transactions only: between {low} and {high} of the scheduled "
        "were dropped.",
        low=low,
        high=high,
    )
