"""Reads what go-tpc prints of a run, byte for byte in its three forms: another form is an error.

One reader for the tool's own output and for dbdyno's. The files ``tests/data/peers/go-tpc-*.txt``
are what the tool printed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

COLUMNS = (
    *("Takes(s)", "Count", "TPM", "Sum(ms)", "Avg(ms)"),
    *("50th(ms)", "90th(ms)", "95th(ms)", "99th(ms)", "99.9th(ms)", "Max(ms)"),
)
HEADERS = ("Prefix", "Operation", *COLUMNS)
WAIT_HEADERS = ("Prefix", "Operation", "Avg(s)")
THROUGHPUT = ("tpmC", "tpmTotal", "efficiency")

FIGURE = r"\d+\.\d"
FIELDS = ", ".join(rf"{re.escape(column)}: (\d+(?:\.\d)?)" for column in COLUMNS)
LINE = re.compile(rf"(\[(?:Current|Summary)\] )([A-Z_]+) *- {FIELDS}")
WAIT = re.compile(r"(\[(?:Current|Summary)\] )((?:KEYING|THINKING)TIME-[A-Z_]+) - (\d+\.\d)s")
LAST = re.compile(rf"tpmC: ({FIGURE}), tpmTotal: ({FIGURE}), efficiency: ({FIGURE})%")
# Its own words about threads that the end has cut off, which may have several lines of SQL.
TOLD = re.compile(r"\d{4}/|\[\d{4}-|c_credit|AND c_id|\t\(|\) ")

Row = dict[str, str]


@dataclass
class RunOutput:
    """What was printed: a list of rows for each interval, by operation."""

    intervals: list[dict[str, Row]] = field(default_factory=list)
    summary: dict[str, Row] = field(default_factory=dict)
    waits: list[tuple[str, str, float]] = field(default_factory=list)
    """Prefix, operation and seconds."""
    throughput: dict[str, float] = field(default_factory=dict)


def read_run(text: str, form: str) -> RunOutput:
    """Read all that was printed of a run in a form: plain, table or json."""
    blocks = {"plain": _plain, "table": _tables, "json": _objects}[form]
    lines = [line for line in text.splitlines() if not TOLD.match(line)]
    if lines.count("Finished") != 1:
        raise ValueError(f"there is one line Finished: {text!r}")
    at = lines.index("Finished")
    output = RunOutput()
    for rows in blocks(lines[:at]):
        _take(output, rows, "[Current] ")
    for rows in blocks(lines[at + 1 :]):
        _take(output, rows, "[Summary] ")
    return output


def _take(output: RunOutput, rows: Sequence[Row], prefix: str) -> None:
    names = set(rows[0])
    if names == set(THROUGHPUT):
        (row,) = rows
        if not row["efficiency"].endswith("%"):
            raise ValueError(f"an efficiency is in percent: {row}")
        output.throughput = {name: float(value.rstrip("%")) for name, value in row.items()}
        return
    if any(row["Prefix"] != prefix for row in rows):
        raise ValueError(f"not all of {prefix}: {rows}")
    operations = [row["Operation"] for row in rows]
    if operations != sorted(operations):
        raise ValueError(f"operations are sorted: {operations}")
    if names == set(WAIT_HEADERS):
        output.waits += [
            (prefix, row["Operation"], float(row["Avg(s)"].removesuffix("s"))) for row in rows
        ]
    elif prefix == "[Summary] ":
        output.summary = dict(zip(operations, rows, strict=True))
    else:
        output.intervals.append(dict(zip(operations, rows, strict=True)))


def _plain(lines: Sequence[str]) -> Iterator[list[Row]]:
    """Yield blocks of lines: the next begins where an operation does not come after the last."""
    block: list[Row] = []
    for line in lines:
        row = _row(line)
        if block and (set(row) != set(block[0]) or row["Operation"] <= block[-1]["Operation"]):
            yield block
            block = []
        block.append(row)
    if block:
        yield block


def _row(line: str) -> Row:
    if found := LINE.fullmatch(line):
        return dict(zip(HEADERS, found.groups(), strict=True))
    if found := WAIT.fullmatch(line):
        prefix, operation, seconds = found.groups()
        return {"Prefix": prefix, "Operation": operation, "Avg(s)": f"{seconds}s"}
    if found := LAST.fullmatch(line):
        tpmc, total, efficiency = found.groups()
        return dict(zip(THROUGHPUT, (tpmc, total, f"{efficiency}%"), strict=True))
    raise ValueError(f"{line!r} has none of go-tpc's forms")


def _objects(lines: Sequence[str]) -> Iterator[list[Row]]:
    for line in lines:
        rows = json.loads(line)
        if json.dumps(rows, sort_keys=True, separators=(",", ":")) != line:
            raise ValueError(f"not in Go's form: {line!r}")
        yield rows


def _tables(lines: Sequence[str]) -> Iterator[list[Row]]:
    rest = list(lines)
    while rest:
        rule = rest[0]
        if not re.fullmatch(r"\+(-+\+)+", rule) or rest[2] != rule:
            raise ValueError(f"not the beginning of a table: {rest[:3]}")
        end = rest.index(rule, 3)
        yield _table(rest[1], rest[3:end], [len(part) for part in rule[1:-1].split("+")])
        rest = rest[end + 1 :]


def _table(heading: str, lines: Sequence[str], widths: Sequence[int]) -> list[Row]:
    titles = _cells(heading, widths)
    known = {
        tuple(name.upper() for name in names): names
        for names in (HEADERS, WAIT_HEADERS, THROUGHPUT)
    }
    names = known[tuple(title.strip() for title in titles)]
    for title in titles:
        left = len(title) - len(title.lstrip())
        if left != (len(title) - len(title.strip())) // 2:
            raise ValueError(f"{title!r} is not in the middle")
    return [
        {name: _value(name, cell) for name, cell in zip(names, _cells(line, widths), strict=True)}
        for line in lines
    ]


def _cells(line: str, widths: Sequence[int]) -> list[str]:
    cells = line[1:-1].split("|")
    if not (line[0] == line[-1] == "|") or [len(cell) for cell in cells] != list(widths):
        raise ValueError(f"{line!r} does not fit its table")
    return cells


def _value(name: str, cell: str) -> str:
    """Return a cell's text: numbers stand to the right, all else to the left."""
    text = cell.strip()
    is_number = re.fullmatch(r"\d+(\.\d)?", text) is not None
    padded = f"{text:>{len(cell) - 2}}" if is_number else f"{text:<{len(cell) - 2}}"
    if cell != f" {padded} ":
        raise ValueError(f"{cell!r} is not where it belongs")
    return f"{text} " if name == "Prefix" else text
