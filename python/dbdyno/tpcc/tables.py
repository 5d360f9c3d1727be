"""Parts of queries: the tables' names, some warehouses, exact amounts, comparing with NULL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dbdyno.tpcc.naming import TableNames
from dbdyno.tpcc.schema import TpccSchema


@dataclass(frozen=True)
class Run:
    """Warehouses that follow each other, from the first to the last."""

    first: int
    last: int


def runs(warehouses: Sequence[int], longest: int | None) -> Iterator[Run]:
    """Yield the warehouses as few runs, none longer than so many."""
    numbers = sorted(set(warehouses))
    start = 0
    for at in range(1, len(numbers) + 1):
        is_gap = at == len(numbers) or numbers[at] != numbers[at - 1] + 1
        if is_gap or at - start == longest:
            yield Run(numbers[start], numbers[at - 1])
            start = at


@dataclass(frozen=True)
class Tables:
    """A schema and a run of warehouses, with which a condition writes its query."""

    schema: TpccSchema
    run: Run

    @property
    def names(self) -> TableNames:
        """Return the names of the tables."""
        return self.schema.names

    @property
    def select_groups(self) -> str:
        """Return the beginning of a query with many groups."""
        return self.schema.dialect.select_groups

    def only(self, column: str) -> str:
        """Return the condition that a warehouse's number is in the run.

        Where it is one warehouse an equality says so: it leaves the order of the key to GROUP BY.
        """
        if self.run.first == self.run.last:
            return f"{column} = {self.run.first}"
        return f"{column} BETWEEN {self.run.first} AND {self.run.last}"

    def whole_key(self, warehouse: str, *others: str) -> str:
        """Return the condition that a key is of the run and has no NULL, so that it may match."""
        return " AND ".join([self.only(warehouse), *(f"{other} IS NOT NULL" for other in others)])

    def exact(self, column: str) -> str:
        """Return an amount that can be summed and compared without rounding."""
        return self.schema.dialect.exact.format(column)

    def amount(self, value: int) -> str:
        """Return a whole number of currency in the unit of ``exact``."""
        return str(value * self.schema.dialect.units)

    def differs(self, one: str, other: str) -> str:
        """Return the condition that two values are not the same, NULL being a value too."""
        return self.schema.dialect.differs.format(one, other)

    def any_deviates(self, stated: str, derived: str, row: str) -> str:
        """Return the condition on a group that one of its rows states something else, or nothing.

        ``stated`` and ``row`` are columns, NULL in the rows of the other side; ``row`` is not NULL
        where something has to be stated. ``derived`` is an aggregate that is never NULL then.
        """
        return (
            f"(MAX({stated}) <> {derived} OR MIN({stated}) <> {derived} "
            f"OR COUNT({stated}) < COUNT({row}))"
        )

    def deviating(self, stated: str, derived: str) -> str:
        """Return what a row of such a group states that does: another value, or NULL."""
        return (
            f"CASE WHEN MAX({stated}) <> {derived} THEN MAX({stated}) "
            f"ELSE NULLIF(MIN({stated}), {derived}) END"
        )
