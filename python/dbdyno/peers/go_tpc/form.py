"""go-tpc's three forms of output: lines, tables of characters, JSON; byte for byte in form."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

Row = Sequence[str]

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def render(output: str, headers: Row, rows: Sequence[Row], plain: str) -> str:
    """Return rows in a form; ``plain`` has the lines of that form. No rows are no output."""
    if not rows:
        return ""
    if output == "table":
        return _table(headers, rows)
    if output == "json":
        objects = [dict(zip(headers, row, strict=True)) for row in rows]
        return json.dumps(objects, sort_keys=True, separators=(",", ":")) + "\n"
    return plain


def _table(headers: Row, rows: Sequence[Row]) -> str:
    titles = [header.upper() for header in headers]
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+\n"
    heading = [_centred(title, width + 2) for title, width in zip(titles, widths, strict=True)]
    lines = [
        "|" + "|".join(f" {_aligned(*cell)} " for cell in zip(row, widths, strict=True)) + "|\n"
        for row in rows
    ]
    return "".join([rule, f"|{'|'.join(heading)}|\n", rule, *lines, rule])


def _centred(text: str, width: int) -> str:
    left = (width - len(text)) // 2
    return f"{' ' * left}{text}{' ' * (width - len(text) - left)}"


def _aligned(text: str, width: int) -> str:
    return f"{text:>{width}}" if _NUMBER.fullmatch(text) else f"{text:<{width}}"
