"""The scalability law in the chart of throughput against clients: curve, band and peak."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.findings import CellSummary
from dbdyno.analysis.scaling.model import Law, Peak, PeakStanding, Scaling
from dbdyno.analysis.throughput import ThroughputMeasure
from dbdyno.report.drawing import Rows
from dbdyno.report.grammar import Grammar
from dbdyno.report.language import listed
from dbdyno.report.vega_lite import COLOUR, TITLE, Part, category, marks, quantity
from dbdyno.report.words.scaling import peak_in_words

BAND_OPACITY = 0.16


def law_of(cell: CellSummary, scaling: Sequence[Scaling]) -> Law | None:
    """Return the law that is told of a cell and of those that differ in its clients alone."""
    told = _told_of(cell, scaling)
    return told.law if told else None


def _told_of(cell: CellSummary, scaling: Sequence[Scaling]) -> Scaling | None:
    return next((s for s in scaling if cell.cell.without(s.factor) == s.others), None)


def curve_layers(x: Part, y: Part) -> list[Part]:
    """Return what is drawn below the points: the band of a curve, the curve, and its peak."""
    band = {"x": x, "y": quantity("low", **y), "y2": {"field": "high"}}
    band["fill"] = category("colour", scale=None)
    curve = {"x": x, "y": quantity("value", **y)} | COLOUR
    peak = {"x": x, "y": quantity("low", **y), "y2": {"field": "value"}} | COLOUR | TITLE
    return [
        marks("area", "curves", band, opacity=BAND_OPACITY),
        marks("line", "curves", curve, strokeWidth=1.5),
        marks("rule", "peaks", peak, strokeDash=[2, 3], strokeWidth=1.5, aria=True),
    ]


def curve_rows(
    grammar: Grammar,
    cells: Sequence[CellSummary],
    scaling: Sequence[Scaling],
    measure: ThroughputMeasure,
    end: float,
) -> dict[str, Rows]:
    """Return a row for each point of the curves, up to the axis' end, and for each peak."""
    told = {grammar.mark(cell.cell).colour: _told_of(cell, scaling) for cell in cells}
    curves: Rows = []
    peaks: Rows = []
    for colour, each in told.items():
        if each is None or each.law is None:
            continue
        for point in each.law.curve:
            ends = (point.per_s.low, point.per_s.value, point.per_s.high)
            low, value, high = (min(measure.of(each), end) for each in ends)
            row = {"across": point.clients, "low": low, "value": value, "high": high}
            curves.append(row | {"colour": colour})
        peaks += _peak_rows(each, each.law.peak, measure, end, colour)
    return {"curves": curves, "peaks": peaks}


def _peak_rows(
    scaling: Scaling, peak: Peak, measure: ThroughputMeasure, end: float, colour: str
) -> Rows:
    if peak.standing is not PeakStanding.WITHIN or not (peak.clients and peak.throughput_per_s):
        return []
    value = min(measure.of(peak.throughput_per_s.value), end)
    words = peak_in_words(scaling, peak, measure)
    title = listed([*(level for _, level in scaling.others.levels), words])
    row = {"across": peak.clients.value, "low": 0, "value": value}
    return [row | {"colour": colour, "title": title}]
