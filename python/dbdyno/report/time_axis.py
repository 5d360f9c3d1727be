"""The logarithmic axis of times in milliseconds, which all panels of a figure share."""

from __future__ import annotations

from collections.abc import Iterable

from dbdyno.report.drawing import label_expression, logarithmic_steps
from dbdyno.report.series import is_drawable
from dbdyno.report.vega_lite import Part, quantity

LEFT = 46
"""The room before the axis for its labels, in pixels; its title begins there."""

Steps = tuple[list[float], list[float]]
"""The ends of the axis and its ticks, in milliseconds."""


def time_steps(times_ms: Iterable[float | None], most: int) -> Steps | None:
    """Return an axis with at most so many ticks; None where no time can be drawn."""
    known = [each for each in times_ms if each is not None and is_drawable(each)]
    return logarithmic_steps(known, most) if known else None


def time_axis(field: str, title: str, steps: Steps) -> Part:
    """Return the axis of a field that has milliseconds."""
    domain, ticks = steps
    scale = {"type": "log", "domain": domain, "nice": False}
    labels = [f"{tick:g}" if tick < 1000 else f"{tick:,.0f}" for tick in ticks]
    axis = {"values": ticks, "labelExpr": label_expression(ticks, labels), "titleX": -LEFT}
    return quantity(field, title=title, scale=scale, axis=axis)
