"""A private server of each kind, started once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dbdyno.experiment.file.target import MysqlTarget, PostgresqlTarget, SqliteTarget, Target
from dbdyno.target.base import Server
from dbdyno.target.opening import open_server

TARGETS: dict[str, Target] = {
    "sqlite": SqliteTarget(),
    "mysql": MysqlTarget(),
    "postgresql": PostgresqlTarget(),
}

# Waiting for the disk is not what these tests are about.
SETTINGS = {
    "sqlite": {"synchronous": "off"},
    "mysql": {"innodb_flush_log_at_trx_commit": "0"},
    "postgresql": {"fsync": "off"},
}


@contextmanager
def started(kind: str, factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Start a private server and stop it in the end."""
    with open_server(TARGETS[kind], kind, factory.mktemp(kind)) as server:
        server.start(SETTINGS[kind])
        yield server


@pytest.fixture(scope="session", params=list(TARGETS))
def any_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """Return a server of each kind in turn."""
    with started(request.param, tmp_path_factory) as server:
        yield server


@pytest.fixture(scope="session")
def mariadb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a MariaDB."""
    with started("mysql", tmp_path_factory) as server:
        yield server


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a PostgreSQL."""
    with started("postgresql", tmp_path_factory) as server:
        yield server


@pytest.fixture(scope="session")
def sqlite_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return an embedded SQLite."""
    with started("sqlite", tmp_path_factory) as server:
        yield server
