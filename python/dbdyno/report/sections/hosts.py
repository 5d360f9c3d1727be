"""Section: what each host did, where clients were spread over several."""

from __future__ import annotations

from dbdyno.analysis.findings import Findings, HostSummary
from dbdyno.report.document import cells
from dbdyno.report.document.model import Body, Cell, Column, Paragraph, Role, Section, Table
from dbdyno.report.language import say


def section(findings: Findings) -> Section | None:
    """Return the section; None where all clients went to one host."""
    if not any(each.hosts for each in findings.cells):
        return None
    counted = say(
        "Connections and failed attempts are counted from the first connection on, everything else "
        "in the window, over all valid trials of a cell."
    )
    title = say("Hosts")
    return Section("hosts", title, [Paragraph(counted, Role.MUTED), _table(findings)], name=title)


def _table(findings: Findings) -> Table:
    columns = [
        *cells.level_columns(findings.factors),
        Column(say("host")),
        cells.number(say("transactions")),
        cells.number(say("share")),
        cells.number(say("connections")),
        cells.number(say("failed attempts")),
        cells.number(say("fewest clients")),
        cells.number(say("most clients")),
    ]
    bodies = [
        Body(cells.below_levels(each.cell, findings.factors, [_row(host) for host in each.hosts]))
        for each in findings.cells
        if each.hosts
    ]
    return Table(say("Hosts"), say("What each host did"), columns, bodies, id="hosts-table")


def _row(host: HostSummary) -> list[Cell]:
    return [
        cells.header(host.host, is_code=True),
        cells.count(host.transactions),
        cells.share(host.share),
        cells.count(host.connections),
        cells.count(host.failed_attempts),
        cells.count(host.fewest_clients),
        cells.count(host.most_clients),
    ]
