"""What all transactions are written with: whose tables, which dialect; and how rows are read."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from dbdyno.tpcc.acid.connection import Rows
from dbdyno.tpcc.acid.dialect import TransactionDialect
from dbdyno.tpcc.acid.steps import StatementError
from dbdyno.tpcc.naming import TableNames

CENT = Decimal("0.01")


@dataclass(frozen=True)
class Writing:
    """The tables' names and the server's dialect."""

    names: TableNames
    dialect: TransactionDialect


@dataclass(frozen=True)
class Customer:
    """A customer by his key."""

    warehouse: int
    district: int
    number: int

    @property
    def place(self) -> tuple[int, int]:
        """Return his warehouse and district."""
        return self.warehouse, self.district

    def __str__(self) -> str:
        return f"customer {self.number} of district {self.district}, warehouse {self.warehouse}"


def number(value: str | None) -> int:
    """Return a column that is a whole number; some tools have decimals for it."""
    return int(Decimal(value or 0))


def money(value: str | None) -> Decimal:
    """Return a column that is an amount; SQLite has floats for it."""
    return Decimal(value or 0).quantize(CENT)


def one_row(rows: Rows, what: str) -> tuple[str | None, ...]:
    """Return the only row; ``StatementError`` where it is missing."""
    if len(rows) != 1:
        raise StatementError(f"{what} is there {len(rows)} times")
    return rows[0]
