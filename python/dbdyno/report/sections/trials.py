"""Section: all trials of the plan, each in exactly one standing."""

from __future__ import annotations

from dbdyno.analysis.findings import Findings, Standing, TrialLine
from dbdyno.report.document import cells
from dbdyno.report.document.model import Body, Cell, Column, Paragraph, Role, Section, Table
from dbdyno.report.language import say, sentences
from dbdyno.report.words.evidence.words import reasons_in_words
from dbdyno.report.words.standings import STANDINGS
from dbdyno.report.words.throughput import measure_heading, rate_heading
from dbdyno.report.words.trial_numbers import numbers_line


def section(findings: Findings) -> Section:
    """Return the section; every plan has trials."""
    order = _order(findings)
    rest = say(
        "What an invalid, failed or interrupted trial measured is in no other figure of this "
        "report. Warnings are named by their checks."
    )
    meaning = sentences([order, numbers_line(findings), rest])
    title = say("Trials")
    return Section("trials", title, [Paragraph(meaning, Role.MUTED), _table(findings)], name=title)


def _order(findings: Findings) -> str:
    if findings.imported is not None:
        return say("In the order in which their sources were read.")
    if findings.is_of_two_results:
        return say("Those of each result are in the order in which they ran.")
    return say("In the order in which they ran.")


def _table(findings: Findings) -> Table:
    columns = [
        cells.number(say("trial")),
        cells.number(say("round")),
        *cells.level_columns(findings.factors),
        *([cells.number(measure_heading(findings.measure))] if findings.measure.kind else []),
        cells.number(rate_heading(findings.measure)),
        cells.number(_p95_heading(findings)),
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


def _p95_heading(findings: Findings) -> str:
    if findings.imported:
        return say("p95, ms")
    if findings.measure.kind:
        return say("response time p95 of all transactions, ms")
    return say("response time p95, ms")


def _row(line: TrialLine, findings: Findings) -> list[Cell]:
    levels = [line.cell.level(factor.name) for factor in findings.factors]
    return [
        cells.header(str(line.number)),
        Cell(str(line.round)),
        *map(Cell, levels or [line.cell.label()]),
        *([_measured(line, findings)] if findings.measure.kind else []),
        cells.rate(line.transactions_per_s),
        cells.milliseconds(line.p95_ms),
        Cell(say(STANDINGS[line.standing])),
        _why(line),
    ]


def _measured(line: TrialLine, findings: Findings) -> Cell:
    rate = line.throughput_per_s
    return cells.rate(None if rate is None else findings.measure.of(rate))


def _why(line: TrialLine) -> Cell:
    """Return why a trial is not used, or the names of the checks that warn of it."""
    if line.standing is Standing.WITH_WARNINGS:
        return Cell(", ".join(reason.code for reason in line.reasons if reason.code), is_code=True)
    return Cell(reasons_in_words(line))
