"""What tests of servers share: statements, each over a connection of its own, copies, and types."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from dbdyno.server import Server
from dbdyno.server.private import PrivateServer
from dbdyno.server.session import open_session

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
