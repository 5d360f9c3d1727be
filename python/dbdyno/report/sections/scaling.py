"""Section: how throughput grows with clients, by the scalability law."""

from __future__ import annotations

from dbdyno.analysis.findings import Findings
from dbdyno.analysis.scaling.model import Law, PeakStanding, Scaling, Span
from dbdyno.report import figures
from dbdyno.report.document import cells
from dbdyno.report.document.model import (
    Block,
    Body,
    Cell,
    Column,
    Paragraph,
    Role,
    Section,
    Table,
)
from dbdyno.report.document.peak_table import peak_table
from dbdyno.report.language import say, say_count
from dbdyno.report.words.scaling import (
    DEFINITION,
    clients_interval,
    extrapolation_sentences,
    scaling_sentences,
)
from dbdyno.report.words.throughput import measure_heading

_PERCENT = 100.0
_MILLIONTHS = 1e6


def section(findings: Findings) -> Section | None:
    """Return the section; None where the number of clients is no factor."""
    if not findings.scaling:
        return None
    title = say("Scaling")
    blocks: list[Block] = [
        *peak_table(findings),
        Paragraph(say(DEFINITION), Role.MUTED),
        *map(Paragraph, scaling_sentences(findings)),
    ]
    if any(each.law for each in findings.scaling):
        blocks += [_table(findings), *map(Paragraph, extrapolation_sentences(findings))]
    return Section("scaling", title, blocks, name=title)


def _table(findings: Findings) -> Table:
    unit = measure_heading(findings.measure)
    headings = (
        say("one client alone, λ ({unit})", unit=unit),
        say("contention σ (%)"),
        say("coherency κ (millionths)"),
        say("peak N* (clients)"),
        say("throughput there ({unit})", unit=unit),
        say("off the curve by"),
    )
    rows = [
        _row(scaling, scaling.law, findings)
        for scaling in findings.scaling
        if scaling.law is not None
    ]
    return Table(
        label=say("Scalability law"),
        caption=say("Parameters of the law, each with its 95 % interval"),
        columns=[Column(say("cells")), *map(cells.number, headings)],
        bodies=[Body(rows)],
        id="laws",
    )


def _row(scaling: Scaling, law: Law, findings: Findings) -> list[Cell]:
    period_s = findings.measure.period_s
    return [
        cells.header(_cells_in_words(scaling)),
        _span(law.lambda_per_s, period_s),
        _span(law.contention, _PERCENT),
        _span(law.coherency, _MILLIONTHS),
        _clients(scaling, law),
        _span(law.peak.throughput_per_s, period_s),
        cells.share(scaling.misfit),
    ]


def _cells_in_words(scaling: Scaling) -> str:
    return say_count(
        "{cells}, {levels} × {count} round",
        "{cells}, {levels} × {count} rounds",
        scaling.rounds,
        cells=scaling.others.label() if scaling.others.levels else say("all"),
        levels=len(scaling.clients),
    )


def _span(span: Span | None, times: float) -> Cell:
    """Return a figure that is so many times a span, and below it the interval."""
    if span is None:
        return cells.NONE
    value, low, high = (each * times for each in (span.value, span.low, span.high))
    return Cell(figures.rate(value), value=value, below=figures.rate_interval(value, low, high))


def _clients(scaling: Scaling, law: Law) -> Cell:
    clients = law.peak.clients
    if clients is None:
        return cells.NONE
    text = figures.count(clients.value)
    if law.peak.standing is PeakStanding.EXTRAPOLATED:
        text = say("{clients} (extrapolated)", clients=text)
    return Cell(text, value=clients.value, below=clients_interval(clients, scaling.told_to))
