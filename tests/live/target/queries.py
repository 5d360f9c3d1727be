"""What tests of servers share: statements, each over a connection of its own, copies, and types."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from dbdyno.database.session import open_session
from dbdyno.target.base import Server
from dbdyno.target.local.private import PrivateServer

ALONE_WITHIN_S = 60.0

TRIED_BEFORE_MULTI = {"begin": 1, "select": 3, "commit": 1}
"""One transaction, with which MySQL's multi is tried out before the load: no part of it."""

MakeServer = Callable[..., PrivateServer]
"""A function that makes a private server of a name and the fields of its target."""


def query(server: Server, *statements: str) -> list[tuple[str | None, ...]]:
    """Run statements one after the other and return the last one's rows."""
    rows: list[tuple[str | None, ...]] = []
    with open_session(server.url, server.password) as session:
        for statement in statements:
            rows = session.query(statement)
    return rows


def copy(directory: Path, target: Path) -> None:
    """Copy a server's directory, which has a thousand files: Python takes a second for them."""
    subprocess.run(["cp", "--archive", directory, target], check=True)


def wait_until_alone(postgres: Server) -> None:
    """Wait until PostgreSQL has no other connection: each is counted in full when it has ended."""
    others = (
        "SELECT COUNT(*) FROM pg_stat_activity "
        "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )
    deadline_s = time.monotonic() + ALONE_WITHIN_S
    while query(postgres, others) != [("0",)]:
        assert time.monotonic() < deadline_s
        time.sleep(0.02)
