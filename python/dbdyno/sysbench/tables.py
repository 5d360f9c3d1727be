"""``prepare``, ``warmup`` and ``cleanup``: the tables of a script."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dbdyno._native import Session
from dbdyno.errors import InputError, RunError
from dbdyno.generator import GeneratorProcess
from dbdyno.server.session import open_session
from dbdyno.sysbench import text
from dbdyno.sysbench.request import Request

FEWEST_CONNECTIONS = 4
"""Even with one thread, so that the server has work while rows are made and sent."""

SILENCE_LIMIT_S = 24 * 3600.0
"""An index over a large table is made without a word."""

WARM_ROWS = 1_000_000
"""sysbench reads so many rows of each table, and of its index."""

Say = Callable[[str], None]


def prepare(request: Request, say: Say) -> None:
    """Make the tables and fill them; ``RunError`` where one is there already."""
    connections = max(FEWEST_CONNECTIONS, os.cpu_count() or 1, request.clients)
    say(f"{text.version()}\n\n")
    tables = _tables(request)
    for table in tables:
        say(f"Creating table '{table}'...\n")
    rows = _rows(request)
    for table in tables if rows else ():
        say(f"Inserting {rows} records into '{table}'\n")
    _carry_out(request, "load", connections)
    for table in tables if _has_index(request) else ():
        say(f"Creating a secondary index on '{table}'...\n")


def cleanup(request: Request, say: Say) -> None:
    """Remove the tables that are there."""
    say(f"{text.version()}\n\n")
    for table in _tables(request):
        say(f"Dropping table '{table}'...\n")
    _carry_out(request, "drop", 1)


def warmup(request: Request, say: Say) -> None:
    """Have the server read the tables, as many at a time as there are threads."""
    say(f"{text.version()}\n\nInitializing worker threads...\n\n")
    with ThreadPoolExecutor(request.clients) as pool:
        for table in pool.map(lambda table: _warm(request, table), _tables(request)):
            say(f"Prewarming table {table}\n")


def _warm(request: Request, table: str) -> str:
    """Read a table and its index; the statistics are made anew first."""
    analyze = "ANALYZE TABLE" if request.address.driver == "mysql" else "ANALYZE"
    hint = "FORCE KEY (PRIMARY)" if request.address.driver == "mysql" else ""
    if request.workload["secondary"]:
        hint = ""
    number = "CAST(k AS CHAR(12))"
    with _session(request) as session:
        session.query(f"{analyze} {table}")
        session.query(f"SELECT AVG(id) FROM (SELECT * FROM {table} {hint} LIMIT {WARM_ROWS}) t")
        session.query(
            f"SELECT COUNT(*) FROM (SELECT * FROM {table} WHERE {number} LIKE '%0%' "
            f"LIMIT {WARM_ROWS}) t"
        )
    return table


@contextmanager
def _session(request: Request) -> Iterator[Session]:
    with open_session(request.address.url, request.address.password) as session:
        yield session


def _tables(request: Request) -> list[str]:
    return [f"sbtest{number + 1}" for number in range(request.workload["tables"])]


def _rows(request: Request) -> int:
    """Return the rows of each table: some scripts begin with none."""
    gives_ids = request.script == "oltp_insert" and not request.workload["auto_inc"]
    is_empty = gives_ids or request.script == "bulk_insert"
    return 0 if is_empty else int(request.workload["table_size"])


def _has_index(request: Request) -> bool:
    return bool(request.workload["create_secondary"]) and request.script != "bulk_insert"


def _carry_out(request: Request, action: str, connections: int) -> None:
    plan: dict[str, Any] = request.dataset_plan(action, connections)
    with (
        tempfile.TemporaryDirectory(prefix="dbdyno-") as folder,
        GeneratorProcess(
            json.dumps(plan).encode(),
            password=request.address.password,
            log_path=Path(folder, "generator.log"),
            silence_limit_s=SILENCE_LIMIT_S,
        ) as generator,
    ):
        for event in generator.events():
            if event["event"] == "error":
                kind = InputError if event["kind"] == "input" else RunError
                raise kind(event["message"])
