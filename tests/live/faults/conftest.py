"""A server of each kind at a port that stays, with a table and with a user without rights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.engine.fixed_server import FixedServer, MariaDb, PostgreSql
from tests.live.engine.test_hosts import carry_out
from tests.live.faults.certificates import certify, make_certificates
from tests.live.faults.servers import MAX_CONNECTIONS, WORKLOAD, make_user


def _ready(server: FixedServer) -> FixedServer:
    plan = {"url": server.url(), "action": "load", "connections": 2, "connect_s": 30.0}
    assert carry_out(plan | {"workload": WORKLOAD})[-1]["event"] == "dataset"
    make_user(server)
    return server


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the servers' authority and with another."""
    directory = tmp_path_factory.mktemp("certificates")
    make_certificates(directory)
    return directory


@pytest.fixture(scope="session")
def mariadb(certificates: Path) -> Iterator[FixedServer]:
    """Return a MariaDB that offers encryption."""
    # It is killed, and must keep all the same what it has acknowledged.
    server = MariaDb(f"--max-connections={MAX_CONNECTIONS}", "--innodb-flush-log-at-trx-commit=1")
    certify(server, certificates)
    with server:
        yield _ready(server)


@pytest.fixture(scope="session")
def postgresql(certificates: Path) -> Iterator[FixedServer]:
    """Return a PostgreSQL that offers encryption."""
    server = PostgreSql(f"max_connections={MAX_CONNECTIONS}")
    certify(server, certificates)
    with server:
        yield _ready(server)


@pytest.fixture(params=["mariadb", "postgresql"])
def server(request: pytest.FixtureRequest) -> FixedServer:
    """Return each server in turn."""
    found: FixedServer = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def servers(mariadb: FixedServer, postgresql: FixedServer) -> list[FixedServer]:
    """Return both."""
    return [mariadb, postgresql]
