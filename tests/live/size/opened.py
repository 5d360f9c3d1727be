"""Connections to a server of a test, as what asks for its tables wants them."""

from __future__ import annotations

from contextlib import AbstractContextManager

from dbdyno._native import Session
from dbdyno.database.session import open_session
from dbdyno.size.asking import Connect
from tests.live.engine.fixed_server import FixedServer


def connect(server: FixedServer, database: str = "test", user: str = "") -> Connect:
    """Return what opens a connection to a database of a server."""
    url = server.url().removesuffix("test") + database
    url = url.replace("://root@", "://").replace("://", f"://{user}@") if user else url

    def opened() -> AbstractContextManager[Session]:
        return open_session(url, None)

    return opened
