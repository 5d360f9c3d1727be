"""Cells in rows and columns in the terminal, where a line for each of them has no room."""

from __future__ import annotations

from collections.abc import Callable

from rich.table import Table
from rich.text import Text

from dbdyno.analysis.compare.metric import RESPONSE_P95, THROUGHPUT
from dbdyno.analysis.findings import Findings
from dbdyno.report import figures, partial_service
from dbdyno.report.language import either
from dbdyno.report.matrix import Matrix, MatrixCell, compared_with, response_of, systems_by_load
from dbdyno.report.percentiles import p99_ms
from dbdyno.report.terminal_table import terminal_table
from dbdyno.report.words.throughput import measure_heading

SHOWN_MARK = " *"
"""Stands after the effect of a difference that is shown: not every terminal has bold letters."""


def matrix_tables(findings: Findings) -> list[Table]:
    """Return throughput and response times as matrices; none where factors are too many."""
    throughput = systems_by_load(findings, THROUGHPUT)
    compared = dict.fromkeys(name for matrix in throughput for name in matrix.compared)
    effect = f"effect of {either(compared)}" if compared else ""
    beside = [
        measure_heading(findings.measure),
        "95 % interval",
        *([effect, "95 % interval"] if effect else []),
    ]
    mark = f" ({SHOWN_MARK.strip()} a difference shown)" if effect else ""
    response = systems_by_load(findings, RESPONSE_P95)
    return [
        *(
            _table(matrix, f"{', '.join(beside)}{mark}", lambda cell: _throughput(cell, findings))
            for matrix in throughput
        ),
        *(
            _table(matrix, "response time, ms: p95, p99, max", lambda cell: _times(cell, findings))
            for matrix in response
        ),
    ]


def _table(matrix: Matrix, title: str, write: Callable[[MatrixCell], Text]) -> Table:
    table = terminal_table(f"{matrix.down}\n\\ {matrix.across}", is_spaced=True)
    table.title = Text(", ".join(filter(None, [matrix.heading, title])))
    table.title_justify = "left"
    for level in matrix.columns:
        table.add_column(Text(level), justify="right", no_wrap=True)
    for level, cells in matrix.rows:
        label = "\n".join(filter(None, [level, compared_with(cells)]))
        table.add_row(Text(label), *(write(each) if each else Text("") for each in cells))
    return table


def _throughput(cell: MatrixCell, findings: Findings) -> Text:
    estimate = findings.measure.estimate(cell.summary.throughput_per_s)
    lines = [
        figures.rate(estimate.mean),
        figures.rate_interval(estimate.mean, estimate.low, estimate.high),
    ]
    text = Text("\n".join(line for line in lines if line != figures.ABSENT) or figures.ABSENT)
    if cell.comparison is None and not cell.is_baseline:
        return text
    effect, interval = cell.effect
    mark = SHOWN_MARK if cell.is_shown else ""
    text.append(f"\n{effect}{mark}", style="bold" if cell.is_shown else "")
    if interval != figures.ABSENT:
        text.append(f"\n{interval}")
    return text


def _times(cell: MatrixCell, findings: Findings) -> Text:
    times = response_of(cell.summary, findings)
    if times is None:
        return Text(figures.ABSENT)
    values = (times.p95_ms, p99_ms(times), times.max_ms)
    bound = partial_service.time_mark
    return Text("\n".join(bound(cell.summary, ms) + figures.milliseconds(ms) for ms in values))
