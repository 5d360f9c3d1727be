"""Plots of a few lines with points, each with its name behind its last point."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dbdyno.report.drawing import Rows, draw, specify, width_of
from dbdyno.report.language import clauses
from dbdyno.report.vega_lite import (
    COLOUR,
    TITLE,
    Part,
    category,
    frame,
    layers,
    marks,
    quantity,
    stacked,
)

WIDTH, HEIGHT, LEFT, SPACING = 320, 110, 62, 30
LINE_HEIGHT = 12
"""Of a name, in pixels: names of lines that end close to each other stand one above the other."""


@dataclass(frozen=True)
class Point:
    """``title`` is what a reader sees who points at it."""

    across: float
    value: float
    title: str


@dataclass(frozen=True)
class NamedLine:
    """Points in the order of the axis. A line without a name is the only one of its plot."""

    name: str
    colour: str
    points: Sequence[Point]


def draw_lines(plots: Sequence[tuple[str, Sequence[NamedLine]]], x: Part, title: str) -> str:
    """Draw plots one below the other, each with the title of its axis, and return the SVG."""
    room = width_of(line.name for _, lines in plots for line in lines)
    data = {f"lines{number}": _rows(lines) for number, (_, lines) in enumerate(plots)}
    parts = (_plot(name, axis, x, room) for name, (axis, _) in zip(data, plots, strict=True))
    words = clauses(row["title"] for rows in data.values() for row in rows)
    return draw(specify(stacked(*parts, spacing=SPACING)), data, title, words)


def _rows(lines: Sequence[NamedLine]) -> Rows:
    top = max((point.value for line in lines for point in line.points), default=0.0)
    name_at = names_apart({line.name: line.points[-1].value for line in lines}, top)
    return [
        {
            "across": point.across,
            "value": point.value,
            "name": line.name,
            "colour": line.colour,
            "title": point.title,
            "is_last": point is line.points[-1],
            "name_at": name_at[line.name],
        }
        for line in lines
        for point in line.points
    ]


def names_apart(ends: Mapping[str, float], top: float) -> dict[str, float]:
    """Return where the name of each line stands, which ends at a value; ``top`` is the highest.

    A name stands at the end of its line, or above the name below it.
    """
    step, found, least = top * LINE_HEIGHT / HEIGHT, {}, -math.inf
    for name, end in sorted(ends.items(), key=lambda each: each[1]):
        found[name] = max(end, least)
        least = found[name] + step
    return found


def _plot(dataset: str, title: str, x: Part, room: int) -> Part:
    """Return a plot with so much room for names, in pixels."""
    y = quantity("value", title=title, scale={"zero": True}, axis={"tickCount": 4, "titleX": -LEFT})
    at = {"x": x, "y": y, "detail": category("name")} | COLOUR
    point: Part = {"filled": True, "aria": True, "size": 28, "opacity": 1}
    names = at | {"y": quantity("name_at"), "text": category("name")}
    name: Part = {"align": "left", "dx": 7, "fontSize": 11}
    return layers(
        *frame(LEFT, WIDTH + 14 + room),
        marks("line", dataset, at, strokeWidth=1.5),
        marks("point", dataset, at | TITLE, **point),
        marks("text", dataset, names, only="datum.is_last", **name),
        width=WIDTH,
        height=HEIGHT,
    )
