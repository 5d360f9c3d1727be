"""Plots over the seconds of the window: what all panels of them share, whatever they show."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.report.language import say
from dbdyno.report.series import MOST_LINES
from dbdyno.report.time_axis import LEFT
from dbdyno.report.vega_lite import COLOUR, Part, category, frame, layers, marks, quantity

WIDTH = 250
"""Of a plot, in pixels; labels and titles stand in the room that ``frame`` keeps."""
RIGHT = WIDTH + 12
SPACING = 26
"""Between a panel's plots, in pixels."""


def plot_over_seconds(dataset: str, y: Part, *others: Part, height: int, is_last: bool) -> Part:
    """Return one plot, with a line a round; the last one of a panel carries the seconds' labels."""
    x, opacity = seconds_axis(is_last=is_last), quantity("opacity", scale=None)
    channels = {"x": x, "y": y, "opacity": opacity, "detail": category("line")} | COLOUR
    lines = marks("line", dataset, channels, strokeWidth=1.2)
    return layers(*frame(LEFT, RIGHT), *others, lines, width=WIDTH, height=height)


def seconds_axis(*, is_last: bool) -> Part:
    """Return the axis of a plot, which has labels below the last one of a panel only.

    It begins with the first interval in each plot of a panel, whatever its marks are.
    """
    axis = {"tickCount": 6, "labels": is_last, "ticks": is_last}
    title = say("seconds since the window began") if is_last else None
    return quantity("s", title=title, axis=axis, scale={"nice": False, "zero": False})


def unseen_end(dataset: str, y: Part) -> Part:
    """Return a mark that nobody sees: its value is where a plot's axis ends."""
    return marks("point", dataset, {"x": {"value": 0}, "y": y}, color="transparent", size=0)


def opacity_of(place: int, lines: int) -> float:
    """Return how strong a line is, the first being 1: later rounds are, so that drift shows."""
    return round(0.3 + 0.7 * place / lines, 2)


def rounds_told(rounds: Sequence[int]) -> str:
    """Return the names of lines for the page's script; "" where three lines stand for many rounds.

    The page has their names then.
    """
    return " ".join(map(str, rounds)) if len(rounds) <= MOST_LINES else ""
