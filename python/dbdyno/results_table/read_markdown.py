"""Pipe tables of Markdown; ``^`` merges a cell with the one above, ``<`` with that to the left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from dbdyno.results_table.numbers import plain_text
from dbdyno.results_table.raw import RawRow, RawTable, Text, joined_headings, refuse_large
from dbdyno.results_table.read_csv import decode

ABOVE, LEFT = "^", "<"


def read_markdown(path: Path, content: bytes) -> list[RawTable]:
    """Return all pipe tables of a file, in their order."""
    tokens = MarkdownIt("commonmark").enable("table").parse(decode(content))
    tables: list[_Found] = []
    caption, above = "", list[Text]()
    is_open = is_beside = False
    for place, token in enumerate(tokens):
        line = token.map[0] + 1 if token.map else 0
        if token.type == "heading_open":
            caption, above, is_beside = tokens[place + 1].content, [], False
        elif token.type == "table_open":
            tables.append(_Found(caption, [], above))
            above, is_open, is_beside = [], True, True
        elif token.type == "table_close":
            is_open = False
        elif token.type == "tr_open":
            tables[-1].rows.append(RawRow(line, _cells(tokens, place)))
        elif token.type == "paragraph_open" and not is_open:
            text = Text(line, plain_text(tokens[place + 1].content))
            (tables[-1].texts if is_beside else above).append(text)
    return [
        _table(path, number, found, is_alone=len(tables) == 1)
        for number, found in enumerate(tables, 1)
        if found.rows
    ]


@dataclass
class _Found:
    """A table as far as it has been read."""

    title: str
    rows: list[RawRow]
    texts: list[Text]


def _table(path: Path, number: int, found: _Found, *, is_alone: bool) -> RawTable:
    title, rows = found.title, found.rows
    refuse_large(path, len(rows), len(rows[0].cells))
    # What is merged with a heading is one.
    heads = next((n for n, row in enumerate(rows) if n > 0 and ABOVE not in row.cells), 1)
    filled = _merged(rows)
    headings = joined_headings([list(row.cells) for row in filled[:heads]])
    return RawTable(
        path, number, title, headings, tuple(filled[heads:]), is_alone, tuple(found.texts)
    )


def _cells(tokens: Sequence[Token], place: int) -> tuple[str, ...]:
    """Return the texts of the row that begins at a place."""
    cells: list[str] = []
    while (token := tokens[place]).type != "tr_close":
        place += 1
        if token.type == "inline":
            texts = (child.content for child in token.children or [] if child.content)
            cells.append("".join(texts).strip())
    return tuple(cells)


def _merged(rows: Sequence[RawRow]) -> list[RawRow]:
    """Return the rows with each merged cell filled by what it is merged with."""
    filled: list[RawRow] = []
    for row in rows:
        cells: list[str] = []
        for column, text in enumerate(row.cells):
            if text == ABOVE and filled:
                cells.append(filled[-1].cells[column])
            else:
                cells.append(cells[-1] if text == LEFT and cells else text)
        filled.append(RawRow(row.line, tuple(cells)))
    return filled
