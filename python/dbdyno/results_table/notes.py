"""Facts of the set-up that a Markdown file tells of its own tables, or of files that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dbdyno.contained_files import named_directory, read_file
from dbdyno.errors import InputError
from dbdyno.results_table.description import Facts
from dbdyno.results_table.numbers import LARGEST
from dbdyno.results_table.read_csv import decode

LARGEST_BYTES = 1_000_000
"""A longer text is no note."""
_TIME = r"(?P<number>\d+(?:\.\d+)?)[ -]?(?P<unit>s|sec|seconds?|min|minutes?|h|hours?|秒|分钟|小时)"
_PATTERNS = {
    "warehouses": (
        # From each digit on, a count of any length would be looked for to its end.
        r"(?<!\d)(?P<number>\d[\d,]{0,20}) warehouses?\b",
        r"\bwarehouses?\s*[:=]\s*(?P<number>\d[\d,]*)",
        r"(?<!\d)(?P<number>\d[\d,]{0,20}) ?仓(测试)?数据",
    ),
    "window_s": (
        rf"(?<![\d.]){_TIME} (each|measured|(per|a) (run|round|cell|test))\b",
        rf"\b(window|duration|measured)( of| for|:| =) {_TIME}\b",
        rf"测试(持续)? ?{_TIME}",
        rf"(?<![\d.]){_TIME}的?压力测试",
    ),
    "warmup_s": (
        rf"(warm[- ]?up|预热) ?{_TIME}",
        rf"(?<![\d.]){_TIME} (of )?warm-?up\b",
        rf"\bwarm-?up( of| for|:| =) {_TIME}\b",
        r"\b(no|without) (?P<number>)warm-?up\b",
    ),
    "success_percent": (
        r"\b(?P<number>100) ?% success\b",
        r"\bsuccess( rate)?( of|:| =| is) (?P<number>100) ?%",
    ),
}
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "秒": 1.0, "分": 60.0, "小": 3600.0}


@dataclass(frozen=True)
class Note:
    """A fact that a line of a text tells; ``fact`` is the name of a field of ``Facts``."""

    file: str
    line: int
    fact: str
    value: float


def notes_of(table: Path) -> list[Note]:
    """Return what the Markdown files in a table's folder tell of it, by name and line.

    A report's own tables are those of all its lines. A fact for which the lines give two values is
    left out: they may be of two tables.
    """
    found = [
        note
        for path in sorted(named_directory(table.parent).glob("*.md"))
        for note in _of_file(path, "" if path.name == table.name else table.name)
    ]
    values: dict[str, set[float]] = {}
    for note in found:
        values.setdefault(note.fact, set()).add(note.value)
    first = {note.fact: note for note in reversed(found) if len(values[note.fact]) == 1}
    return [first[fact] for fact in _PATTERNS if fact in first]


def with_notes(facts: Facts, notes: list[Note]) -> tuple[Facts, tuple[Note, ...]]:
    """Return facts with those that notes add, and these notes: what is described is not theirs."""
    added = tuple(note for note in notes if getattr(facts, note.fact) is None)
    values = {
        note.fact: int(note.value) if note.fact == "warehouses" else note.value for note in added
    }
    return facts.model_copy(update=values), added


def _of_file(path: Path, name: str) -> Iterator[Note]:
    try:
        content = read_file(path, LARGEST_BYTES)
    except (OSError, InputError):
        return
    # ``rates.csv`` is not named by ``other-rates.csv``.
    named = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])" if name else "")
    for line, text in enumerate(decode(content).splitlines(), start=1):
        if named.search(text):
            yield from _of_line(path.name, line, text)


def _of_line(file: str, line: int, text: str) -> Iterator[Note]:
    for fact, patterns in _PATTERNS.items():
        for pattern in patterns:
            for match in re.finditer(pattern, text, re.IGNORECASE):
                value = float(match["number"].replace(",", "") or 0)
                unit = match.groupdict().get("unit")
                scale = _SECONDS[unit[0].lower()] if unit else 1.0
                if 0 < value < LARGEST or (fact == "warmup_s" and value == 0):
                    yield Note(file, line, fact, value * scale)
