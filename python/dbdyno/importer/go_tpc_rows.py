"""The rows of go-tpc's output, in its three forms: plain, table and JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

_PLAIN = re.compile(r"\[(Current|Summary)\] (\S+) *- (Takes\(s\): .+)")
_THINKING = re.compile(r"\[Summary\] (KEYING|THINKING)TIME-\S+ - ")
_TOTALS = re.compile(r"tpmC: ")
_JSON_BEGIN = re.compile(r'\[\{"')


@dataclass(frozen=True)
class Row:
    """What is told of an operation in an interval, or of all of them; times stand as text.

    ``prefix`` is ``current``, ``summary``, ``totals``, which has no operation, or ``thinking``.
    """

    prefix: str
    operation: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)


def rows(lines: Sequence[str]) -> Iterator[tuple[int, Row]]:
    """Yield all rows of a log in order, each with the index of its line."""
    columns: list[str] = []
    for index, line in enumerate(lines):
        if found := _PLAIN.match(line):
            yield index, Row(found[1].lower(), found[2].upper(), _fields(found[3]))
        elif _TOTALS.match(line):
            yield index, Row("totals", fields=_fields(line))
        elif _THINKING.match(line):
            yield index, Row("thinking")
        elif line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if cells[0] in ("PREFIX", "TPMC"):
                columns = [cell.lower() for cell in cells]
            elif len(cells) == len(columns):
                yield index, _row(dict(zip(columns, cells, strict=True)))
        elif _JSON_BEGIN.match(line):
            yield from ((index, row) for row in _json_rows(line))


def _fields(text: str) -> dict[str, str]:
    parts = (part.partition(": ") for part in text.split(", "))
    return {name.strip().lower(): value.strip() for name, _, value in parts}


def _row(told: Mapping[str, str]) -> Row:
    if "tpmc" in told:
        return Row("totals", fields=told)
    prefix = told.get("prefix", "").strip("[] ").lower()
    return Row(prefix, told.get("operation", "").upper(), told)


def _json_rows(line: str) -> Iterator[Row]:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return
    for each in document:
        if isinstance(each, dict):
            yield _row({str(name).lower(): str(value) for name, value in each.items()})
