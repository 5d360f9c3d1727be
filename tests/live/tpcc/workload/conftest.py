"""Servers of each kind with the tables of two warehouses, which all tests of a run share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.experiment.workload.tpcc import Tpcc
from dbdyno.target.base import Server
from dbdyno.target.url.server import ExternalServer
from tests.live.engine.fixed_server import MyRocks
from tests.live.tpcc.workload.books import WAREHOUSES, tpcc
from tests.live.workload.conftest import started
from tests.live.workload.trials import load

PARTITIONED = {
    "partitions": 2,
    "table_options": "ENGINE=InnoDB ROW_FORMAT=COMPACT",
}
"""What MariaDB's tables are made with besides."""


def loaded(server: Server, data: Tpcc) -> Server:
    """Load tables on a server and return it."""
    events = load(server, data)
    assert events[-1]["event"] == "dataset", events[-1]
    return server


@pytest.fixture(scope="session")
def sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return an embedded SQLite with tables."""
    with started("sqlite", tmp_path_factory) as server:
        yield loaded(server, tpcc(warehouses=WAREHOUSES))


@pytest.fixture(scope="session")
def mariadb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a MariaDB with tables that are cut into partitions."""
    with started("mysql", tmp_path_factory) as server:
        yield loaded(server, tpcc(warehouses=WAREHOUSES, **PARTITIONED))


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a PostgreSQL with tables."""
    with started("postgresql", tmp_path_factory) as server:
        yield loaded(server, tpcc(warehouses=WAREHOUSES))


@pytest.fixture(scope="session")
def myrocks(rocksdb_plugins: Path) -> Iterator[Server]:
    """Return a MariaDB with tables of MyRocks'."""
    with MyRocks(rocksdb_plugins) as rocks:
        server = ExternalServer("myrocks", rocks.url())
        yield loaded(server, tpcc(warehouses=1, table_options="ENGINE=ROCKSDB"))


@pytest.fixture(params=["mysql", "postgresql"])
def empty_server(request: pytest.FixtureRequest, empty_servers: dict[str, Server]) -> Server:
    """Return a server without tables of each kind in turn."""
    return empty_servers[str(request.param)]


@pytest.fixture(scope="session")
def empty_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Server]]:
    """Return a MariaDB and a PostgreSQL whose tables come and go."""
    with (
        started("mysql", tmp_path_factory) as mysql,
        started("postgresql", tmp_path_factory) as postgresql,
    ):
        yield {"mysql": mysql, "postgresql": postgresql}
