"""Section: the errors of each cell by class, how many, when, and a message."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.errors.model import CellErrors, ErrorFigures, ErrorKind
from dbdyno.analysis.findings import Findings
from dbdyno.report import error_panels, figures
from dbdyno.report.document import cells
from dbdyno.report.document.legend import legend_of
from dbdyno.report.document.marks import joined, marked
from dbdyno.report.document.model import (
    Block,
    Body,
    Cell,
    Column,
    Figure,
    Layout,
    Link,
    Paragraph,
    Role,
    Section,
    Table,
    Text,
)
from dbdyno.report.language import message, say, say_count
from dbdyno.report.words.errors import (
    errors_in_words,
    peak_in_words,
    sample_in_words,
    trials_heading,
    when_in_words,
    without_errors,
)

MOST_ROWS_OF_A_CELL = 8
"""The most frequent errors; a last row has the rest of a cell together."""


def section(findings: Findings) -> Section | None:
    """Return the section; None where no trial has a window."""
    found = findings.errors
    if not found.trials:
        return None
    title = say("Errors")
    lead = Paragraph(errors_in_words(found))
    if not found.count:
        return Section("errors", title, [lead], name=title)
    blocks: list[Block] = [lead, Paragraph(_meaning(), Role.MUTED), _table(findings)]
    if without := without_errors(_cells_without(findings)):
        blocks.append(Paragraph(without))
    blocks.append(_figure(findings))
    return Section("errors", title, blocks, name=title)


def _meaning() -> Text:
    counted = say(
        "An error ends one attempt of a transaction, or one attempt to connect. Shares are errors "
        "by transactions that ended in the windows of the same trials; a transaction may meet "
        "several errors. The times are when the first interval with the error began and the last "
        "one ended, in seconds since the window began."
    )
    outcomes = marked(
        message("Retries, first attempts that aborted and failed transactions: see {throughput}."),
        throughput=Link(say("Throughput"), "throughput"),
    )
    return joined(counted, outcomes)


def _cells_without(findings: Findings) -> int:
    return len(findings.cells) - len({each.cell for each in findings.errors.cells})


def _table(findings: Findings) -> Table:
    numbers = (say("errors"), say("share of transactions"), say("trials with it"))
    columns = [
        *cells.level_columns(findings.factors),
        Column(say("class")),
        Column(say("code")),
        *map(cells.number, numbers),
        cells.number(say("when (s)")),
        cells.number(say("most in one interval")),
        Column(say("sample")),
    ]
    return Table(
        label=say("Errors of each cell"),
        caption=say("Errors in the windows, with one message of each"),
        columns=columns,
        bodies=[body for is_used in (True, False) for body in _bodies(findings, is_used=is_used)],
        id="errors-table",
    )


def _bodies(findings: Findings, *, is_used: bool) -> list[Body]:
    """Return the rows of valid trials, or of the others, below a heading."""
    rows = [
        row
        for cell in findings.errors.cells
        if cell.is_used is is_used
        for row in cells.below_levels(cell.cell, findings.factors, _rows(cell))
    ]
    return [Body(rows, trials_heading(is_used=is_used))] if rows else []


def _rows(cell: CellErrors) -> list[list[Cell]]:
    rows = [_row(error, cell) for error in cell.errors[:MOST_ROWS_OF_A_CELL]]
    if rest := cell.errors[MOST_ROWS_OF_A_CELL:]:
        rows.append(_rest(rest))
    return rows


def _rest(errors: Sequence[ErrorFigures]) -> list[Cell]:
    """Return one row for all rare errors of a cell together."""
    label = say_count("{count} rarer kind", "{count} rarer kinds", len(errors))
    count = cells.count(sum(error.count for error in errors))
    shares = [error.share for error in errors if error.share is not None]
    share = cells.share(sum(shares) if shares else None)
    return [Cell(label), cells.NONE, count, share, *[cells.NONE] * 4]


def _row(error: ErrorFigures, cell: CellErrors) -> list[Cell]:
    occurred = figures.count(error.trials)
    return [
        Cell(error.kind.error_class, is_code=True),
        _code(error.kind),
        cells.count(error.count),
        cells.share(error.share),
        Cell(say("{count} of {all}", count=occurred, all=figures.count(cell.trials))),
        Cell(when_in_words(error)),
        Cell(
            figures.count(error.peak.count),
            value=error.peak.count,
            below=peak_in_words(error.peak),
        ),
        Cell(sample_in_words(error.sample)),
    ]


def _code(kind: ErrorKind) -> Cell:
    """Return the server's number, and below it the SQLSTATE; PostgreSQL has no numbers."""
    codes = [str(code) for code in (kind.code, kind.sqlstate) if code]
    return Cell(codes[0], below="".join(codes[1:])) if codes else cells.NONE


def _figure(findings: Findings) -> Figure:
    caption = say(
        "Errors per second in every interval, by class. One line a round; the later the round, the "
        "stronger the line. Each panel has its own axes."
    )
    return Figure(
        joined(caption, error_panels.note(findings)),
        error_panels.errors_over_time(findings),
        Layout.SMALL_MULTIPLES,
        legend_of(findings, (each.cell for each in error_panels.drawn(findings))),
    )
