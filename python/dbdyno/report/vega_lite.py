"""A chart in the words of Vega-Lite: marks on named data, one above another or one below another.

These are plain parts of its specification. A library that makes and checks them takes longer to
load, and to do so, than a report takes to draw all its charts.
"""

from __future__ import annotations

from typing import Any

Part = dict[str, Any]
"""A part of a specification, as Vega-Lite has it."""

ONCE = "once"
"""The data of what is drawn once, whatever the figures are."""


def quantity(field: str, **options: object) -> Part:
    """Return a channel that shows a field of numbers."""
    return {"field": field, "type": "quantitative", **options}


def category(field: str, **options: object) -> Part:
    """Return a channel that shows a field of names."""
    return {"field": field, "type": "nominal", **options}


COLOUR: Part = {"color": category("colour", scale=None)}
SHAPE: Part = {"shape": category("shape", scale=None)}
TITLE: Part = {"description": category("title")}
"""Of a mark with ``aria=True``: what is shown of it when it is pointed at."""


def marks(kind: str, data: str, channels: Part, *, only: str = "", **style: object) -> Part:
    """Return a mark for each row of the data, or for those alone where ``only`` is true."""
    chosen: Part = {"transform": [{"filter": only}]} if only else {}
    known = {"data": {"name": data}, "mark": {"type": kind, **style}, "encoding": channels}
    return known | chosen


def layers(*parts: Part, width: int, height: int | Part) -> Part:
    """Return a plot of marks, the last one on top; its size is in pixels, or a ``step`` a name."""
    return {"layer": list(parts), "width": width, "height": height}


def stacked(*plots: Part, spacing: int) -> Part:
    """Return plots one below the other, so many pixels apart."""
    return {"vconcat": list(plots), "spacing": spacing}


def frame(left: int, right: int) -> list[Part]:
    """Return unseen marks that keep room beside the axes, however long their labels are.

    Panels that stand side by side are then equally wide and equally scaled.
    """
    ends: list[Part] = [{"x": {"value": x}, "y": {"value": 0}} for x in (-left, right)]
    return [marks("point", ONCE, end, color="transparent", size=0) for end in ends]
