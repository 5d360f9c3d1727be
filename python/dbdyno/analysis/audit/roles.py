"""Servers that make the load in one table and carry it in another, or do both in one.

Figures of such tables are of other machines, beside what the report says they differ in. It may be
a slip of the pen, or a server may have been moved between two tests: the authors know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.results_table.deployments import Placed
from dbdyno.results_table.raw import name_of_tables

_MAKES_LOAD = re.compile(
    r"压力机|压测机|压测端|发压|施压|\bload (generators?|machines?|drivers?)\b|\binjectors?\b", re.I
)


def check_roles(tables: Sequence[Joined]) -> Iterator[AuditFinding]:
    """Yield for each file the servers that make load and carry it."""
    by_file = {table.data.path: table.data.placed for table in tables}
    for path, placed in by_file.items():
        if lines := (*_both(placed), *_moved(placed)):
            yield AuditFinding(Code.MAY_BE_MIXED_UP, path.name, lines, variant="roles")


def _makes_load(each: Placed) -> bool:
    return _MAKES_LOAD.search(each.role) is not None


def _both(placed: Sequence[Placed]) -> Iterator[Line]:
    """Yield what a table says to make the load that the same server has to carry."""
    makes = {(each.table, each.address): each for each in reversed(placed) if _makes_load(each)}
    for other in placed:
        one = makes.get((other.table, other.address))
        if one is not None and not _makes_load(other):
            yield Line(
                "two_roles",
                address=one.address,
                table=one.table,
                role=one.role,
                line=one.line,
                other_role=other.role,
                other_line=other.line,
            )


def _moved(placed: Sequence[Placed]) -> Iterator[Line]:
    """Yield servers that make the load in some tables and carry it in others."""
    by_address: dict[str, list[Placed]] = {}
    for each in placed:
        by_address.setdefault(each.address, []).append(each)
    for address, own in by_address.items():
        makes = {each.table for each in own if _makes_load(each)}
        carries = [each for each in own if not _makes_load(each) and each.table not in makes]
        if makes and carries:
            yield Line(
                "moved",
                address=address,
                tables=_numbers(makes),
                role=carries[0].role,
                other_tables=_numbers({each.table for each in carries}),
                line=carries[0].line,
            )


def _numbers(tables: set[int]) -> str:
    return name_of_tables("", sorted(tables)).removeprefix(", tables ")
