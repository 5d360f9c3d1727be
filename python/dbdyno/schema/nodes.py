"""What servers behind a layer know of a workload's tables, and how they get to know it.

ANALYZE may end in the layer, and a load by the layer counts for them as many small changes: where
nobody tells them to count, they plan without statistics.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from dbdyno._native import Session
from dbdyno.schema.statistics import Statistics, known_of
from dbdyno.size.asking import Connect, ask
from dbdyno.size.dialect import DIALECTS

_ANALYZE = {"mysql": "ANALYZE TABLE", "postgresql": "ANALYZE", "sqlite": "ANALYZE"}


def analyse(connect: Connect, database: str, tables: Sequence[str] | None) -> str | None:
    """Run ANALYZE on the parts of some tables that a node has, or on all of its tables.

    ``database`` as in ``read_schema``. Returns why the node could not be asked, None where it was.
    """
    found = ask(connect, partial(_analyse, database, tables))
    return found if isinstance(found, str) else None


def _analyse(database: str, tables: Sequence[str] | None, session: Session) -> int:
    parts = _parts(session, database, tables)
    for name in parts:
        session.query(f"{_ANALYZE[database]} {DIALECTS[database].quoted(name)}")
    return len(parts)


def read_statistics_of_nodes(
    nodes: Sequence[tuple[Connect, str]], tables: Sequence[str] | None
) -> Statistics:
    """Return what no node may lack: ``missing`` has a table of which any of them knows nothing.

    ``nodes`` are connections with the kind of their database. ``rows`` are not told: tables may be
    copied to each node, or be spread over them. A reason is the first node's that has one.
    """
    missing: set[str] = set()
    times_s: list[float] = []
    for connect, database in nodes:
        found = ask(connect, partial(_known, database, tables))
        if isinstance(found, str):
            return Statistics(reason=found)
        missing.update(found.missing)
        times_s += [] if found.analysed_unix_s is None else [found.analysed_unix_s]
    return Statistics(missing=tuple(sorted(missing)), analysed_unix_s=min(times_s, default=None))


def _known(database: str, tables: Sequence[str] | None, session: Session) -> Statistics:
    return known_of(session, database, _parts(session, database, tables))


def _parts(session: Session, database: str, tables: Sequence[str] | None) -> list[str]:
    """Return a node's tables of these names; layers may call a part of one table sbtest1_0."""
    names = [str(name) for (name,) in session.query(DIALECTS[database].tables)]
    if tables is None:
        return names
    return [name for name in names if name in tables or re.sub(r"_\d+$", "", name) in tables]
