"""A row of a table as HTML: a template would be slow for the hundred thousand cells of a large one.

Most cells are figures, so that figures need no class: text has one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from markupsafe import Markup, escape

from dbdyno.report.document.model import Cell, Column, Tone

_BREAKS = re.compile(r"([=_/,.])(?=\w)")
"""After a sign that names are made of, in the midst of one."""

DIGITS = 9
"""Of the exact figure that goes with a rounded one; whole numbers have all of theirs."""


def row_html(row: Sequence[Cell], columns: Sequence[Column]) -> Markup:
    """Return a row; where headers above it span it, its cells are those of the last columns."""
    first = len(columns) - len(row) if columns else 0
    cells = (
        _cell(cell, is_number=bool(columns) and columns[first + place].is_number)
        for place, cell in enumerate(row)
    )
    return Markup(f"<tr>{''.join(cells)}</tr>")


def breakable(text: str) -> Markup:
    """Let a long name go on in a second line after a sign in it: it would make a column wide."""
    return Markup(_BREAKS.sub(r"\1<wbr>", str(escape(text))))


def exact(value: float) -> str:
    """Return the figure that is copied from a cell."""
    return str(int(value)) if float(value).is_integer() else f"{value:.{DIGITS}g}"


def _cell(cell: Cell, *, is_number: bool) -> str:
    is_apart = cell.tone is Tone.APART
    text_class = "" if is_number or cell.is_header else "t"
    classes = " ".join(filter(None, (text_class, "apart" if is_apart else "", cell.shade)))
    attributes = f' class="{classes}"' if classes else ""
    below = _below(cell) if cell.below else ""
    text = _text(cell)
    if cell.tone and not below and not is_apart:
        text = f'<span class="{cell.tone}">{text}</span>'
    if not cell.is_header:
        return f"<td{attributes}>{text}{below}</td>"
    span = f' rowspan="{cell.rows}"' if cell.rows > 1 else ""
    scope = "rowgroup" if cell.rows > 1 else "row"
    return f'<th scope="{scope}"{span}{attributes}>{text}{below}</th>'


def _text(cell: Cell) -> str:
    if cell.value is not None:
        value = exact(cell.value)
        # What shows the exact figure needs no second one.
        return value if value == cell.text else f'<data value="{value}">{escape(cell.text)}</data>'
    if cell.is_code:
        return f"<code>{escape(cell.text)}</code>"
    return breakable(cell.text) if cell.is_header else escape(cell.text)


def _below(cell: Cell) -> str:
    tone = f' class="{cell.tone}"' if cell.tone else ""
    return f"<small{tone}>{escape(cell.below)}</small>"
