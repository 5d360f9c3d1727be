"""A plot of a few lines with points, each with its name behind its last point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dbdyno.report.drawing import Rows
from dbdyno.report.vega_lite import COLOUR, TITLE, Part, category, frame, layers, marks, quantity

WIDTH, HEIGHT, LEFT = 320, 110, 62


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


def rows_of(lines: Iterable[NamedLine]) -> Rows:
    """Return the data of a plot."""
    return [
        {
            "across": point.across,
            "value": point.value,
            "name": line.name,
            "colour": line.colour,
            "title": point.title,
            "is_last": point is line.points[-1],
        }
        for line in lines
        for point in line.points
    ]


def plot_of_lines(dataset: str, title: str, x: Part, room: int) -> Part:
    """Return the plot of a dataset of such rows, with so much room for names, in pixels."""
    y = quantity("value", title=title, scale={"zero": True}, axis={"tickCount": 4, "titleX": -LEFT})
    at = {"x": x, "y": y, "detail": category("name")} | COLOUR
    point: Part = {"filled": True, "aria": True, "size": 28, "opacity": 1}
    name: Part = {"align": "left", "dx": 7, "fontSize": 11}
    return layers(
        *frame(LEFT, WIDTH + 14 + room),
        marks("line", dataset, at, strokeWidth=1.5),
        marks("point", dataset, at | TITLE, **point),
        marks("text", dataset, at | {"text": category("name")}, only="datum.is_last", **name),
        width=WIDTH,
        height=HEIGHT,
    )
