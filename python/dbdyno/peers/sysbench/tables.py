"""``prepare``, ``warmup`` and ``cleanup``: the tables of a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from random import Random

from dbdyno._native import Session
from dbdyno.database.session import open_session
from dbdyno.errors import RunError
from dbdyno.experiment.design.workers import usual_loading_connections
from dbdyno.generator.dataset import carry_out
from dbdyno.peers.call.words import counted
from dbdyno.peers.sysbench import text
from dbdyno.peers.sysbench.request import Request

WARM_ROWS = 1_000_000
"""sysbench reads so many rows of each table, and of its index."""

INSERTING_SCRIPTS = ("oltp_insert", "bulk_insert")
"""They look for no row."""

LEAST_SHARE = 0.9
"""Of the ids: a script that deletes may have taken some."""

IDS_LOOKED_FOR = 1000
"""Of each table, so many at most: to look for all would read all."""

Say = Callable[[str], None]


def prepare(request: Request, say: Say) -> None:
    """Make the tables and fill them; ``RunError`` where one is there already."""
    connections = max(usual_loading_connections(), request.clients)
    say(f"{text.version()}\n\n")
    tables, rows = _tables(request), _rows(request)

    # Rows are told of when the server has taken the tables: it may refuse them.
    @cache
    def say_begun() -> None:
        for table in tables:
            say(f"Creating table '{table}'...\n")
        for table in tables if rows else ():
            say(f"Inserting {rows} records into '{table}'\n")

    plan, address = request.dataset_plan("load", connections), request.address
    carry_out(plan, address.url, address.password, tell=lambda _: say_begun())
    # Of few rows nothing is told on the way.
    say_begun()
    for table in tables if _has_index(request) else ():
        say(f"Creating a secondary index on '{table}'...\n")


def cleanup(request: Request, say: Say) -> None:
    """Remove the tables that are there."""
    say(f"{text.version()}\n\n")
    for table in _tables(request):
        say(f"Dropping table '{table}'...\n")
    address = request.address
    carry_out(request.dataset_plan("drop", 1), address.url, address.password)


def warmup(request: Request, say: Say) -> None:
    """Have the server read the tables, as many at a time as there are threads."""
    say(f"{text.version()}\n\nInitializing worker threads...\n\n")
    tables = _tables(request)
    clients = min(request.clients, len(tables))
    with ThreadPoolExecutor(clients) as pool:
        for _ in pool.map(
            lambda first: _warm(request, tables[first::clients], say), range(clients)
        ):
            pass


def _warm(request: Request, tables: Sequence[str], say: Say) -> None:
    """Have tables read over one connection: SQLite reads the schema of all for each."""
    with open_session(request.address.url, request.address.password) as session:
        for table in tables:
            say(f"Prewarming table {table}\n")
            for sql in _reading(request, table):
                session.query(sql)


def missing_rows(request: Request) -> str | None:
    """Say which tables lack rows that a run will look for; None where none does.

    A run on empty tables is very fast, for no query finds anything.

    A server that can't be reached and a table that is not there are left to the run, which says
    it in the server's words.
    """
    if request.script in INSERTING_SCRIPTS:
        return None
    short: list[tuple[str, str]] = []
    address = request.address
    with suppress(RunError), open_session(address.host_urls[0], address.password) as session:
        for table in _tables(request):
            lack = _lack(session, table, _rows(request))
            if lack is not None:
                short.append((table, lack))
    if not short:
        return None
    table, lack = short[0]
    others = f" (so it is with {counted(len(short) - 1, 'more table')})" if len(short) > 1 else ""
    return (
        f"table {table} has {lack}{others}: many queries will find nothing; run prepare with the "
        "same --table-size, and with auto_increment_increment=1"
    )


def _lack(session: Session, table: str, rows: int) -> str | None:
    """Say what a table has in place of the ids from 1 to ``rows``; None where these are there."""
    ((greatest,),) = session.query(f"SELECT MAX(id) FROM {table}")
    if int(greatest or 0) < LEAST_SHARE * rows:
        found = f"ids up to {greatest} only" if greatest else "no rows"
        return f"{found}, and the run looks for ids up to {rows}"
    # Chosen by chance, but always the same: ids that are evenly apart may all be there, or none.
    ids = Random(0).sample(range(1, rows + 1), min(rows, IDS_LOOKED_FOR))
    sql = f"SELECT COUNT(*) FROM {table} WHERE id IN ({', '.join(map(str, ids))})"
    ((there,),) = session.query(sql)
    if int(there or 0) >= LEAST_SHARE * len(ids):
        return None
    return f"{there} of {len(ids)} ids between 1 and {rows} that were looked for"


def _reading(request: Request, table: str) -> Iterator[str]:
    """Yield the statements that read a table and its index; first the statistics are made anew.

    But not SQLite's: that locks the whole file, and ``prepare`` has made them.
    """
    is_mysql = request.address.driver == "mysql"
    hint = "FORCE KEY (PRIMARY)" if is_mysql and not request.workload["secondary"] else ""
    if request.address.driver != "sqlite":
        yield f"{'ANALYZE TABLE' if is_mysql else 'ANALYZE'} {table}"
    yield f"SELECT AVG(id) FROM (SELECT * FROM {table} {hint} LIMIT {WARM_ROWS}) t"
    yield (
        f"SELECT COUNT(*) FROM (SELECT * FROM {table} WHERE CAST(k AS CHAR(12)) LIKE '%0%' "
        f"LIMIT {WARM_ROWS}) t"
    )


def _tables(request: Request) -> list[str]:
    return [f"sbtest{number + 1}" for number in range(int(request.workload["tables"]))]


def _rows(request: Request) -> int:
    """Return the rows of each table: some scripts begin with none."""
    gives_ids = request.script == "oltp_insert" and not request.workload["auto_inc"]
    is_empty = gives_ids or request.script == "bulk_insert"
    return 0 if is_empty else int(request.workload["table_size"])


def _has_index(request: Request) -> bool:
    return bool(request.workload["create_secondary"]) and request.script != "bulk_insert"
