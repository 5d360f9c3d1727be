"""Section: what hosts, servers and generators used."""

from __future__ import annotations

from dbdyno.analysis.findings import Findings
from dbdyno.report import usage
from dbdyno.report.document import cells
from dbdyno.report.document.model import (
    Block,
    Body,
    Cell,
    Column,
    Figure,
    Layout,
    Paragraph,
    Role,
    Section,
    Table,
)
from dbdyno.report.language import say
from dbdyno.report.usage import UsageCell, UsageGroup, UsageRow
from dbdyno.report.usage_curves import usage_curves
from dbdyno.resources import LOCAL_HOST


def section(findings: Findings) -> Section | None:
    """Return the section; None where nothing is known."""
    groups = usage.groups(findings)
    if not groups:
        return None
    meaning = say(
        "The mean over the windows of a cell's valid trials; in small print the p95 of the "
        "intervals, of the trial in which it was highest. For available memory it is the p5, of "
        "the trial in which it was lowest. Disks and network interfaces that were not used are "
        "left out."
    )
    title = say("Resources")
    blocks: list[Block] = []
    if drawings := usage_curves(findings):
        caption = say(
            "Throughput, busy CPUs and network against load. A line for each host and each server."
        )
        blocks.append(Figure(caption, drawings, Layout.SMALL_MULTIPLES))
    blocks += [Paragraph(meaning, Role.MUTED), _table(findings, groups)]
    return Section("resources", title, blocks, name=title)


def _table(findings: Findings, groups: list[UsageGroup]) -> Table:
    used = say("used")
    headings = [each.cell.label() if findings.factors else used for each in findings.cells]
    return Table(
        label=say("Resources"),
        caption=say("What was used in the window"),
        columns=[Column(say("resource")), *map(cells.number, headings)],
        bodies=[Body(list(map(_row, group.rows)), _heading(group.host)) for group in groups],
        id="usage",
    )


def _heading(host: str) -> str:
    if host == LOCAL_HOST:
        return say("host {host} (where dbdyno ran)", host=host)
    return say("host {host}", host=host)


def _row(row: UsageRow) -> list[Cell]:
    return [cells.header(row.label), *map(_cell, row.cells)]


def _cell(used: UsageCell | None) -> Cell:
    return cells.NONE if used is None else Cell(used.mean, value=used.value, below=used.p95)
