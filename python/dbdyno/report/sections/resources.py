"""Section: what hosts, servers and generators used."""

from __future__ import annotations

from collections.abc import Iterator

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
from dbdyno.report.usage import UsageGroup, UsageRow
from dbdyno.report.usage_curves import usage_curves
from dbdyno.resources import LOCAL_HOST

MOST_COLUMNS = 4
"""So many cells stand beside each other on a page."""


def section(findings: Findings) -> Section | None:
    """Return the section; None where nothing is known."""
    groups = usage.groups(findings)
    if not groups:
        return None
    meaning = say(
        "The mean over the windows of a cell's valid trials; in small print the p95 of the "
        "intervals, of the trial in which it was highest. For available memory it is the p5, of "
        "the trial in which it was lowest. Steal is CPU time that other machines took, IO pressure "
        "the time in which some task waited for a disk. Disks and network interfaces that were not "
        "used are left out."
    )
    title = say("Resources")
    blocks: list[Block] = []
    if drawings := usage_curves(findings):
        caption = say(
            "Throughput, busy CPUs and network against load. A line for each host and each server."
        )
        blocks.append(Figure(caption, drawings, Layout.SMALL_MULTIPLES))
    blocks += [Paragraph(meaning, Role.MUTED), *_tables(findings, groups)]
    return Section("resources", title, blocks, name=title)


def _tables(findings: Findings, groups: list[UsageGroup]) -> Iterator[Table]:
    """Yield one table where each cell has a column; of more cells one for each host, in rows."""
    if len(findings.cells) <= MOST_COLUMNS:
        used = say("used")
        headings = [each.cell.label() if findings.factors else used for each in findings.cells]
        columns = [Column(say("resource")), *map(cells.number, headings)]
        bodies = [Body(list(map(_row, group.rows)), _heading(group.host)) for group in groups]
        yield _table(columns, bodies, "usage")
        return
    for number, group in enumerate(groups):
        used_by_cell = zip(*(row.cells for row in group.rows), strict=True)
        rows = [
            [*cells.level_headers(summary.cell, findings.factors), *map(cells.used, used_here)]
            for summary, used_here in zip(findings.cells, used_by_cell, strict=True)
            if any(used_here)
        ]
        resources = [cells.number(row.label) for row in group.rows]
        columns = [*cells.level_columns(findings.factors), *resources]
        yield _table(columns, [Body(rows, _heading(group.host))], f"usage-{number}")


def _table(columns: list[Column], bodies: list[Body], key: str) -> Table:
    return Table(say("Resources"), say("What was used in the window"), columns, bodies, key)


def _heading(host: str) -> str:
    if host == LOCAL_HOST:
        return say("host {host} (where dbdyno ran)", host=host)
    return say("host {host}", host=host)


def _row(row: UsageRow) -> list[Cell]:
    return [cells.header(row.label), *map(cells.used, row.cells)]
