"""Private MariaDB servers for tests, each in a directory of its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from dbdyno.experiment.target import MysqlTarget
from dbdyno.server import open_server
from dbdyno.server.mysql import MysqlServer
from tests.live.server.queries import MakeServer


@pytest.fixture(scope="session")
def initialised(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a server that was started once; copies of it start sooner."""
    directory = tmp_path_factory.mktemp("initialised")
    with open_server(MysqlTarget(), "mysql", directory) as server:
        server.start({})
    return directory / "mysql"


@pytest.fixture
def make_server(tmp_path: Path, initialised: Path) -> Iterator[MakeServer]:
    """Return a function that makes a server; all are stopped when the test is over."""
    with ExitStack() as servers:

        def make(name: str = "mysql", **target: object) -> MysqlServer:
            shutil.copytree(initialised, tmp_path / name, ignore=shutil.ignore_patterns("*.sock"))
            server = open_server(MysqlTarget.model_validate(target), name, tmp_path)
            assert isinstance(server, MysqlServer)
            return servers.enter_context(server)

        yield make


@pytest.fixture
def server(make_server: MakeServer) -> MysqlServer:
    """Return a server that has started before."""
    return make_server()


@pytest.fixture
def new_server(tmp_path: Path) -> Iterator[MysqlServer]:
    """Return a server without a directory."""
    with open_server(MysqlTarget(), "mysql", tmp_path) as server:
        assert isinstance(server, MysqlServer)
        yield server
