"""Small multiples of errors per second over the window: a panel a cell, a plot a class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dbdyno.analysis.errors.model import CellErrors, ErrorSeries
from dbdyno.analysis.findings import Findings
from dbdyno.report import figures
from dbdyno.report.drawing import (
    Drawing,
    Rows,
    Specification,
    draw,
    specify,
)
from dbdyno.report.drawn import CELLS_OF_MANY, MOST_CELLS, spread
from dbdyno.report.grammar import choose
from dbdyno.report.language import say, sentences
from dbdyno.report.over_seconds import (
    SPACING,
    WIDTH,
    opacity_of,
    plot_over_seconds,
    rounds_told,
    unseen_end,
)
from dbdyno.report.readable import Attributes, scale, seconds
from dbdyno.report.series import (
    FEWEST_POINTS,
    MOST_POINTS,
    Line,
    few_lines,
    line_count,
    note_on_lines,
    points,
)
from dbdyno.report.time_axis import LEFT
from dbdyno.report.vega_lite import Part, quantity, stacked
from dbdyno.report.words.errors import panel_heading, panel_in_words

HEIGHT = 56
"""Of a plot, in pixels."""

MOST_CLASSES = 3
"""Of a panel: the most frequent ones. The table has all."""

MOST_POINTS_IN_ALL = 50_000
"""Of all panels; they are a third of a megabyte of the page."""


def errors_over_time(findings: Findings) -> list[Drawing]:
    """Draw the errors per second of every interval; a line a round."""
    cells = drawn(findings)
    grammar = choose(findings.factors)
    most = _most_points(cells)
    specifications: dict[tuple[str, ...], Specification] = {}
    drawings = []
    for cell in cells:
        plots = {name: _lines(cell.series, name) for name in _classes(cell)}
        highest = {name: max(_highest(line) for line in lines) for name, lines in plots.items()}
        data: dict[str, Rows] = {}
        for place, (name, lines) in enumerate(plots.items()):
            data[f"lines{place}"] = _rows(lines, grammar.mark(cell.cell).colour, most)
            data[f"highest{place}"] = [{"per_s": highest[name]}]
        heading = panel_heading(cell)
        title = say("Errors per second over time: {cell}", cell=heading)
        classes = tuple(plots)
        if classes not in specifications:
            specifications[classes] = _specification(classes)
        read = _read_by(cell, plots, highest)
        svg = draw(specifications[classes], data, title, panel_in_words(cell), read)
        drawings.append(Drawing(heading, svg))
    return drawings


def note(findings: Findings) -> str:
    """Return which errors are drawn, where those are not all."""
    cells = drawn(findings)
    rounds = max((len(cell.series) for cell in cells), default=0)
    longest = max((len(each.start_s) for cell in cells for each in cell.series), default=0)
    lines = note_on_lines(rounds, longest, _most_points(cells))
    return sentences([_note_on_panels(findings), _note_on_classes(findings), lines])


def drawn(findings: Findings) -> Sequence[CellErrors]:
    """Return the cells with errors that are drawn, from the fewest errors to the most."""
    return spread(findings.errors.cells, lambda cell: cell.count)


def _classes(cell: CellErrors) -> list[str]:
    return list(cell.by_class)[:MOST_CLASSES]


def _most_points(cells: Sequence[CellErrors]) -> int:
    """Return how many points a line may have, so that those of all panels fit into a page."""
    lines = sum(len(_classes(cell)) * line_count(len(cell.series)) for cell in cells)
    return min(MOST_POINTS, max(MOST_POINTS_IN_ALL // max(lines, 1), FEWEST_POINTS))


def _lines(series: Sequence[ErrorSeries], name: str) -> Sequence[Line]:
    """Return the lines of one class; a trial that had none of it has a line at zero."""
    lines = []
    for each in series:
        counts = each.by_class.get(name, np.zeros(len(each.start_s)))
        unknown = np.full(len(each.start_s), np.nan)
        lines.append(Line(each.start_s, counts / each.duration_s, unknown))
    return few_lines(lines)


def _highest(line: Line) -> float:
    return 1.05 * float(line.per_s.max(initial=0.0))


def _rows(lines: Sequence[Line], colour: str, most: int) -> Rows:
    """Return a row for each point."""
    return [
        {
            "line": place,
            "colour": colour,
            "opacity": opacity_of(place, len(lines)),
            "s": start_s,
            "per_s": per_s,
        }
        for place, line in enumerate(lines, start=1)
        for start_s, per_s in points(line.start_s, line.per_s, most)
    ]


def _read_by(
    cell: CellErrors, plots: dict[str, Sequence[Line]], highest: dict[str, float]
) -> Attributes:
    """Return what the page's script needs to tell the values of a panel."""
    return {
        "seconds": seconds((line.start_s for lines in plots.values() for line in lines), WIDTH),
        "plots": ",".join(scale("linear", (0, highest[name]), HEIGHT) for name in plots),
        "rounds": rounds_told([each.round for each in cell.series]),
    }


def _specification(classes: Sequence[str]) -> Specification:
    """Return the plots of some classes, one below the other."""
    plots = [
        _plot(place, name, is_last=place == len(classes) - 1) for place, name in enumerate(classes)
    ]
    return specify(stacked(*plots, spacing=SPACING))


def _plot(place: int, name: str, *, is_last: bool) -> Part:
    """Return the plot of one class; the last one carries the labels of the seconds."""
    y = quantity(
        "per_s",
        title=say("{error_class}, errors/s", error_class=name),
        scale={"zero": True, "nice": False},
        axis={"tickCount": 3, "format": ",~r", "titleX": -LEFT},
    )
    end = unseen_end(f"highest{place}", y)
    return plot_over_seconds(f"lines{place}", y, end, height=HEIGHT, is_last=is_last)


def _note_on_panels(findings: Findings) -> str:
    count = len(findings.errors.cells)
    if count <= MOST_CELLS:
        return ""
    return say(
        "Of {all} cells with errors, {drawn} are drawn: from the fewest errors to the most, evenly "
        "spread over their ranks.",
        all=figures.count(count),
        drawn=CELLS_OF_MANY,
    )


def _note_on_classes(findings: Findings) -> str:
    if all(len(cell.by_class) <= MOST_CLASSES for cell in findings.errors.cells):
        return ""
    return say("Of each cell, the {most} most frequent classes are drawn.", most=MOST_CLASSES)
