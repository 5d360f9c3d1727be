"""A table as a file has it: texts, and where each row stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.errors import InputError

MOST_CELLS = 2_000_000

TABLE_IN_FILE = ", table "
"""Stands between the name of a file and the number of one of its tables."""


def name_of_tables(file: str, numbers: Sequence[int]) -> str:
    """Return how messages call several tables of a file: ``report.md, tables 2 to 9``."""
    first, last = numbers[0], numbers[-1]
    is_run = len(numbers) > 2 and list(numbers) == list(range(first, last + 1))
    told = f"{first} to {last}" if is_run else ", ".join(map(str, numbers))
    return f"{file}, tables {told}"


@dataclass(frozen=True)
class Text:
    """A paragraph beside a table; ``line`` is that of the file, from 1."""

    line: int
    text: str


@dataclass(frozen=True)
class RawRow:
    """The texts of one row; ``line`` is that of the file, from 1."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True)
class RawTable:
    """A rectangle of texts below its headings.

    ``position`` counts the tables of a file from 1. ``caption`` is the heading above it, or empty.
    """

    path: Path
    position: int
    caption: str
    headings: tuple[str, ...]
    rows: tuple[RawRow, ...]
    is_alone: bool = True
    """Whether the file has no other table."""
    texts: tuple[Text, ...] = ()
    """The paragraphs of its section: all behind it, and before the first table those above."""
    section: tuple[str, str] | None = None
    """Factor and level, where a line above it says ``buffer pool = 48G``."""

    @property
    def name(self) -> str:
        """Return how messages call it."""
        return (
            self.path.name if self.is_alone else f"{self.path.name}{TABLE_IN_FILE}{self.position}"
        )


def refuse_large(path: Path, rows: int, columns: int) -> None:
    """Raise InputError for a rectangle that would not fit into memory.

    Spans, and rows that are cut short, write one in few bytes.
    """
    if rows * columns > MOST_CELLS:
        raise InputError(
            f"{path}: a table of {rows:,} rows and {columns:,} columns is too large; name a file "
            f"with at most {MOST_CELLS:,} cells a table"
        )
