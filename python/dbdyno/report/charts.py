"""The charts of a report: each a function from ``Findings`` to drawings, one a panel.

Throughput axes begin at zero, and panels of the same transactions share one. Times are on
logarithmic axes, every axis names its unit, and a level has the same colour and marker everywhere.
Every measured point is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.findings import CellSummary, Findings
from dbdyno.analysis.throughput import ThroughputMeasure
from dbdyno.experiment.plan import FactorLevels
from dbdyno.report import figures
from dbdyno.report.bars import MOST_BARS, MOST_GROUPS, grouped_bars, rows_of_bars
from dbdyno.report.drawing import (
    Drawing,
    Rows,
    draw,
    label_expression,
    specify,
    width_of,
)
from dbdyno.report.drawn import drawn_cells, is_measured
from dbdyno.report.grammar import Grammar, cell_label, choose, grouped_cells, places
from dbdyno.report.language import clauses, say, sentences
from dbdyno.report.levels import numeric_levels
from dbdyno.report.scaling_curves import curve_layers, curve_rows, law_of
from dbdyno.report.vega_lite import (
    COLOUR,
    SHAPE,
    TITLE,
    Part,
    frame,
    layers,
    marks,
    quantity,
)
from dbdyno.report.words.scaling import scaling_sentences
from dbdyno.report.words.throughput import measure_title, measure_words


def throughput(findings: Findings, view: Grammar | None = None) -> list[Drawing]:
    """Draw geometric means with their 95 % intervals and, smaller, the trials behind them.

    A ``view`` may have lines of several factors, or some of the cells alone.
    """
    grammar, cells = view or choose(findings.factors), throughput_cells(findings)
    if grammar.is_partial:
        cells = [cell for _, members in places(grammar, cells) for cell in members]
    return [
        drawing
        for heading, members in grouped_cells(cells, grammar.work)
        for drawing in _throughput_of_work(grammar, heading, members, findings)
    ]


def _throughput_of_work(
    grammar: Grammar, heading: str, cells: Sequence[CellSummary], findings: Findings
) -> list[Drawing]:
    """Draw cells that carry out the same transactions: their panels share an axis."""
    measure = findings.measure
    end = measure.of(_end_of_axis(cells))
    axis = {
        "title": measure_words(measure),
        "scale": {"domain": [0, end], "nice": False},
        "axis": {"tickCount": 6, "format": ",~f", "grid": grammar.across is not None},
    }
    if grammar.across is None:
        return [Drawing(heading, _throughput_by_name(grammar, cells, measure, end, axis))]
    draw_panel = _throughput_in_groups if has_bars(grammar, findings) else _throughput_across
    return [
        Drawing(panel, draw_panel(grammar, grammar.across, members, findings, end, axis))
        for panel, members in grouped_cells(cells, grammar.panels)
    ]


def has_bars(grammar: Grammar, findings: Findings) -> bool:
    """Tell whether throughput has bars: by name, or at so few loads that a line has no shape."""
    if grammar.across is None:
        return True
    groups = len(grammar.across.levels)
    bars = groups * (len(grammar.colour.levels) if grammar.colour else 1)
    has_curve = any(each.law for each in findings.scaling)
    return groups <= MOST_GROUPS and bars <= MOST_BARS and not has_curve


def throughput_cells(findings: Findings) -> Sequence[CellSummary]:
    """Return the cells that are drawn: lines have all of them, and rows are as many as is usual."""
    measured = [cell for cell in findings.cells if is_measured(cell)]
    return measured if choose(findings.factors).across else drawn_cells(measured)


def _end_of_axis(cells: Sequence[CellSummary]) -> float:
    """Return the end, per second, of an axis that holds every mean and trial.

    It holds the intervals too, up to twice the largest trial: that of few rounds may be so wide
    that nothing else could be told apart.
    """
    trials = [value for cell in cells for _, value in cell.throughput_by_round]
    largest = max(*trials, *(cell.throughput_per_s.mean for cell in cells), 0.0)
    highest = max(cell.throughput_per_s.high or 0.0 for cell in cells)
    return 1.05 * max(largest, min(highest, 2 * largest)) or 1.0


def _throughput_rows(
    grammar: Grammar, cells: Sequence[CellSummary], measure: ThroughputMeasure, end: float
) -> dict[str, Rows]:
    """Return a row for each mean, for each interval up to the axis' end and for each trial."""
    rows: dict[str, Rows] = {"means": [], "intervals": [], "trials": []}
    for cell in cells:
        mark = grammar.mark(cell.cell)
        common: Part = {"colour": mark.colour, "shape": mark.shape}
        common["name"] = grammar.level(cell.cell) if grammar.across else _row_label(grammar, cell)
        if grammar.across:
            common["across"] = grammar.across_value(cell.cell)
            common["group"] = cell.cell.level(grammar.across.name)
        estimate = measure.estimate(cell.throughput_per_s)
        title = _mean_in_words(cell, measure)
        rows["means"].append(common | {"value": estimate.mean, "title": title})
        if estimate.low is not None and estimate.high is not None:
            high = min(estimate.high, end)
            rows["intervals"].append(common | {"low": estimate.low, "high": high})
        rows["trials"] += [
            common
            | {
                "value": measure.of(value),
                "title": _trial_in_words(cell, number, measure.of(value)),
            }
            for number, value in cell.throughput_by_round
        ]
    return rows


def _throughput_across(
    grammar: Grammar,
    across: FactorLevels,
    cells: Sequence[CellSummary],
    findings: Findings,
    end: float,
    y: Part,
) -> str:
    """Draw throughput against a numeric factor, one line a level of the other factor.

    Where the scalability law is told of them, its curve takes the place of the line.
    """
    x, measure = across_axis(across, cells), findings.measure
    without = [cell for cell in cells if law_of(cell, findings.scaling) is None]
    curves = curve_rows(grammar, cells, findings.scaling, measure, end)
    at = {"x": x, "y": quantity("value", **y)} | COLOUR
    interval = {"x": x, "y": quantity("low", **y), "y2": {"field": "high"}} | COLOUR
    chart = layers(
        *frame(_left(end), 640),
        *(curve_layers(x, y) if curves["curves"] else ()),
        marks("line", "joined", at, strokeWidth=1.5),
        *_means_and_trials(at, interval),
        width=620,
        height=280,
    )
    rows = _throughput_rows(grammar, cells, measure, end) | curves
    rows["joined"] = _throughput_rows(grammar, without, measure, end)["means"]
    words = sentences([_throughput_in_words(cells, measure), *scaling_sentences(findings)])
    title = say("{figure} against {factor}", figure=measure_title(measure), factor=across.name)
    return draw(specify(chart), rows, title, words)


def _left(end: float) -> int:
    """Return the room for the labels of an axis that ends there, in pixels."""
    return max(56, width_of([f"{end:,.0f}"]) + 12)


def _throughput_in_groups(
    grammar: Grammar,
    across: FactorLevels,
    cells: Sequence[CellSummary],
    findings: Findings,
    end: float,
    y: Part,
) -> str:
    """Draw throughput at the few levels of a numeric factor, a bar a level of the other factor."""
    measure = findings.measure
    there = {grammar.across_value(cell.cell): cell.cell.level(across.name) for cell in cells}
    groups = [there[value] for value in sorted(there)]
    names = list(dict.fromkeys(grammar.level(cell.cell) for cell in cells))
    chart = grouped_bars(groups, names, y, x=across.name, left=_left(end))
    rows = _throughput_rows(grammar, cells, measure, end)
    words = _throughput_in_words(cells, measure)
    title = say("{figure} by {factor}", figure=measure_title(measure), factor=across.name)
    return draw(specify(chart), rows, title, words)


def across_axis(across: FactorLevels, cells: Sequence[CellSummary]) -> Part:
    """Return the x axis of a numeric factor: logarithmic where its levels span three doublings.

    Levels that none of the cells has are not on it.
    """
    there = {each.cell.level(across.name) for each in cells}
    known = (numeric_levels(across) or {}).items()
    pairs = sorted((value, level) for level, value in known if level in there)
    values, labels = [value for value, _ in pairs], [level for _, level in pairs]
    low, high = values[0], values[-1]
    if low > 0 and high / low >= 8:
        margin = (high / low) ** 0.04
        scale = {"type": "log", "domain": [low / margin, high * margin], "nice": False}
        title = say("{factor} (logarithmic)", factor=across.name)
    else:
        margin = (high - low) * 0.04
        scale = {"domain": [low - margin, high + margin], "nice": False, "zero": False}
        title = across.name
    label = label_expression(values, labels)
    axis = {"values": values, "labelExpr": label, "labelOverlap": "greedy"}
    return quantity("across", title=title, scale=scale, axis=axis)


def _throughput_by_name(
    grammar: Grammar,
    cells: Sequence[CellSummary],
    measure: ThroughputMeasure,
    end: float,
    x: Part,
) -> str:
    """Draw throughput with one row a cell, where no factor is numeric."""
    chart = rows_of_bars(x, width_of(_row_label(grammar, cell) for cell in cells))
    words = _throughput_in_words(cells, measure)
    rows = _throughput_rows(grammar, cells, measure, end)
    title = say("{figure} by cell", figure=measure_title(measure))
    return draw(specify(chart), rows, title, words)


def _row_label(grammar: Grammar, cell: CellSummary) -> str:
    """Return a cell's label; its one level alone where the legend names the factor."""
    levels = cell.cell.levels
    return levels[0][1] if grammar.colour and len(levels) == 1 else cell_label(cell.cell)


def _throughput_in_words(cells: Sequence[CellSummary], measure: ThroughputMeasure) -> str:
    """Return the means and intervals of a chart for those who cannot see it."""
    return say(
        "{measure}, geometric mean and 95 % interval. {cells}.",
        measure=measure_title(measure),
        cells=clauses(_mean_in_words(cell, measure) for cell in cells),
    )


def _mean_in_words(cell: CellSummary, measure: ThroughputMeasure) -> str:
    estimate = measure.estimate(cell.throughput_per_s)
    interval = figures.rate_interval(estimate.mean, estimate.low, estimate.high)
    mean, label = figures.rate(estimate.mean), cell_label(cell.cell)
    return say("{cell}: {mean} {interval}", cell=label, mean=mean, interval=interval)


def _trial_in_words(cell: CellSummary, number: int, value: float) -> str:
    label, written = cell_label(cell.cell), figures.rate(value)
    return say("{cell}, round {round}: {value}", cell=label, round=number, value=written)


def _means_and_trials(at: Part, interval: Part) -> list[Part]:
    """Return large marks of means above their intervals and the smaller ones of trials."""
    point: Part = {"filled": True, "aria": True}
    return [
        marks("point", "trials", at | SHAPE | TITLE, size=24, opacity=0.5, **point),
        marks("errorbar", "intervals", interval, ticks={"size": 9}, thickness=1.5),
        marks("point", "means", at | SHAPE | TITLE, size=80, opacity=1, **point),
    ]
