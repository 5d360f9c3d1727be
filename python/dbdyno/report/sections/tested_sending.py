"""How transactions were sent, as it was read back: a table of the section on what was tested."""

from __future__ import annotations

from dbdyno.analysis.findings import CellSummary, Findings, Sending
from dbdyno.report.document import cells
from dbdyno.report.document.model import Body, Cell, Column, Table
from dbdyno.report.language import say
from dbdyno.report.words.sending import (
    autocommit_in_words,
    connections_in_words,
    isolation_in_words,
    waiting_in_words,
)


def sending_table(findings: Findings) -> Table | None:
    """Return the table; None where no trial is valid."""
    known = [(each, each.sending) for each in findings.cells if each.sending is not None]
    if not known:
        return None
    connects = any(sending.connect_mean_ms is not None for _, sending in known)
    columns = [
        *cells.level_columns(findings.factors),
        Column(say("protocol")),
        Column(say("isolation")),
        Column(say("autocommit")),
        cells.number(say("statements per transaction")),
        cells.number(say("round trips per transaction")),
        Column(say("connection")),
        *([cells.number(say("time to connect, a part of response time (ms)"))] * connects),
        Column(say("generator")),
    ]
    rows = [
        [
            *cells.level_headers(summary.cell, findings.factors),
            *_sent(summary, sending),
            *([cells.milliseconds(sending.connect_mean_ms)] * connects),
            Cell(waiting_in_words(sending)),
        ]
        for summary, sending in known
    ]
    return Table(
        label=say("How transactions were sent"),
        caption=say("How transactions were sent; isolation as it was read back"),
        columns=columns,
        bodies=[Body(rows)],
        id="sending",
    )


def _sent(summary: CellSummary, sending: Sending) -> list[Cell]:
    return [
        Cell(sending.protocol),
        Cell(isolation_in_words(sending)),
        Cell(autocommit_in_words(sending)),
        cells.rate(summary.statements_per_transaction),
        cells.rate(sending.round_trips_per_transaction),
        Cell(connections_in_words(sending), value=sending.reconnect or None),
    ]
