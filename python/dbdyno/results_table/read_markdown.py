"""Pipe tables of Markdown; ``^`` merges a cell with the one above, ``<`` with that to the left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from dbdyno.results_table.heading_rows import below_headings
from dbdyno.results_table.lost_merges import with_lost_merges
from dbdyno.results_table.numbers import plain_text, read_number
from dbdyno.results_table.pipe_text import with_tables
from dbdyno.results_table.raw import RawRow, RawTable, Text, refuse_large
from dbdyno.results_table.read_csv import decode
from dbdyno.results_table.sections import section_of

ABOVE, LEFT = "^", "<"


def read_markdown(path: Path, content: bytes) -> list[RawTable]:
    """Return all pipe tables of a file, in their order."""
    written = with_tables(decode(content))
    tokens = MarkdownIt("commonmark").enable("table").parse(written.text)
    tables: list[_Found] = []
    caption, above = "", list[Text]()
    section: tuple[str, str] | None = None
    is_open = is_beside = False
    for place, token in enumerate(tokens):
        line = written.number(token.map[0]) if token.map else 0
        if token.type == "heading_open":
            caption, above, is_beside = tokens[place + 1].content, [], False
            section = section_of(caption, None)
        elif token.type == "table_open":
            tables.append(_Found(caption, [], [], above, section))
            above, is_open, is_beside = [], True, True
        elif token.type == "table_close":
            is_open = False
        elif token.type == "tr_open":
            tables[-1].rows.append(RawRow(line, _cells(tokens, place)))
            tables[-1].bold.append(_begins_bold(tokens, place))
        elif token.type == "paragraph_open" and not is_open:
            text = Text(line, plain_text(tokens[place + 1].content))
            (tables[-1].texts if is_beside else above).append(text)
            for each in text.text.splitlines():
                section = section_of(each, section)
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
    bold: list[bool]
    """Of each row, whether its first cell is bold."""
    texts: list[Text]
    section: tuple[str, str] | None

    def heading_rows(self) -> int:
        """Return how many rows at the top are headings: the first, and what belongs to it.

        What is merged with a heading is one, and so are rows that begin in bold down to one that
        names what is below it, and has no number.
        """
        merged = next((n for n, row in enumerate(self.rows) if n > 0 and ABOVE not in row.cells), 1)
        bold = next((n for n, is_one in enumerate(self.bold) if n > merged - 1 and not is_one), 0)
        named = (n for n in range(bold, merged, -1) if _is_of_names(self.rows[n - 1]))
        return next(named, merged)


def _is_of_names(row: RawRow) -> bool:
    return all(read_number(cell) is None for cell in row.cells[1:])


def _table(path: Path, number: int, found: _Found, *, is_alone: bool) -> RawTable:
    title, rows = found.title, found.rows
    refuse_large(path, len(rows), len(rows[0].cells))
    filled, heads = with_lost_merges(rows) or (_merged(rows), found.heading_rows())
    headings, body = below_headings(path, [row.cells for row in filled[:heads]], filled[heads:])
    return RawTable(
        path, number, title, headings, body, is_alone, tuple(found.texts), found.section
    )


def _cells(tokens: Sequence[Token], place: int) -> tuple[str, ...]:
    """Return the texts of the row that begins at a place."""
    cells: list[str] = []
    while (token := tokens[place]).type != "tr_close":
        place += 1
        if token.type == "inline":
            cells.append("".join(_texts(token.children or [])).strip())
    return tuple(cells)


def _texts(children: Sequence[Token]) -> Iterator[str]:
    """Yield what a cell says. Stars within it are those of products: ``14*2*2`` is no emphasis."""
    shown = [child for child in children if child.type != "text" or child.content]
    is_all = bool(shown) and shown[0].type == "em_open"
    for child in shown:
        is_star = child.type in ("em_open", "em_close") and child.markup == "*" and not is_all
        yield "*" if is_star else child.content


def _begins_bold(tokens: Sequence[Token], place: int) -> bool:
    """Tell whether the first cell of the row that begins at a place is bold."""
    while tokens[place].type != "inline":
        place += 1
    children = tokens[place].children or []
    shown = [child for child in children if child.type != "text" or child.content]
    return bool(shown) and shown[0].type == "strong_open"


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
