"""Section: all trials of the plan, each in exactly one standing."""

from __future__ import annotations

from dbdyno.analysis.findings import Findings, TrialLine
from dbdyno.report.document import cells
from dbdyno.report.document.model import Body, Cell, Column, Paragraph, Role, Section, Table
from dbdyno.report.language import say
from dbdyno.report.words.evidence.words import reasons_in_words
from dbdyno.report.words.standings import STANDINGS


def section(findings: Findings) -> Section:
    """Return the section; every plan has trials."""
    meaning = say(
        "In the order in which they ran. What an invalid, failed or interrupted trial measured is "
        "in no other figure of this report."
    )
    title = say("Trials")
    return Section("trials", title, [Paragraph(meaning, Role.MUTED), _table(findings)], name=title)


def _table(findings: Findings) -> Table:
    columns = [
        cells.number(say("trial")),
        cells.number(say("round")),
        *cells.level_columns(findings.factors),
        cells.number(say("transactions/s")),
        cells.number(say("response time p95, ms")),
        Column(say("standing")),
        Column(say("why")),
    ]
    return Table(
        label=say("Trials"),
        caption=say("How each trial stands"),
        columns=columns,
        bodies=[Body([_row(line, findings) for line in findings.trials])],
        id="trials-table",
    )


def _row(line: TrialLine, findings: Findings) -> list[Cell]:
    levels = [line.cell.level(factor.name) for factor in findings.factors]
    return [
        cells.header(str(line.number)),
        Cell(str(line.round)),
        *map(Cell, levels or [line.cell.label()]),
        cells.rate(line.throughput_per_s),
        cells.milliseconds(line.p95_ms),
        Cell(say(STANDINGS[line.standing])),
        Cell(reasons_in_words(line)),
    ]
