"""Section: throughput and response time over the window, trial by trial."""

from __future__ import annotations

from dbdyno.analysis.findings import Findings
from dbdyno.report import drawn, events, panels, series
from dbdyno.report.document.legend import legend_of
from dbdyno.report.document.marks import joined, marked
from dbdyno.report.document.model import Figure, Layout, Section, Strong, Text
from dbdyno.report.grammar import Grammar, choose
from dbdyno.report.language import message, say


def section(findings: Findings) -> Section | None:
    """Return the section; None where no trial is valid."""
    drawings = panels.over_time(findings)
    if not drawings:
        return None
    grammar = choose(findings.factors)
    title = say("Over time")
    figure = Figure(
        _caption(findings, grammar),
        drawings,
        Layout.SMALL_MULTIPLES,
        legend_of(findings),
        is_paired=True,
    )
    return Section("over-time", title, [figure], name=title)


def _caption(findings: Findings, grammar: Grammar) -> Text:
    lines = marked(
        message("{all} One line a round; the later the round, the stronger the line."),
        all=Strong(say("Every interval of every trial.")),
    )
    shared = (
        say(
            "Panels that differ only in {factor} share their throughput axis.",
            factor=grammar.colour.name,
        )
        if grammar.colour
        else ""
    )
    times = (
        say("The axis of times is logarithmic and the same everywhere.")
        if findings.imported
        else say("The axis of response time is logarithmic and the same everywhere.")
    )
    notes = (series.note(findings), events.note(findings), drawn.note(findings))
    return joined(lines, shared, times, *notes)
