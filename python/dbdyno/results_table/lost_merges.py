"""Tables whose merged cells were lost where a page was copied as Markdown: cells slip to the left.

::

    memory | kind | total | TPS  |   |   |       memory | kind | total A | total B | TPS A | TPS B
    A | B | A | B |   |   |                 is   8G     | one  | 10      | 5       | 1     | 0.5
    8G | one | 10 | 5 | 1 | 0.5 |                8G     | two  | 20      | 6       | 2     | 0.6
    two | 20 | 6 | 2 | 0.6 |   |

It is put back where the counts of cells, and what is a number, leave no other way.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.results_table.numbers import read_number
from dbdyno.results_table.raw import RawRow

Cells = tuple[str, ...]

FEWEST_HEADS = 2


def with_lost_merges(rows: Sequence[RawRow]) -> tuple[list[RawRow], int] | None:
    """Return the rows with all cells in place, and how many are headings; None of other tables."""
    if len(rows) <= FEWEST_HEADS:
        return None
    first, second, *body = rows
    heads = _heads(_filled(first), _filled(second), len(first.cells))
    placed = _placed(body) if heads is not None else None
    if heads is None or placed is None:
        return None
    return [RawRow(first.line, heads[0]), RawRow(second.line, heads[1]), *placed], FEWEST_HEADS


def _filled(row: RawRow) -> Cells | None:
    """Return the cells of a row down to its last text; None where an empty one is among them."""
    cells = [cell for cell in row.cells if cell]
    return tuple(cells) if cells == list(row.cells[: len(cells)]) else None


def _heads(first: Cells | None, second: Cells | None, width: int) -> tuple[Cells, Cells] | None:
    """Return two rows of headings: the last of the first row each stand over the same few."""
    if not first or not second or len(first) >= width:
        return None
    tall = width - len(second)
    wide = first[tall:]
    if not 0 < tall < len(first) or len(second) % len(wide):
        return None
    span = len(second) // len(wide)
    group = second[:span]
    if span < 2 or len(set(group)) < span or second != group * len(wide):
        return None
    names = [name for name in wide for _ in range(span)]
    return (*first[:tall], *names), (*first[:tall], *second)


def _placed(body: Sequence[RawRow]) -> list[RawRow] | None:
    """Return the rows with those moved to the right that lack what an earlier row begins with.

    A row has moved where texts and numbers then stand in the columns of such. None where some row
    fits nowhere, or is cut short and fits where it is: nobody knows which cells it lacks.
    """
    whole = next((row.cells for row in body if all(row.cells)), None)
    placed: list[RawRow] = []
    for row in body:
        cells = _filled(row)
        lacking = None if whole is None or cells is None else _lacking(cells, whole)
        if whole is None or cells is None or lacking is None or (lacking and not placed):
            return None
        known = (*(placed[-1].cells[:lacking] if lacking else ()), *cells)
        placed.append(RawRow(row.line, (*known, *[""] * (len(whole) - len(known)))))
    return placed


def _lacking(cells: Cells, whole: Cells) -> int | None:
    """Return how many cells a row lacks on its left; None where that is not known."""
    for count in range(len(whole) - len(cells) + 1):
        if _are_alike(cells, whole[count:]):
            return None if count == 0 and len(cells) < len(whole) else count
    return None


def _are_alike(cells: Cells, whole: Cells) -> bool:
    return all(
        _is_number(own) is _is_number(other) for own, other in zip(cells, whole, strict=False)
    )


def _is_number(cell: str) -> bool:
    return read_number(cell) is not None
