"""A private server of each kind for all tests of the command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.experiment.file.target import MysqlTarget, PostgresqlTarget
from dbdyno.target.opening import open_server
from tests.live.engine.fixed_server import MyRocks, MySql
from tests.live.sysbench.programs import Database, sqlite


def _run_server(
    factory: pytest.TempPathFactory, driver: str, target: MysqlTarget | PostgresqlTarget
) -> Iterator[Database]:
    with open_server(target, "server", factory.mktemp(driver)) as server:
        server.start({})
        yield Database(driver, server.url, server.password)


@pytest.fixture(scope="session")
def mysql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Return a private MariaDB."""
    yield from _run_server(tmp_path_factory, "mysql", MysqlTarget())


@pytest.fixture(scope="session")
def pgsql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Return a private PostgreSQL."""
    yield from _run_server(tmp_path_factory, "pgsql", PostgresqlTarget())


@pytest.fixture(scope="session")
def myrocks(rocksdb_plugins: Path) -> Iterator[Database]:
    """Return a private MariaDB whose tables are MyRocks'."""
    with MyRocks(rocksdb_plugins) as server:
        yield Database("mysql", server.url(), None, ("--mysql-storage-engine=rocksdb",))


@pytest.fixture(scope="session")
def mysql_sid(mysqld: Path) -> Iterator[Database]:
    """Return a private MySQL of the newest series."""
    with MySql(mysqld) as server:
        yield Database("mysql", server.url(), None)


@pytest.fixture(params=["mysql", "pgsql"])
def server(request: pytest.FixtureRequest) -> Iterator[Database]:
    """Return each server in turn, and leave no tables on it."""
    database: Database = request.getfixturevalue(request.param)
    yield database
    assert database.here("oltp_read_write", "--tables=2", "cleanup").status == 0


@pytest.fixture(params=["mysql", "mysql_sid", "myrocks", "pgsql", "sqlite"])
def database(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    """Return a database of each kind in turn, and leave no tables in it."""
    if request.param == "sqlite":
        yield sqlite(tmp_path_factory.mktemp("sqlite"))
        return
    found: Database = request.getfixturevalue(request.param)
    yield found
    assert found.here("oltp_read_write", "--tables=2", "cleanup").status == 0
