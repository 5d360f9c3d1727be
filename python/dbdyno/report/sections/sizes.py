"""Section: how large the tables were, where servers were asked."""

from __future__ import annotations

from dbdyno.analysis.findings import CellSummary, Findings, SizeSummary
from dbdyno.report import sizes
from dbdyno.report.document import cells
from dbdyno.report.document.model import Block, Body, Cell, Paragraph, Role, Section, Table
from dbdyno.report.language import clauses, say


def section(findings: Findings) -> Section | None:
    """Return the section; None where no size was asked for."""
    known = [(each, each.size) for each in findings.cells if each.size is not None]
    if not known:
        return None
    blocks: list[Block] = [
        Paragraph(say(sizes.DEFINITION), Role.MUTED),
        _table(findings, known),
        *(Paragraph(remark, Role.MUTED) for remark in sizes.size_remarks(findings)),
    ]
    if sources := clauses(sizes.size_sources(findings)):
        asked = say("Asked for the sizes on disk: {sources}.", sources=sources)
        blocks.append(Paragraph(asked, Role.MUTED))
    title = say("Size")
    return Section("size", title, blocks, name=title)


def _table(findings: Findings, known: list[tuple[CellSummary, SizeSummary]]) -> Table:
    headings = [
        say("size on disk"),
        say("logical size"),
        say("ratio"),
        say("on disk by logical"),
        say("growth in a trial"),
        say("data directory, logs included"),
    ]
    rows = [
        [*cells.level_headers(summary.cell, findings.factors), *_sizes(size)]
        for summary, size in known
    ]
    return Table(
        label=say("Sizes of the tables"),
        caption=say("Sizes of the tables, and what they grew by on disk in a trial, on average"),
        columns=[*cells.level_columns(findings.factors), *map(cells.number, headings)],
        bodies=[Body(rows)],
        id="sizes",
    )


def _sizes(size: SizeSummary) -> list[Cell]:
    return [
        cells.words(size.disk_bytes, sizes.in_bytes(size.disk_bytes)),
        cells.words(size.logical_bytes, sizes.logical(size)),
        cells.words(size.ratio, sizes.ratio(size)),
        cells.share(size.disk_share),
        cells.words(size.growth_bytes, sizes.grown(size.growth_bytes)),
        cells.words(size.directory_bytes, sizes.in_bytes(size.directory_bytes)),
    ]
