"""Whether somebody else has written to a server while the load went on, by the server's counters.

Where a row holds another value than the one acknowledged last, the server has lost it, or somebody
else has written over it. Only where the server has counted no more writes than the load has sent is
it certain that nobody did.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from dbdyno._native import Session
from dbdyno.protocol.events import StatementCount

LOOKS, LOOKS_EVERY_S = 10, 0.2

WRITES = ("insert", "update", "delete")

COUNTERS = {
    # Statements.
    "mysql": (
        "SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_insert', 'Com_insert_select', "
        "'Com_update', 'Com_update_multi', 'Com_delete', 'Com_delete_multi', 'Com_replace', "
        "'Com_replace_select', 'Com_load', 'Com_truncate')"
    ),
    # Rows, those of transactions that were rolled back among them. A TRUNCATE counts none, and
    # gives a table another file: that shows as more writes than anybody can have sent.
    "postgresql": (
        "SELECT 'rows', COALESCE(SUM(n_tup_ins + n_tup_upd + n_tup_del), 0) "
        "FROM pg_stat_user_tables "
        "UNION ALL SELECT 'files', COALESCE(SUM(pg_relation_filenode(relid)::bigint), 0) "
        "* 1000000000000000 FROM pg_stat_user_tables"
    ),
}


def count_writes(session: Session, database: str) -> int | None:
    """Return the writes that a server has counted; None where it does not tell."""
    query = COUNTERS.get(database)
    if query is None:
        return None
    try:
        rows = session.query(query)
    except RuntimeError:
        return None
    return sum(int(count or 0) for _, count in rows) if rows else None


def count_settled_writes(session: Session, database: str) -> int | None:
    """Return the same before a load, when what others have written before has been counted.

    PostgreSQL's processes tell what they have written when they end, or up to a second later.
    """
    counted = count_writes(session, database)
    for _ in range(LOOKS if database == "postgresql" else 0):
        time.sleep(LOOKS_EVERY_S)
        before, counted = counted, count_writes(session, database)
        if counted == before:
            break
    return counted


def most_sent(database: str, statements: Iterable[StatementCount]) -> int:
    """Return the most writes that a server can have counted of what the generator has sent.

    A row that was refused for its key counts as inserted in PostgreSQL.
    """
    writes = [count for count in statements if count.verb in WRITES]
    if database == "mysql":
        return sum(count.executions for count in writes)
    inserts = [count for count in writes if count.verb == "insert"]
    refused = sum(max(0, count.executions - count.affected) for count in inserts)
    return refused + sum(count.affected for count in writes)


def nobody_else_wrote(before: int | None, after: int | None, sent: int) -> bool:
    """Tell whether it is certain; a server that was restarted has counted from zero."""
    return before is not None and after is not None and 0 < after - before <= sent
