"""A history on the terminal, as JSON, and as the CSV that Apache Otava reads."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dbdyno.analysis.compare.metric import THROUGHPUT
from dbdyno.analysis.findings import Estimate
from dbdyno.analysis.history.collect import Line, Moment
from dbdyno.analysis.history.judge import Judged, Standing
from dbdyno.cli.history_read import History
from dbdyno.errors import InputError
from dbdyno.experiment.file.quantity import without_commands
from dbdyno.report import figures
from dbdyno.report.partial_service import has_fewer_clients, mark_note, time_mark
from dbdyno.report.terminal_table import terminal_table
from dbdyno.report.words.throughput import measure_heading
from dbdyno.target.local.files import file_errors

_NOT_MEASURED = Text("not measured")
_STYLES = {
    Standing.CHANGED: "bold red",
    Standing.DRIFTED: "bold red",
    Standing.OUTLIER: "yellow",
}


def print_history(history: History) -> None:
    """Print the results, then a table for each cell and metric, the oldest result first."""
    console = Console(highlight=False)
    console.print()
    console.print(Text(without_commands(history.experiment), style="bold"))
    console.print()
    console.print(_results(history))
    for line in history.lines:
        console.print()
        console.print(Text(_heading(line, history), style="bold"))
        console.print(_table(line, history))
    console.print()
    cells = [cell for moment in history.moments for cell in moment.findings.cells]
    if any(map(has_fewer_clients, cells)):
        console.print(f"{mark_note()}.")
    console.print(Text(_summary(history)))


def _results(history: History) -> Table:
    table = terminal_table("result", "began (UTC)", "server")
    for moment in history.moments:
        began = datetime.fromtimestamp(moment.unix_s, UTC)
        table.add_row(*map(Text, (moment.name, f"{began:%Y-%m-%d %H:%M}", moment.version)))
    return table


def _table(line: Line, history: History) -> Table:
    table = terminal_table("result")
    for column in ("figure", "95 % interval", "expected"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("change", no_wrap=True)
    for place in range(len(history.moments)):
        table.add_row(*_row(line, place, history.moments[place]))
    return table


def _heading(line: Line, history: History) -> str:
    return f"{line.cell.label()}: {_unit(line, history)}"


def _unit(line: Line, history: History) -> str:
    if line.metric is THROUGHPUT:
        return measure_heading(history.moments[0].findings.measure)
    return "p95 of response time, ms"


def _row(line: Line, place: int, moment: Moment) -> list[Text]:
    estimate, judged = line.estimates[place], line.judged[place]
    if estimate is None or judged is None:
        absent = (Text(figures.ABSENT) for _ in range(3))
        why = Text("nothing done in some round", "yellow") if line.idle[place] else _NOT_MEASURED
        return [Text(moment.name), *absent, why]
    mark, write = "", figures.rate
    if line.metric is not THROUGHPUT:
        write = figures.milliseconds
        mark = time_mark(moment.findings.by_cell[line.cell], estimate.mean)
    interval = figures.rate_interval(estimate.mean, estimate.low, estimate.high)
    expected = (
        figures.ABSENT
        if judged.low is None or judged.high is None
        else f"{write(judged.low)} to {write(judged.high)}"
    )
    words = Text(_words(judged), style=_STYLES.get(judged.standing, ""))
    return [
        Text(moment.name),
        Text(mark + write(estimate.mean)),
        Text(interval),
        Text(expected),
        words,
    ]


def _words(judged: Judged) -> str:
    change = judged.change_percent
    if change is None:
        return judged.standing.value
    return f"{judged.standing.value}, {figures.effect(change)[0]}"


def _summary(history: History) -> str:
    changed = [
        f"{line.cell.label()}, {line.metric.name.value}: {moment.name} ({_words(judged)})"
        for line in history.lines
        for moment, judged in zip(history.moments, line.judged, strict=True)
        if judged is not None and judged.standing in (Standing.CHANGED, Standing.DRIFTED)
    ]
    if not changed:
        return (
            "No change of level is shown. It takes three results before a change and two after it."
        )
    return "Changes of level: " + "; ".join(changed)


def to_json(history: History) -> str:
    """Return a history as one JSON document."""
    return json.dumps(
        {
            "experiment": history.experiment,
            "results": [
                {"name": each.name, "began_unix_s": each.unix_s, "server": each.version}
                for each in history.moments
            ],
            "lines": [
                {
                    "cell": dict(line.cell.levels),
                    "metric": line.metric.name.value,
                    "unit": _unit(line, history),
                    "values": [
                        _value(estimate, judged)
                        for estimate, judged in zip(line.estimates, line.judged, strict=True)
                    ],
                }
                for line in history.lines
            ],
        },
        indent=2,
    )


def _value(estimate: Estimate | None, judged: Judged | None) -> dict[str, Any] | None:
    if estimate is None or judged is None:
        return None
    return {
        "mean": estimate.mean,
        "low": estimate.low,
        "high": estimate.high,
        "rounds": estimate.count,
        "standing": judged.standing.value,
        "expected": judged.expected,
        "expected_low": judged.low,
        "expected_high": judged.high,
    }


def write_csv(history: History, path: Path) -> None:
    """Write a row for each result: time, name and server, then a column for each cell and metric.

    Otava's CSV importer takes the time, attributes and metrics by the names of columns; a metric
    that a result lacks, or that cannot be compared, is empty.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["time", "result", "server", *_columns(history.lines)])
    for place, moment in enumerate(history.moments):
        began = datetime.fromtimestamp(moment.unix_s, UTC).isoformat(timespec="seconds")
        shown = [_compared(line.judged[place]) for line in history.lines]
        writer.writerow([began, moment.name, moment.version, *shown])
    with file_errors(f"write {path}", InputError):
        path.write_text(text.getvalue(), encoding="utf-8", newline="")


def _compared(judged: Judged | None) -> str:
    """Return a figure; empty where there is none to compare."""
    if judged is None or judged.standing is Standing.OTHER_CLIENTS:
        return ""
    return f"{judged.value:.6g}"


def _columns(lines: Sequence[Line]) -> list[str]:
    """Return a name for each line; those that would be alike have a number behind them."""
    names: list[str] = []
    for line in lines:
        name, number = _column(line), 2
        while name in names:
            name, number = f"{_column(line)}_{number}", number + 1
        names.append(name)
    return names


def _column(line: Line) -> str:
    """Return a name of letters, digits and underscores that starts with the metric."""
    cell = "_".join(f"{name}_{level}" for name, level in line.cell.levels)
    words = [line.metric.name.value, *filter(None, [cell])]
    return "".join(char if char.isalnum() else "_" for char in "_".join(words))
