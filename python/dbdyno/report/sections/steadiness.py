"""Section: how steady throughput was within trials, and its worst dips."""

from __future__ import annotations

from dbdyno.analysis.findings import Findings
from dbdyno.analysis.steadiness.model import CellSteadiness, Dip
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
    Tone,
)
from dbdyno.report.language import say
from dbdyno.report.words.steadiness import (
    beside_in_words,
    changes_in_words,
    dips_in_words,
    meaning,
    trend_in_words,
)


def section(findings: Findings) -> Section | None:
    """Return the section; None where no trial has enough intervals."""
    if not findings.steadiness.cells:
        return None
    title = say("Steadiness")
    blocks: list[Block] = [
        Paragraph(meaning(), Role.MUTED),
        _cells(findings),
        Paragraph(dips_in_words(findings)),
    ]
    if changes := changes_in_words(findings):
        blocks.append(Paragraph(changes))
    if findings.steadiness.worst:
        blocks.append(_dips(findings))
    return Section("steadiness", title, blocks, name=title)


def _cells(findings: Findings) -> Table:
    headings = (
        say("trials"),
        say("coefficient of variation"),
        say("P5 by median"),
        say("P95 by median"),
        say("trend over the window"),
        say("95 % interval"),
        say("dips"),
        say("trials with dips"),
        say("time in dips"),
    )
    rows = [
        [*cells.level_headers(each.cell, findings.factors), *_figures(each)]
        for each in findings.steadiness.cells
    ]
    return Table(
        label=say("Steadiness of each cell"),
        caption=say("Throughput within trials, over the valid trials of a cell"),
        columns=[*cells.level_columns(findings.factors), *map(cells.number, headings)],
        bodies=[Body(rows)],
        id="steady",
    )


def _figures(cell: CellSteadiness) -> list[Cell]:
    change, interval = trend_in_words(cell)
    tone = Tone.APART if cell.is_changing else Tone.NONE
    return [
        cells.count(cell.trials),
        cells.share(cell.variation.mean),
        cells.share(cell.p5_share),
        cells.share(cell.p95_share),
        cells.words(cell.change_share, change, tone),
        Cell(interval),
        cells.count(cell.dips),
        cells.count(cell.trials_with_dips),
        cells.share(cell.dipped_share),
    ]


def _dips(findings: Findings) -> Table:
    headings = (
        say("trial"),
        say("begins at (s)"),
        say("lasts (s)"),
        say("lowest by median"),
        say("not done (s of the median)"),
    )
    rows = [
        [*cells.level_headers(cell, findings.factors), *_dip(dip)]
        for cell, dip in findings.steadiness.worst
    ]
    return Table(
        label=say("Worst dips"),
        caption=say(
            "Dips. Beside: what the server counted in the same readings, and not in most others; "
            "it need not be the cause."
        ),
        columns=[
            *cells.level_columns(findings.factors),
            *map(cells.number, headings),
            Column(say("beside")),
        ],
        bodies=[Body(rows)],
        id="dips",
    )


def _dip(dip: Dip) -> list[Cell]:
    return [
        cells.count(dip.trial),
        cells.rate(dip.start_s),
        cells.rate(dip.duration_s),
        cells.share(dip.lowest_share),
        cells.rate(dip.lost_s),
        Cell(beside_in_words(dip)),
    ]
