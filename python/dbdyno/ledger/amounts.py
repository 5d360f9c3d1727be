"""Amounts that a workload's transactions change and that a server can tell cheaply."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

from dbdyno._native import Session

CENTS = 100


@dataclass(frozen=True)
class Amount:
    """A number that grows by what is acknowledged.

    ``name`` is the generator's, ``title`` says what is counted, ``source`` where it is stored. The
    ``queries`` give numbers whose sum is in the generator's unit, ``units`` of which are one of
    what is shown. A difference below ``tolerance`` is none: a column may be a float.
    ``only_grows``: whatever others do to the tables, the number does not become smaller.
    """

    name: str
    title: str
    source: str
    queries: tuple[str, ...]
    units: int = 1
    tolerance: int = 0
    only_grows: bool = False

    def read(self, session: Session) -> int:
        """Return what is stored now."""
        return sum(_number(session, query) for query in self.queries)

    def shown(self, number: int) -> str:
        """Return a number as people write it."""
        return f"{number:,}" if self.units == 1 else f"{number / self.units:,.2f}"


def _number(session: Session, query: str) -> int:
    ((value,),) = session.query(query)
    return int(Decimal(value or 0).to_integral_value(ROUND_HALF_EVEN))


def newest(session: Session, table: str, key: str) -> int:
    """Return the largest key of a table."""
    return _number(session, f"SELECT COALESCE(MAX({key}), 0) FROM {table}")
