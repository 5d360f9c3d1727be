"""Where sessions' time went as bars: one a cell, from 0 to 100 %, its parts in the order of kinds.

A kind has the same colour and the same marker in every report. The marker stands at the beginning
of its part, so that nobody needs the colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from dbdyno.analysis.bottleneck.model import CellLimit, TimeKind, TimeShare
from dbdyno.analysis.findings import Findings
from dbdyno.report import figures
from dbdyno.report.document.model import Legend
from dbdyno.report.drawing import (
    Drawing,
    Rows,
    draw,
    specify,
    width_of,
)
from dbdyno.report.drawn import drawn_cells
from dbdyno.report.grammar import Mark, cell_label
from dbdyno.report.language import clauses, labelled, say
from dbdyno.report.vega_lite import SHAPE, TITLE, Part, category, frame, layers, marks, quantity
from dbdyno.report.words.limits import TIMES, time_words

WIDTH = 560
"""Of a whole bar, in pixels."""
MARKER_PX = 16
"""The room that a marker takes; a narrower part has none."""
MARKER_AT_PX, TEXT_AT_PX = 9, 18
"""From the beginning of a part."""

MARKS = {
    TimeKind.CPU: Mark("var(--series-1)", "circle"),
    TimeKind.CPU_QUEUE: Mark("var(--series-8)", "square"),
    TimeKind.IO: Mark("var(--series-3)", "triangle-up"),
    TimeKind.LOG: Mark("var(--series-5)", "diamond"),
    TimeKind.LOCK: Mark("var(--series-2)", "triangle-down"),
    TimeKind.LATCH: Mark("var(--series-4)", "cross"),
    TimeKind.REST: Mark("var(--series-7)", "triangle-right"),
}
"""Text in the colour of the paper is readable on each of these colours."""


def time_bars(findings: Findings) -> list[Drawing]:
    """Draw a bar for each drawn cell of which it is known where sessions' time went."""
    cells = _drawn(findings)
    if not cells:
        return []
    labels = [cell_label(each.cell) for each in cells]
    rows: dict[str, Rows] = {"parts": [], "markers": [], "texts": []}
    for label, cell in zip(labels, cells, strict=True):
        _add_bar(rows, label, cell.time)
    left = width_of(labels) + 10
    words = clauses(labelled(cell_label(each.cell), time_words(each.time)) for each in cells)
    return [Drawing("", draw(specify(_chart(left)), rows, say("Where time went"), words))]


def time_legend(findings: Findings) -> Legend:
    """Return the kinds that are drawn, with the mark of each."""
    drawn = {share.kind for cell in _drawn(findings) for share in cell.time if share.share > 0}
    marks = [(say(TIMES[kind]), mark) for kind, mark in MARKS.items() if kind in drawn]
    return Legend(say("time in"), marks, say("Colours and markers of kinds of time"))


def _drawn(findings: Findings) -> list[CellLimit]:
    drawn = {summary.cell for summary in drawn_cells(findings.cells)}
    return [each for each in findings.limits if each.time and each.cell in drawn]


def _add_bar(rows: dict[str, Rows], label: str, shares: Sequence[TimeShare]) -> None:
    """Add the parts of a cell's bar, in percent, and what stands in those that have room."""
    known = {each.kind: 100 * each.share for each in shares}
    percents = [known.get(kind, 0.0) for kind in MARKS]
    starts = [0.0, *accumulate(percents)]
    for kind, start, percent in zip(MARKS, starts, percents, strict=False):
        if percent <= 0:
            continue
        what, share = say(TIMES[kind]), figures.share(percent / 100)
        named = say("{what} {share}", what=what, share=share)
        part: Part = {"cell": label, "colour": MARKS[kind].colour, "shape": MARKS[kind].shape}
        title = labelled(label, named)
        rows["parts"].append(part | {"from": start, "to": start + percent, "title": title})
        room_px = WIDTH * percent / 100
        if room_px >= MARKER_PX:
            rows["markers"].append(part | {"at": start + _percent(MARKER_AT_PX)})
        if text := _longest(room_px - TEXT_AT_PX, named, share):
            rows["texts"].append(part | {"at": start + _percent(TEXT_AT_PX), "text": text})


def _percent(pixels: float) -> float:
    return 100 * pixels / WIDTH


def _longest(room_px: float, *texts: str) -> str:
    """Return the first of some texts that has room; "" where none has."""
    return next((text for text in texts if width_of([text]) <= room_px), "")


def _chart(left: int) -> Part:
    """Return bars with room for their labels, in pixels."""
    x: Part = {
        "title": say("share of sessions' active time, %"),
        "scale": {"domain": [0, 100], "nice": False},
        "axis": {"values": list(range(0, 101, 20)), "grid": True},
    }
    y = category("cell", title=None, sort=None, axis={})
    whole = {"x": quantity("from", **x), "x2": {"field": "to"}, "y": y} | TITLE
    whole["fill"] = category("colour", scale=None)
    begin = {"x": quantity("at", **x), "y": y}
    paper: Part = {"fill": "var(--paper)", "opacity": 1}
    return layers(
        *frame(left, WIDTH + 14),
        marks("bar", "parts", whole, height=20, aria=True, stroke="var(--paper)"),
        marks("point", "markers", begin | SHAPE, size=50, strokeWidth=0, **paper),
        marks("text", "texts", begin | {"text": category("text")}, align="left", **paper),
        width=WIDTH,
        height={"step": 28},
    )
