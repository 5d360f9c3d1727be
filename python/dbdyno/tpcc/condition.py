"""What a condition is: a query for the rows that violate it, with their keys and both values.

A sum over no rows is NULL and would hide the row that it belongs to: each query begins with the row
that must be there, and counts a missing sum as 0. Tables of many rows are never joined, for servers
that join row by row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dbdyno.tpcc.tables import Tables


@dataclass(frozen=True)
class Condition:
    """One condition.

    The query's columns are called ``columns`` to the user; those in ``amounts`` are money. Its
    first ``keys`` columns order its rows. ``longest_run`` is the number of warehouses that one
    query may be about: 1 where a query goes through all order lines, so that what the server has
    to keep at a time does not grow with the number of warehouses; None where it keeps little.
    ``number`` is None for what is no condition of clause 3.3.2. ``suspects`` is there where
    ``violations`` is dear: a query that has rows where, and only where, that one has any.
    """

    number: int | None
    title: str
    columns: tuple[str, ...]
    keys: int
    violations: Callable[[Tables], str]
    amounts: frozenset[str] = frozenset()
    longest_run: int | None = None
    suspects: Callable[[Tables], str] | None = None


def condition(
    number: int | None,
    title: str,
    keys: str,
    values: str,
    *,
    amounts: bool = False,
    longest_run: int | None = None,
    suspects: Callable[[Tables], str] | None = None,
) -> Callable[[Callable[[Tables], str]], Condition]:
    """Make a condition of the function that writes its query; columns are parted by commas."""

    def make(violations: Callable[[Tables], str]) -> Condition:
        key_columns, value_columns = keys.split(", "), values.split(", ")
        return Condition(
            number=number,
            title=title,
            columns=(*key_columns, *value_columns),
            keys=len(key_columns),
            violations=violations,
            amounts=frozenset(value_columns) if amounts else frozenset(),
            longest_run=longest_run,
            suspects=suspects,
        )

    return make
