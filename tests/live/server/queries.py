"""What tests of servers share: statements, each over a connection of its own, and types."""

from __future__ import annotations

from collections.abc import Callable

from dbdyno.server import Server
from dbdyno.server.mysql import MysqlServer
from dbdyno.server.session import open_session

MakeServer = Callable[..., MysqlServer]
"""A function that makes a private server of a name and the fields of its target."""


def query(server: Server, *statements: str) -> list[tuple[str | None, ...]]:
    """Run statements one after the other and return the last one's rows."""
    rows: list[tuple[str | None, ...]] = []
    with open_session(server.url, server.password) as session:
        for statement in statements:
            rows = session.query(statement)
    return rows
