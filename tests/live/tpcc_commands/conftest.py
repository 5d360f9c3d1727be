"""A private server of each kind for all tests of the commands, with a warehouse in each schema."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from dbdyno._native import Session
from tests.live.engine.fixed_server import FixedServer, MariaDb, PostgreSql
from tests.live.run.launch import Ended, call

LIMIT_S = 300.0
DBDYNO = (sys.executable, "-m", "dbdyno")


def dbdyno(*words: str | Path, cwd: Path | None = None) -> Ended:
    """Call the command in this process; those tests that interrupt it start one."""
    return call(words, directory=cwd)


def must(*words: str | Path, cwd: Path | None = None) -> Ended:
    """Call the command, which must succeed."""
    ended = dbdyno(*words, cwd=cwd)
    assert ended.status == 0, ended.output + ended.errors
    return ended


@dataclass(frozen=True)
class Place:
    """A server, and what tools that write its address in other forms need of it."""

    server: FixedServer
    user: str
    password: str

    @property
    def url(self) -> str:
        """As dbdyno has it."""
        return self.server.url()

    def query(self, sql: str) -> list[tuple[str | None, ...]]:
        """Ask the server."""
        session = Session.connect(self.url)
        try:
            return session.query(sql)
        finally:
            session.close()


@pytest.fixture(scope="session")
def mariadb() -> Iterator[Place]:
    """Return a private MariaDB with a user who has a password."""
    with MariaDb() as server:
        place = Place(server, "benchmark", "se&cret")
        place.query(f"CREATE USER {place.user} IDENTIFIED BY '{place.password}'")
        place.query(f"GRANT ALL ON *.* TO {place.user}")
        yield place


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Place]:
    """Return a private PostgreSQL."""
    with PostgreSql() as server:
        yield Place(server, "postgres", "")


@pytest.fixture(scope="session", params=["mariadb", "postgresql"])
def loaded(request: pytest.FixtureRequest) -> Iterator[Place]:
    """Return each server in turn with a warehouse in the tables of the specification."""
    place: Place = request.getfixturevalue(request.param)
    must("tpcc", "load", place.url, "--warehouses", "1")
    yield place
    # Its turn may come again.
    must("tpcc", "drop", place.url)
