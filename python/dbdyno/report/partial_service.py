"""Marks of response times that say too little, and the notes that explain them.

An open loop goes on offering work to a server that cannot keep up. What was dropped, or still
waited when the window ended, had the longest response times and is in no histogram. And where the
generator read answers late, the server had fewer clients than were asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from dbdyno.analysis.clients import SHARE_MIN
from dbdyno.analysis.findings import CellSummary
from dbdyno.report import figures
from dbdyno.report.language import labelled, listed, say

AT_LEAST = "≥\N{NO-BREAK SPACE}"
FEWER_CLIENTS = "†\N{NO-BREAK SPACE}"

CELLS_NAMED = 4
"""Of more, the table of percentiles has the clients in effect."""


def is_partly_served(cell: CellSummary) -> bool:
    """Tell whether response times of a cell lack those who waited longest."""
    return cell.dropped > 0 or not cell.kept_up


def has_fewer_clients(cell: CellSummary) -> bool:
    """Tell whether clearly fewer clients waited for the server than were asked for."""
    return cell.clients is not None and cell.clients.share < SHARE_MIN


def time_mark(cell: CellSummary, value_ms: float | None) -> str:
    """Return the mark before a time that is a lower bound, or that fewer clients had."""
    if value_ms is None or not math.isfinite(value_ms):
        return ""
    return (FEWER_CLIENTS if has_fewer_clients(cell) else "") + (
        AT_LEAST if is_partly_served(cell) else ""
    )


def clients_in_effect(cell: CellSummary) -> str:
    """Return ``20 of 64``, or a share where it is not known how many were at work."""
    if cell.clients is None:
        return figures.ABSENT
    asked, share = cell.clients.asked, cell.clients.share
    if asked is None:
        return figures.share(share)
    working = f"{share * asked:.3g}" if asked < 100 else figures.count(round(share * asked))
    return say("{working} of {asked}", working=working, asked=figures.count(asked))


def clients_note(cells: Sequence[CellSummary]) -> str | None:
    """Return how many clients waited for the server; None where response times are absent."""
    timed = [cell for cell in cells if cell.response or cell.clients is not None]
    known = [cell.clients.share for cell in timed if cell.clients is not None]
    if not timed:
        return None
    if not known:
        return say(
            "Clients in effect are not known: the kernel gives no time of arrival here (Unix "
            "sockets, kernel_timestamps: false)."
        )
    fewer = [cell for cell in timed if has_fewer_clients(cell)]
    if not fewer:
        return say(
            "Clients in effect: at least {share} of those asked for waited for the server.",
            share=figures.share(min(known)),
        )
    if len(fewer) > CELLS_NAMED:
        which = say("{count} of {total} cells", count=len(fewer), total=len(timed))
    else:
        which = listed(f"{cell.cell.label()} {clients_in_effect(cell)}".strip() for cell in fewer)
    return say("{sentence}.", sentence=labelled(mark_note(), which))


def mark_note() -> str:
    """Return what the mark of fewer clients means, where the cells are not named."""
    return say(
        "† marks times that fewer clients had than were asked for (under {share} of them), because "
        "the generator read answers late",
        share=figures.percent(100 * SHARE_MIN),
    )


def notes(cells: Sequence[CellSummary]) -> list[str]:
    """Return what marks mean, and how many clients waited for the server, a sentence each."""
    return [line for line in (note(cells), clients_note(cells)) if line]


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
