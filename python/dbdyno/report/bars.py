"""Bars from zero, for throughput at two loads or by name: no line joins what has no shape.

Each bar is a mean. Its 95 % interval and the trials behind it stand on it, in ink, so that they are
seen on bars of every colour.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.report.drawing import INK
from dbdyno.report.vega_lite import COLOUR, TITLE, Part, category, frame, layers, marks, quantity

MOST_GROUPS = 2
"""Of a numeric factor with more levels, lines show a shape; two points have none."""
MOST_BARS = 30
"""More are too thin for an interval."""
WIDTH = 620


def grouped_bars(
    groups: Sequence[str], names: Sequence[str], y: Part, *, x: str, left: int
) -> Part:
    """Return bars in a group for each level of the factor ``x``, all with the same order of names.

    Rows of "means", "intervals" and "trials" have a ``group``, a ``name`` and a ``colour``.
    """
    across = category("group", title=x, sort=list(groups), axis={"labelAngle": 0})
    place = {"x": across, "xOffset": category("name", sort=list(names))}
    at = place | {"y": quantity("value", **y)}
    interval = place | {"y": quantity("low", **y), "y2": {"field": "high"}}
    return layers(*frame(left, WIDTH + 20), *_marks(at, interval), width=WIDTH, height=280)


def rows_of_bars(x: Part, left: int) -> Part:
    """Return a row with a bar for each ``name``, in the order of the data."""
    y = category("name", title=None, sort=None)
    at = {"x": quantity("value", **x), "y": y}
    interval = {"x": quantity("low", **x), "x2": {"field": "high"}, "y": y}
    return layers(*frame(left + 10, 510), *_marks(at, interval), width=480, height={"step": 32})


def _marks(at: Part, interval: Part) -> list[Part]:
    trials: Part = {"filled": True, "color": INK, "opacity": 0.45, "size": 14, "aria": True}
    return [
        marks("bar", "means", at | COLOUR | TITLE, opacity=0.75, aria=True),
        marks("point", "trials", at | TITLE, **trials),
        marks("errorbar", "intervals", interval, ticks={"size": 9}, thickness=1.5, color=INK),
    ]
