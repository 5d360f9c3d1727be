"""Tables of HTML, with cells that span rows and columns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lxml import etree, html

from dbdyno.errors import InputError
from dbdyno.experiment.file.quantity import without_commands
from dbdyno.results_table.heading_rows import below_headings
from dbdyno.results_table.raw import RawRow, RawTable, Text, refuse_large
from dbdyno.results_table.read_csv import decode

LARGEST_SPAN = 1000
"""As HTML limits the columns that a cell spans."""


def read_html(path: Path, content: bytes) -> list[RawTable]:
    """Return all tables of a page that hold no other table, in their order."""
    try:
        page = html.document_fromstring(decode(content))
    except (etree.ParserError, ValueError) as error:
        raise InputError(f"{path}: is no HTML: {error}") from None
    tables = [table for table in page.iter("table") if table.find(".//table") is None]
    found = [_table(path, n, table, len(tables) == 1) for n, table in enumerate(tables, 1)]
    texts = _texts(page, tables)
    return [
        replace(raw, texts=tuple(texts[place]))
        for place, raw in enumerate(found)
        if raw is not None
    ]


def _texts(page: html.HtmlElement, tables: list[html.HtmlElement]) -> list[list[Text]]:
    """Return the paragraphs beside each table, until the next heading."""
    found: list[list[Text]] = [[] for _ in tables]
    places = {table: place for place, table in enumerate(tables)}
    above: list[Text] = []
    last: int | None = None
    for element in page.iter("p", "li", "table", *(f"h{level}" for level in range(1, 7))):
        if element in places:
            last = places[element]
            found[last], above = above, []
        elif element.tag in ("p", "li"):
            text = Text(int(element.sourceline or 0), _text(element))
            (above if last is None else found[last]).append(text)
        elif element.tag != "table":
            above, last = [], None
    return found


def _table(path: Path, position: int, table: html.HtmlElement, is_alone: bool) -> RawTable | None:
    rows = [row for row in table.iter("tr") if len(row)]
    grid = _grid(path, rows)
    if not grid:
        return None
    heads = 0
    while heads < len(rows) - 1 and _is_heading(rows[heads]):
        heads += 1
    heads = max(heads, 1)
    width = max(map(len, grid))
    refuse_large(path, len(grid), width)
    padded = [(*cells, *[""] * (width - len(cells))) for cells in grid]
    caption = " ".join(_text(each) for each in table.iter("caption"))
    below = [
        RawRow(int(row.sourceline or 0), cells)
        for row, cells in zip(rows[heads:], padded[heads:], strict=True)
    ]
    headings, body = below_headings(path, grid[:heads], below)
    return RawTable(path, position, caption, headings, body, is_alone)


def _is_heading(row: html.HtmlElement) -> bool:
    parent = row.getparent()
    in_head = parent is not None and parent.tag == "thead"
    return in_head or all(cell.tag == "th" for cell in row if cell.tag in ("td", "th"))


def _grid(path: Path, rows: list[html.HtmlElement]) -> list[tuple[str, ...]]:
    """Return the texts of each row, with each cell in all places that it spans."""
    hanging: dict[int, tuple[int, str]] = {}
    grid = []
    for row in rows:
        cells: list[str] = []
        for cell in (each for each in row if each.tag in ("td", "th")):
            _hang(cells, hanging)
            text, down = _text(cell), _span(cell, "rowspan")
            refuse_large(path, len(rows), len(cells))
            for _ in range(_span(cell, "colspan")):
                if down > 1:
                    hanging[len(cells)] = (down - 1, text)
                cells.append(text)
        _hang(cells, hanging)
        grid.append(tuple(cells))
    return grid


def _hang(cells: list[str], hanging: dict[int, tuple[int, str]]) -> None:
    """Append what hangs down from above into the next places."""
    while len(cells) in hanging:
        left, text = hanging.pop(len(cells))
        if left > 1:
            hanging[len(cells)] = (left - 1, text)
        cells.append(text)


def _span(cell: html.HtmlElement, name: str) -> int:
    written = cell.get(name, "1").strip().lstrip("0")
    if not written.isdecimal():
        return 1
    return min(int(written), LARGEST_SPAN) if len(written) < 5 else LARGEST_SPAN


def _text(element: html.HtmlElement) -> str:
    return " ".join(without_commands(str(element.text_content())).split())
