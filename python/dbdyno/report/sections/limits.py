"""Section: what throughput was limited by, with the evidence and with what nobody watched."""

from __future__ import annotations

from dbdyno.analysis.bottleneck.model import CellLimit
from dbdyno.analysis.findings import Findings
from dbdyno.report import drawn, figures
from dbdyno.report.document import cells
from dbdyno.report.document.marks import joined, marked
from dbdyno.report.document.model import (
    Block,
    Body,
    Bullets,
    Cell,
    Column,
    Figure,
    Layout,
    Paragraph,
    Role,
    Section,
    Strong,
    Table,
)
from dbdyno.report.language import message, say
from dbdyno.report.time_bars import time_bars, time_legend
from dbdyno.report.words.limits import (
    NO_TRIALS,
    NOTHING,
    all_unknown,
    certainty_word,
    limit_evidence,
    limit_name,
    not_growing_words,
    time_words,
)


def section(findings: Findings) -> Section | None:
    """Return the section; None where no trial is valid."""
    if not any(each.trials for each in findings.limits):
        return None
    title = say("Limits")
    explanation = say(
        "Something is named where it was at its limit and work waited for it: as shown where the "
        "waiting grew with load while the use did not fall by more than a twentieth, as likely "
        "where load was not varied (METHODOLOGY.md). Stolen CPU time counts as used. Figures are "
        "means of the trials that judge it, with the lowest and the highest. Where several "
        "are named, each was found in half of a cell's valid trials at least, not always in "
        "the same ones."
    )
    blocks: list[Block] = [Paragraph(explanation, Role.MUTED), _limits(findings)]
    if any(each.time for each in findings.limits):
        blocks += [*_bars(findings), _time(findings)]
    if unknown := all_unknown(findings.limits):
        blocks.append(Paragraph(say("Not known, so that it may have been a limit all the same:")))
        blocks.append(Bullets(unknown))
    return Section("limits", title, blocks, name=title)


def _limits(findings: Findings) -> Table:
    headings = (say("limit"), say("evidence"), say("certainty"))
    return Table(
        label=say("Limits"),
        caption=say("What limited each cell"),
        columns=[*cells.level_columns(findings.factors), *map(Column, headings)],
        bodies=[_body(each, findings) for each in findings.limits],
        id="limits-table",
    )


def _body(cell: CellLimit, findings: Findings) -> Body:
    """Return a row for each limit of a cell, or one that says why there is none."""
    rows = [
        [
            Cell(limit_name(each)),
            Cell(limit_evidence(each, cell.trials)),
            Cell(certainty_word(each)),
        ]
        for each in cell.limits
    ]
    if not rows:
        found = say(NOTHING if cell.trials else NO_TRIALS)
        evidence = not_growing_words(cell) or figures.ABSENT
        rows = [[Cell(found), Cell(evidence), cells.NONE]]
    first, *others = rows
    headers = cells.level_headers(cell.cell, findings.factors, len(rows))
    return Body([[*headers, *first], *others])


def _bars(findings: Findings) -> list[Figure]:
    """Return where time went as a drawing; nothing where none of those cells is drawn."""
    drawings = time_bars(findings)
    if not drawings:
        return []
    caption = marked(
        message(
            "{time} A bar is all of the time that sessions of a cell were active. Each part has "
            "the marker of its kind where there is room for it; the table below has all shares."
        ),
        time=Strong(say("Where sessions' time went.")),
    )
    caption = joined(caption, drawn.note(findings))
    return [Figure(caption, drawings, Layout.WIDE, time_legend(findings))]


def _time(findings: Findings) -> Table:
    rows = [
        [*cells.level_headers(each.cell, findings.factors), Cell(time_words(each.time))]
        for each in findings.limits
        if each.time
    ]
    return Table(
        label=say("Where time went"),
        caption=say(
            "Where sessions' time went, without waits for clients. Of MySQL and MariaDB, threads "
            "in the background are in it."
        ),
        columns=[
            *cells.level_columns(findings.factors),
            Column(say("share of sessions' active time")),
        ],
        bodies=[Body(rows)],
        id="time-table",
    )
