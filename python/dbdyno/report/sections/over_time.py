"""Section: throughput and response time over the window, trial by trial."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dbdyno.analysis.findings import Findings
from dbdyno.analysis.throughput import MeasureCode, ThroughputMeasure
from dbdyno.report import drawn, events, panels, series
from dbdyno.report.document.legend import legend_of
from dbdyno.report.document.marks import joined, marked
from dbdyno.report.document.model import Block, Details, Figure, Layout, Section, Strong, Text
from dbdyno.report.grammar import Grammar, choose, name_in_words
from dbdyno.report.language import listed, message, say
from dbdyno.report.words.throughput import title_of_all


def section(findings: Findings) -> Section | None:
    """Return the section; None where no trial is valid."""
    title = say("Over time")
    blocks: list[Block] = list(_figure(findings))
    if any(each.series_of_all for each in findings.cells):
        blocks.append(Details(title_of_all(), list(_figure(_of_all(findings)))))
    return Section("over-time", title, blocks, name=title) if blocks else None


def _of_all(findings: Findings) -> Findings:
    """Return findings whose throughput over time is of all transactions."""
    measure = ThroughputMeasure(
        MeasureCode.TRANSACTIONS, None, findings.measure.period_s, title_of_all()
    )
    cells = tuple(replace(each, series=each.series_of_all) for each in findings.cells)
    return replace(findings, cells=cells, measure=measure)


def _figure(findings: Findings) -> Iterator[Figure]:
    drawings = panels.over_time(findings)
    if drawings:
        yield Figure(
            _caption(findings, choose(findings.factors)),
            drawings,
            Layout.SMALL_MULTIPLES,
            legend_of(findings),
            is_paired=True,
        )


def _caption(findings: Findings, grammar: Grammar) -> Text:
    lines = marked(
        message("{all} One line a round; the later the round, the stronger the line."),
        all=Strong(say("Every interval of every trial.")),
    )
    shared = (
        say(
            "Panels that differ only in {factor} share their throughput axis.",
            factor=listed(map(name_in_words, grammar.compared)),
        )
        if grammar.compared
        else ""
    )
    times = (
        say("The axis of times is logarithmic and the same everywhere.")
        if findings.imported
        else say("The axis of response time is logarithmic and the same everywhere.")
    )
    notes = (series.note(findings), events.note(findings), drawn.note(findings))
    return joined(lines, shared, times, *notes)
