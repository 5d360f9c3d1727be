"""Section: response times of each cell, beside service times and schedule lags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dbdyno.analysis.compare.cells import mean_by_round
from dbdyno.analysis.compare.metric import RESPONSE_P95
from dbdyno.analysis.findings import CellSummary, Findings, Percentiles, Severity
from dbdyno.report import (
    asked,
    drawn,
    figures,
    load_curves,
    partial_service,
    percentiles,
)
from dbdyno.report.document import cells
from dbdyno.report.document.legend import legend_of
from dbdyno.report.document.marks import joined, marked
from dbdyno.report.document.matrix_table import matrix_table
from dbdyno.report.document.model import (
    Block,
    Body,
    Callout,
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
from dbdyno.report.drawing import Drawing
from dbdyno.report.grammar import transaction_in_words
from dbdyno.report.language import message, say
from dbdyno.report.matrix import Matrix, MatrixCell, counted_in, matrices, response_of
from dbdyno.report.percentile_curves import percentile_curves
from dbdyno.report.words.metrics import response_percentile


def section(findings: Findings) -> Section | None:
    """Return the section; None where no trial is valid."""
    drawings = percentile_curves(findings)
    if not drawings:
        return None
    title = say("Response time")
    blocks: list[Block] = [
        *_warnings(findings),
        *_load_figures(findings),
        _figure(findings, drawings),
        *_matrices(findings),
        *_tails(findings),
        *(Paragraph(note, Role.MUTED) for note in _notes(findings)),
        _table(findings),
    ]
    return Section("response-time", title, blocks, name=title)


def _warnings(findings: Findings) -> list[Callout]:
    notes = [partial_service.note(findings.cells)]
    if any(map(partial_service.has_fewer_clients, findings.cells)):
        notes.append(partial_service.clients_note(findings.cells))
    texts = [*filter(None, notes), *asked.lines(findings)]
    return [Callout(Severity.WARNING, text) for text in texts]


def _notes(findings: Findings) -> list[str]:
    """Return why a figure of the table is absent, or its column."""
    notes = percentiles.notes(findings)
    clients = partial_service.clients_note(findings.cells)
    return [*notes, clients] if clients and not _has_clients(findings) else notes


def _has_clients(findings: Findings) -> bool:
    """Tell whether it is known of any cell how many clients waited for the server."""
    return any(each.clients is not None for each in findings.cells)


def _load_figures(findings: Findings) -> list[Figure]:
    """Return response time against throughput; nothing where load has too few levels."""
    drawings = load_curves.load_curves(findings)
    if not drawings:
        return []
    caption = marked(
        message(
            "{curves} From point to point load grows; the levels stand beside the points as far as "
            "there is room. Where a line turns upwards, more load adds waiting and little "
            "throughput. All panels have the same axes."
        ),
        curves=Strong(say("Response time against throughput.")),
    )
    limit = load_curves.response_limit(findings)
    line = say("The dashed line is the limit of the search.") if limit else ""
    caption = joined(caption, line, _note_on_lines(findings))
    return [Figure(caption, drawings, Layout.SMALL_MULTIPLES, legend_of(findings))]


def _note_on_lines(findings: Findings) -> str:
    count = len(load_curves.all_lines(findings))
    if count <= load_curves.MOST_LINES:
        return ""
    return say(
        "Of {all} lines, {drawn} are drawn: from the slowest to the fastest, evenly spread over "
        "their ranks.",
        all=figures.count(count),
        drawn=load_curves.MOST_LINES,
    )


def _figure(findings: Findings, drawings: list[Drawing]) -> Figure:
    caption = marked(
        message(
            "{curves} Solid with filled points: response time, from the scheduled time. Dashed "
            "with hollow points: service time, from the start. Where only one shows, the two "
            "coincide. The largest value stands apart: it is one transaction, not a percentile."
        ),
        curves=Strong(say("Percentile curves.")),
    )
    legend = legend_of(findings)
    caption = joined(caption, drawn.note(findings))
    return Figure(caption, drawings, Layout.SMALL_MULTIPLES, legend)


def _matrices(findings: Findings) -> list[Table]:
    """Return the matrices of p95 that have any figure."""
    tables = [
        matrix_table(
            matrix,
            say("Matrix of response time"),
            _of_rounds(findings) if matrix.compared else _in_milliseconds("p95", findings),
            _mean_p95 if matrix.compared else lambda cell: _p95(cell, findings),
        )
        for matrix in matrices(findings, RESPONSE_P95)
    ]
    return [table for table in tables if _has_figures(table)]


def _has_figures(table: Table) -> bool:
    rows = [row for body in table.bodies for row in body.rows]
    return any(cell.value is not None for row in rows for cell in row if not cell.is_header)


def _tails(findings: Findings) -> list[Table]:
    """Return the matrices of p99.9, which has no effects, where a cell has enough of them."""
    return [
        matrix_table(
            matrix,
            say("Matrix of the slowest response times"),
            _in_milliseconds("p99.9", findings),
            lambda cell: _p999(cell, findings),
        )
        for matrix in matrices(replace(findings, compared=()), RESPONSE_P95)
        if any(_p999(each.summary, findings).value for each in _members(matrix))
    ]


def _in_milliseconds(percentile: str, findings: Findings) -> str:
    return say(
        "{percentile} in milliseconds, of all rounds together",
        percentile=response_percentile(percentile, findings.measure),
    )


def _of_rounds(findings: Findings) -> str:
    """Return what stands above an effect: the figure whose ratios the effects are."""
    return say(
        "{percentile} in milliseconds, geometric mean over rounds",
        percentile=response_percentile("p95", findings.measure),
    )


def _mean_p95(cell: CellSummary) -> Cell:
    found = mean_by_round(cell, RESPONSE_P95)
    return _time(cell, found.mean) if found.count else cells.NONE


def _members(matrix: Matrix) -> Iterator[MatrixCell]:
    yield from (each for _, members in matrix.rows for each in members if each is not None)


def _p999(cell: CellSummary, findings: Findings) -> Cell:
    times = response_of(cell, findings)
    return cells.NONE if times is None else _time(cell, percentiles.p999_ms(times))


def _p95(cell: CellSummary, findings: Findings) -> Cell:
    times = response_of(cell, findings)
    return cells.NONE if times is None else _time(cell, times.p95_ms)


def _time(cell: CellSummary, value_ms: float | None) -> Cell:
    """Return a time with its marks, if it has any."""
    written = cells.milliseconds(value_ms)
    return replace(written, text=partial_service.time_mark(cell, value_ms) + written.text)


def _has_rate(cell: CellSummary, transaction: str, findings: Findings) -> bool:
    """Tell whether a rate has no other place: the cell's throughput is in a table of its own."""
    return transaction != counted_in(cell, findings)


def _table(findings: Findings) -> Table:
    has_rates = any(
        _has_rate(cell, name, findings) for cell in findings.cells for name in cell.response
    )
    columns = [
        *cells.level_columns(findings.factors),
        Column(say("transaction")),
        Column(say("measure")),
        *map(cells.number, ("p50", "p90", "p95", "p99", "p99.9", say("max"), say("count"))),
        *([cells.number(say("recorded/s, all trials"))] if has_rates else []),
        *([cells.number(say("clients in effect"))] * _has_clients(findings)),
    ]
    return Table(
        label=say("Percentiles"),
        caption=say(
            "Percentiles in milliseconds of what was due in the windows of a cell's valid trials, "
            "their histograms merged; throughput counts what ended in the windows"
        ),
        columns=columns,
        bodies=[
            _body(cell, transaction, findings, has_rates)
            for cell in findings.cells
            for transaction in cell.response
        ],
        id="percentiles",
    )


def _rate(cell: CellSummary, transaction: str, times: Percentiles, findings: Findings) -> Cell:
    is_known = cell.window_s and _has_rate(cell, transaction, findings)
    return cells.rate(times.count / cell.window_s) if is_known else cells.NONE


def _body(cell: CellSummary, transaction: str, findings: Findings, has_rates: bool) -> Body:
    """Return the rows of one transaction in one cell, a row a measure."""
    measures = percentiles.measures(cell, transaction)
    clients = partial_service.clients_in_effect(cell)
    first = [
        *cells.level_headers(cell.cell, findings.factors, len(measures)),
        cells.header(transaction_in_words(transaction), len(measures)),
    ]
    rows: list[list[Cell]] = []
    for measure, times in measures:
        # What was never served has no service time that could be missing.
        is_bound = measure is not percentiles.TimeMeasure.SERVICE
        values = percentiles.table_values(times)
        rows.append(
            [
                *([] if rows else first),
                cells.header(say(percentiles.MEASURE_NAMES[measure])),
                *(_time(cell, each) if is_bound else cells.milliseconds(each) for each in values),
                cells.count(times.count),
                *([_rate(cell, transaction, times, findings)] if has_rates else []),
                *([Cell("" if rows else clients)] * _has_clients(findings)),
            ]
        )
    return Body(rows)
