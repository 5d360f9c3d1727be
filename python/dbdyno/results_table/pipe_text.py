"""Pipe tables as text that was copied from a page has them, made such as Markdown knows.

Copied tables stand in the middle of paragraphs and lists, and lack the line of dashes below their
headings. Both is put right, and so are headings that have slipped by one cell, as the first was
empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

_FENCE = re.compile(r"\s*(```|~~~)")
_BAR = re.compile(r"(?<!\\)\|")
_DASHES = re.compile(r"\s*\|?(\s*:?-+:?\s*\|)+\s*(:?-+:?)?\s*")
_FEWEST_CELLS = _FEWEST_ROWS = 2

Line = tuple[str, int]
"""A line with its number."""


@dataclass(frozen=True)
class PipeText:
    """A text with the numbers that its lines have in the file, from 1."""

    lines: tuple[str, ...]
    numbers: tuple[int, ...]

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines) + "\n"

    def number(self, line: int) -> int:
        """Return the number in the file of a line, from 0, of the text."""
        return self.numbers[min(line, len(self.numbers) - 1)]


def with_tables(text: str) -> PipeText:
    """Return a text in which Markdown finds each run of lines with bars as a table."""
    found: list[Line] = []
    for is_table, lines in groupby(_numbered(text), key=lambda line: line[2]):
        run = [(line, number) for line, number, _ in lines]
        if is_table and len(run) >= _FEWEST_ROWS:
            for part in _parts(run):
                found += [("", part[0][1]), *_as_table(part), ("", part[-1][1])]
        else:
            found += run
    return PipeText(tuple(line for line, _ in found), tuple(number for _, number in found))


def _numbered(text: str) -> Iterator[tuple[str, int, bool]]:
    """Yield lines with their numbers, and whether each may be a row; no code is."""
    is_code = False
    for number, line in enumerate(text.split("\n"), 1):
        is_code ^= _FENCE.match(line) is not None
        is_row = not is_code and len(cells_of(line)) >= _FEWEST_CELLS
        yield line, number, is_row


def cells_of(line: str) -> list[str]:
    """Return the cells of a line, of which the first and the last bar may be left out."""
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip() for cell in _BAR.split(inner)] if _BAR.search(line) else []


def _parts(run: Sequence[Line]) -> list[list[Line]]:
    """Return the tables of a run: one ends where the headings of the first come again.

    A line of one cell before the headings is the name of what follows; tables that stand side by
    side are taken apart. A table with its line of dashes is as its writer wanted it.
    """
    if _is_marked(run):
        return [list(run)]
    rows = [cells_of(line) for line, _ in run]
    start = 1 if sum(map(bool, rows[0])) == 1 else 0
    heads = rows[start]
    ends = [n for n in range(start + 1, len(rows)) if rows[n][1:] == heads[1:] and any(heads[1:])]
    parts = [list(run[a:b]) for a, b in pairwise([start, *ends, len(run)])]
    return [side for part in parts if len(part) >= _FEWEST_ROWS for side in _sides(part)]


def _sides(part: list[Line]) -> list[list[Line]]:
    """Return the two halves of a table whose headings come twice, but for the first of each."""
    rows = [cells_of(line) for line, _ in part]
    width = len([cell for cell in rows[0] if cell]) // 2
    heads = rows[0]
    if width < _FEWEST_CELLS or heads[1:width] != heads[width + 1 : 2 * width]:
        return [part]
    return [
        [
            (" | ".join(row[at : at + width]), number)
            for row, (_, number) in zip(rows, part, strict=True)
        ]
        for at in (0, width)
    ]


def _as_table(run: Sequence[Line]) -> list[Line]:
    if _is_marked(run):
        return list(run)
    heads, *rows = [cells_of(line) for line, _ in run]
    width = max(map(len, (heads, *rows)))
    heads += [""] * (width - len(heads))
    if _has_slipped(heads, rows):
        heads = ["", *heads[:-1]]
    first, number = run[0]
    indent = first[: len(first) - len(first.lstrip())]
    return [
        (f"{indent}| {' | '.join(heads)} |", number),
        (f"{indent}|{'---|' * width}", number),
        *((f"{indent}| {line.strip().removeprefix('|')}", each) for line, each in run[1:]),
    ]


def _is_marked(run: Sequence[Line]) -> bool:
    """Tell whether a table has its line of dashes below the headings."""
    return _DASHES.fullmatch(run[1][0]) is not None


def _has_slipped(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether an empty first heading was lost: the last one is empty, and no cell below."""
    return heads[-1] == "" and all(len(row) == len(heads) and row[-1] for row in rows)
