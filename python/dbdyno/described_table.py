"""Tables whose columns say what they mean.

They are declared once: what is stored and what is explained cannot differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class Column:
    """A column of a stored table. ``unit`` is empty of names and of plain numbers."""

    kind: pl.DataType
    unit: str
    meaning: str


@dataclass(frozen=True)
class DescribedTable:
    """A stored table: what each row is of, and its columns by name."""

    row: str
    columns: Mapping[str, Column]

    @property
    def schema(self) -> pl.Schema:
        """The names and types of the columns, as Polars has them."""
        return pl.Schema({name: column.kind for name, column in self.columns.items()})


def name(meaning: str) -> Column:
    """Return a column of names or other texts."""
    return Column(pl.String(), "", meaning)


def number(meaning: str) -> Column:
    """Return a column of whole numbers that count nothing."""
    return Column(pl.Int64(), "", meaning)


def count(meaning: str, unit: str = "count") -> Column:
    """Return a column of counts of things."""
    return Column(pl.Int64(), unit, meaning)


def seconds(meaning: str) -> Column:
    """Return a column of seconds."""
    return Column(pl.Float64(), "s", meaning)


def milliseconds(meaning: str) -> Column:
    """Return a column of milliseconds."""
    return Column(pl.Float64(), "ms", meaning)


def share(meaning: str) -> Column:
    """Return a column of shares between 0 and 1."""
    return Column(pl.Float64(), "share", meaning)
