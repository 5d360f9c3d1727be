"""Plots over the seconds of the window: what all panels of them share, whatever they show."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from dbdyno.report.drawing import COLOUR, frame
from dbdyno.report.language import say
from dbdyno.report.series import MOST_LINES
from dbdyno.report.time_axis import LEFT

WIDTH = 250
"""Of a plot, in pixels; labels and titles stand in the room that ``frame`` keeps."""
RIGHT = WIDTH + 12
SPACING = 26
"""Between a panel's plots, in pixels."""


def plot_over_seconds(
    dataset: str, y: alt.Y, *layers: alt.Chart, is_last: bool
) -> alt.LayerChart | alt.FacetChart:
    """Return one plot, with a line a round; the last one of a panel carries the seconds' labels."""
    opacity = alt.Opacity("opacity:Q", scale=None)
    lines = alt.Chart(alt.NamedData(dataset)).mark_line(strokeWidth=1.2)
    lines = lines.encode(seconds_axis(is_last=is_last), y, COLOUR, opacity, detail="line:N")
    return alt.layer(*frame(LEFT, RIGHT), *layers, lines)


def seconds_axis(*, is_last: bool) -> alt.X:
    """Return the axis of a plot, which has labels below the last one of a panel only.

    It begins with the first interval in each plot of a panel, whatever its marks are.
    """
    axis = alt.Axis(tickCount=6, labels=is_last, ticks=is_last)
    title = say("seconds since the window began") if is_last else None
    return alt.X("s:Q", title=title, axis=axis, scale=alt.Scale(nice=False, zero=False))


def unseen_end(dataset: str, y: alt.Y) -> alt.Chart:
    """Return a mark that nobody sees: its value is where a plot's axis ends."""
    mark = alt.Chart(alt.NamedData(dataset)).mark_point(color="transparent", size=0)
    end: alt.Chart = mark.encode(x=alt.value(0), y=y)
    return end


def opacity_of(place: int, lines: int) -> float:
    """Return how strong a line is, the first being 1: later rounds are, so that drift shows."""
    return round(0.3 + 0.7 * place / lines, 2)


def rounds_told(rounds: Sequence[int]) -> str:
    """Return the names of lines for the page's script; "" where three lines stand for many rounds.

    The page has their names then.
    """
    return " ".join(map(str, rounds)) if len(rounds) <= MOST_LINES else ""
