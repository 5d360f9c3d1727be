"""A table of the load at which throughput was highest, and of what more load does to it."""

from __future__ import annotations

from dbdyno.analysis.compare.peaks import MeasuredPeak, find_peaks
from dbdyno.analysis.findings import Findings
from dbdyno.report import figures
from dbdyno.report.document import cells
from dbdyno.report.document.model import Body, Cell, Column, Table
from dbdyno.report.grammar import grouped_cells
from dbdyno.report.language import say
from dbdyno.report.words.throughput import measure_heading


def peak_table(findings: Findings) -> list[Table]:
    """Return the table; nothing without a number of clients at three levels or more."""
    peaks = {each.best.cell: each for each in find_peaks(findings.cells, findings.factors)}
    if not peaks:
        return []
    load = next(iter(peaks.values())).load
    others = tuple(each for each in findings.factors if each is not load)
    best = [each.best for each in peaks.values()]
    rows = [
        _row(heading, peaks[each.cell], findings)
        for heading, members in grouped_cells(best, others)
        for each in members
    ]
    unit = measure_heading(findings.measure)
    columns = [
        Column(say("cells")),
        cells.number(say("highest mean, {measure}", measure=unit)),
        cells.number(say("at {factor}", factor=load.name)),
        cells.number(say("at the highest load, {measure}", measure=unit)),
        cells.number(say("change from the highest mean")),
    ]
    caption = say(
        "Highest mean, and what is left of it at the highest load. Intervals are paired by round, "
        "for each by itself; that the highest was chosen makes a fall look larger than it is"
    )
    return [Table(say("Highest throughput"), caption, columns, [Body(rows)], id="peaks")]


def _row(heading: str, peak: MeasuredPeak, findings: Findings) -> list[Cell]:
    measure = findings.measure
    change = figures.effect_of(peak.change) if peak.change else None
    return [
        cells.header(heading or say("all")),
        cells.rate(measure.of(peak.best.throughput_per_s.mean)),
        Cell(peak.best.cell.level(peak.load.name)),
        cells.rate(measure.of(peak.last.throughput_per_s.mean)),
        cells.NONE if change is None else Cell(" ".join(change)),
    ]
