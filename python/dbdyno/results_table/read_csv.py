"""CSV with whatever delimiter and encoding; one table a file."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.experiment.file.quantity import without_commands
from dbdyno.results_table.raw import RawRow, RawTable, refuse_large

ENCODINGS = ("utf-8-sig", "gb18030", "latin-1")
DELIMITERS = ",;\t|"


def read_csv(path: Path, content: bytes) -> list[RawTable]:
    """Return the table of a file; InputError where a row has more cells than the heading."""
    text = decode(content)
    # The file is bounded as a whole, and read with delimiters that may not be its own.
    csv.field_size_limit(max(len(text), csv.field_size_limit()))
    delimiter = _delimiter(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows: list[RawRow] = []
    try:
        rows.extend(
            RawRow(reader.line_num, tuple(cell.strip() for cell in cells))
            for cells in reader
            if any(cell.strip() for cell in cells) and not cells[0].startswith("#")
        )
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: is no CSV: {error}") from None
    return _table(path, rows)


def decode(content: bytes) -> str:
    """Return the text of a file: UTF-8 or UTF-16 by its mark, else Chinese, else Western.

    Lines end with a line feed, and commands to a terminal are replaced: cells are printed.
    """
    text = _decoded(content).replace("\r\n", "\n").replace("\r", "\n")
    return without_commands(text)


def _decoded(content: bytes) -> str:
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", errors="replace")
    for encoding in ENCODINGS:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise AssertionError("Latin-1 knows all bytes")


def _delimiter(text: str) -> str:
    """Return the delimiter that parts most lines into the same number of cells, two at least."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")][:50]
    best, best_score = ",", 0
    for delimiter in DELIMITERS:
        widths = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        usual = max(set(widths), key=widths.count) if widths else 1
        score = widths.count(usual) * 100 + usual if usual > 1 else 0
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _table(path: Path, rows: list[RawRow]) -> list[RawTable]:
    # Titles above a table have one cell.
    start = next((n for n, row in enumerate(rows) if sum(map(bool, row.cells)) > 1), len(rows))
    if start >= len(rows):
        return []
    caption = " ".join(row.cells[0] for row in rows[:start])
    headings, body = rows[start].cells, rows[start + 1 :]
    for row in body:
        if len(row.cells) > len(headings) and any(row.cells[len(headings) :]):
            raise InputError(
                f"{path}:{row.line}: has {len(row.cells)} cells and the heading {len(headings)}; "
                "put a cell that holds the delimiter into quotes"
            )
    refuse_large(path, len(body), len(headings))
    filled = (row.cells[: len(headings)] for row in body)
    padded = [(*cells, *[""] * (len(headings) - len(cells))) for cells in filled]
    kept = tuple(RawRow(row.line, cells) for row, cells in zip(body, padded, strict=True))
    return [RawTable(path, 1, caption, headings, kept)]
