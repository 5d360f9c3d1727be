"""Section: throughput of each cell, and what became of the transactions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from dbdyno.analysis.compare.metric import THROUGHPUT
from dbdyno.analysis.findings import CellSummary, Findings, Severity
from dbdyno.report import charts, drawn, figures, means
from dbdyno.report.by_case import by_case
from dbdyno.report.document import cells
from dbdyno.report.document.case_table import case_table
from dbdyno.report.document.legend import legend_of
from dbdyno.report.document.marks import joined, marked
from dbdyno.report.document.matrix_table import matrix_table
from dbdyno.report.document.model import (
    Block,
    Body,
    Callout,
    Cell,
    Details,
    Figure,
    Layout,
    Link,
    Section,
    Strong,
    Table,
    Text,
)
from dbdyno.report.document.round_table import round_table
from dbdyno.report.grammar import Grammar, views
from dbdyno.report.language import message, say
from dbdyno.report.matrix import Matrix, by_other_factors, matrices
from dbdyno.report.round_curves import round_curves
from dbdyno.report.words.throughput import measure_heading, measure_title, title_of_all

ALMOST_ALL = 0.999
"""A larger share below 1 would be written as 100 %."""


def section(findings: Findings) -> Section | None:
    """Return the section, which every report of our own has; None of tables without throughput."""
    if findings.imported is not None:
        told = tuple(cell for cell in findings.cells if cell.throughput_per_s.count)
        if not told:
            return None
        findings = replace(findings, cells=told)
    title, described = say("Throughput"), by_case(findings)
    blocks: list[Block] = [*case_table(findings)]
    blocks += _matrices(described, matrices(described, THROUGHPUT))
    blocks += [
        Details(say("By {factor}", factor=factor.name), _matrices(described, of_factor))
        for factor, of_factor in by_other_factors(described, THROUGHPUT)
    ]
    blocks += _beside(described)
    blocks += _figures(findings)
    blocks += [Callout(Severity.WARNING, note) for note in means.notes(findings)]
    blocks.append(_throughput(described))
    blocks += round_table(described)
    if drawings := round_curves(described):
        figure = Figure(say("A line for each cell."), drawings, Layout.SMALL_MULTIPLES)
        blocks.append(Details(say("Throughput by round, drawn"), [figure]))
    if findings.imported is None:
        blocks.append(_outcomes(described))
    return Section("throughput", title, blocks, name=title)


def _matrices(findings: Findings, found: Iterable[Matrix]) -> list[Table]:
    return [
        matrix_table(
            matrix,
            say("Matrix of throughput"),
            measure_title(findings.measure),
            lambda cell: _mean(cell, findings),
        )
        for matrix in found
    ]


def _beside(findings: Findings) -> Iterator[Block]:
    """Yield the same matrices of what others publish beside it: tpmTOTAL, or QPS."""
    if findings.imported is not None:
        return
    if findings.measure.kind is not None:
        heading = title_of_all()
    elif any(cell.statements_per_transaction > 1 for cell in findings.cells):
        heading = say("Statements per second (QPS)")
    else:
        return
    is_one_kind = findings.measure.kind is not None
    tables = [
        matrix_table(
            matrix,
            heading,
            heading,
            lambda cell: _all_per_period(cell, findings) if is_one_kind else _statements(cell),
        )
        for matrix in _plain_matrices(findings)
    ]
    if tables:
        yield Details(heading, tables)


def _plain_matrices(findings: Findings) -> Iterator[Matrix]:
    """Yield all matrices of throughput, without effects."""
    plain = replace(findings, compared=())
    yield from matrices(plain, THROUGHPUT)
    for _, of_factor in by_other_factors(plain, THROUGHPUT):
        yield from of_factor


def _mean(cell: CellSummary, findings: Findings) -> Cell:
    """Return the mean of a cell's throughput as the measure has it."""
    found = findings.measure.estimate(cell.throughput_per_s)
    return cells.rate(found.mean if found.count else None)


def _figures(findings: Findings) -> list[Figure]:
    cells = charts.throughput_cells(findings)
    first, *_ = grammars = views(findings.factors, findings.cells)
    # Lines have a point for each cell; a row for each would be a chart that nobody can read.
    note = "" if first.across else drawn.note(findings)
    found = []
    for grammar in grammars:
        caption = _caption(grammar, findings) if grammar is first else _further_caption(findings)
        drawings = charts.throughput(findings, grammar)
        if drawings:
            legend = legend_of(findings, (each.cell for each in cells), grammar)
            found.append(Figure(joined(caption, note), drawings, Layout.WIDE, legend))
        note = ""
    return found


def _further_caption(findings: Findings) -> Text:
    measure = Strong(measure_title(findings.measure))
    return marked(message("{throughput} by another factor."), throughput=measure)


def _caption(grammar: Grammar, findings: Findings) -> Text:
    counted = (
        message("{throughput}, committed or rolled back on purpose.")
        if findings.imported is None
        else message("{throughput}, as the source counts them.")
    )
    title = marked(counted, throughput=Strong(measure_title(findings.measure)))
    meaning = joined(title, _marks_in_words(grammar, findings))
    if not any(each.law for each in findings.scaling):
        return meaning
    curves = marked(
        message(
            "Curve and band: the {law} and its 95 % interval; the dotted line stands at its peak."
        ),
        law=Link(say("scalability law"), "scaling"),
    )
    return joined(meaning, curves)


def _ran_once(findings: Findings) -> bool:
    """Tell whether no cell has a second trial, so that there are no means, and no intervals."""
    return all(each.throughput_per_s.count <= 1 for each in findings.cells)


def _marks_in_words(grammar: Grammar, findings: Findings) -> str:
    if _ran_once(findings):
        return say("Each cell ran once.")
    if charts.has_bars(grammar, findings):
        return say(
            "Bar: geometric mean over rounds, with its 95 % interval; an interval that reaches the "
            "end of the axis goes on beyond it. Points: single trials."
        )
    return say(
        "Large point and bar: geometric mean over rounds and its 95 % interval; a bar that "
        "reaches the end of the axis goes on beyond it. Small points: single trials."
    )


def _throughput(findings: Findings) -> Table:
    is_ours = findings.imported is None
    is_one_kind = is_ours and findings.measure.kind is not None
    headings = [
        measure_heading(findings.measure),
        say("95 % interval"),
        say("trials"),
        say("coefficient of variation"),
        *([say("all transactions/min (tpmTOTAL)")] if is_one_kind else []),
        *([say("statements/s (QPS)")] if is_ours else []),
    ]
    rows = [
        [
            *cells.level_headers(cell.cell, findings.factors),
            *_figures_of(cell, findings),
            *([_all_per_period(cell, findings)] if is_one_kind else []),
            *([_statements(cell)] if is_ours else []),
        ]
        for cell in findings.cells
    ]
    return Table(
        label=say("Throughput of each cell"),
        caption=say("Throughput of each cell, which ran once")
        if _ran_once(findings)
        else say("Throughput of each cell: geometric means, whose ratios are the effects"),
        columns=[*cells.level_columns(findings.factors), *map(cells.number, headings)],
        bodies=[Body(rows)],
        id="cells",
    )


def _figures_of(cell: CellSummary, findings: Findings) -> list[Cell]:
    found = findings.measure.estimate(cell.throughput_per_s)
    return [
        _mean(cell, findings),
        cells.interval(found.mean, found.low, found.high),
        cells.count(found.count),
        cells.share(cell.coefficient_of_variation),
    ]


def _of_all_kinds(cell: CellSummary) -> float | None:
    """Return the mean rate of transactions of all kinds; None where no trial is valid."""
    found = cell.transactions_per_s or cell.throughput_per_s
    return found.mean if found.count else None


def _all_per_period(cell: CellSummary, findings: Findings) -> Cell:
    """Return the rate of transactions of all kinds over the measure's time: a minute, of NOPM."""
    rate = _of_all_kinds(cell)
    return cells.rate(None if rate is None else findings.measure.of(rate))


def _statements(cell: CellSummary) -> Cell:
    """Return how many statements a second the transactions of all kinds had."""
    rate = _of_all_kinds(cell)
    return cells.rate(None if rate is None else rate * cell.statements_per_transaction)


def _outcomes(findings: Findings) -> Table:
    headings = (
        say("committed"),
        say("rolled back"),
        say("failed"),
        say("dropped"),
        say("success"),
        say("retries"),
        say("first attempt aborted"),
        say("statements per transaction"),
    )
    rows = [
        [*cells.level_headers(cell.cell, findings.factors), *_outcomes_of(cell)]
        for cell in findings.cells
    ]
    return Table(
        label=say("Transactions by outcome"),
        caption=say(
            "Transactions by outcome, all valid trials of a cell together; success is the share of "
            "those committed or rolled back on purpose"
        ),
        columns=[*cells.level_columns(findings.factors), *map(cells.number, headings)],
        bodies=[Body(rows)],
        id="outcomes",
    )


def _success(cell: CellSummary) -> Cell:
    """Return which part of all that ended or was dropped did what it should.

    It is 100 % only where nothing failed: a few of many are not rounded away.
    """
    done = cell.committed + cell.rolled_back
    whole = done + cell.failed + cell.dropped
    share = done / whole if whole else None
    if share is not None and ALMOST_ALL < share < 1:
        return Cell(say("over {percent}", percent=figures.share(ALMOST_ALL)), value=share)
    return cells.share(share)


def _outcomes_of(cell: CellSummary) -> list[Cell]:
    is_measured = cell.throughput_per_s.count > 0
    return [
        cells.count(cell.committed),
        cells.count(cell.rolled_back),
        cells.count(cell.failed),
        cells.count(cell.dropped),
        _success(cell),
        cells.count(cell.retries),
        cells.share(cell.first_attempt_abort_share if is_measured else None),
        cells.rate(cell.statements_per_transaction if is_measured else None),
    ]
