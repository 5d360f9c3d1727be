"""Private servers for tests, each in a directory of its own.

A test that takes any of these runs once for each kind of server; a module for one kind overrides
``kind``.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from dbdyno.target.local.private import PrivateServer
from tests.live.target.kinds import KINDS, Kind
from tests.live.target.queries import MakeServer, copy


@pytest.fixture(params=KINDS, ids=str)
def kind(request: pytest.FixtureRequest) -> Kind:
    """Return each kind of server in turn."""
    assert isinstance(request.param, Kind)
    return request.param


@pytest.fixture(scope="session")
def initialised(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Kind], Path]:
    """Return the directory of a server that was started once; copies of it start sooner."""

    @cache
    def directory(kind: Kind) -> Path:
        parent = tmp_path_factory.mktemp("initialised")
        with kind.open(parent) as server:
            server.start({})
        return parent / kind.name

    return directory


@pytest.fixture
def make_server(
    kind: Kind, tmp_path: Path, initialised: Callable[[Kind], Path]
) -> Iterator[MakeServer]:
    """Return a function that makes a server; all are stopped when the test is over."""
    with ExitStack() as servers:

        def make(name: str | None = None, **target: object) -> PrivateServer:
            directory = tmp_path / (name or kind.name)
            copy(initialised(kind), directory)
            # Kept, the data of all tests would take gigabytes; the logs are small.
            servers.callback(shutil.rmtree, directory / "data")
            return servers.enter_context(kind.open(tmp_path, name, **target))

        yield make


@pytest.fixture
def server(make_server: MakeServer) -> PrivateServer:
    """Return a server that has started before."""
    return make_server()


@pytest.fixture
def shared_server(kind: Kind, initialised: Callable[[Kind], Path]) -> Iterator[PrivateServer]:
    """Return a server whose data all tests of its settings share, and leave as they are."""
    with kind.open(initialised(kind).parent) as server:
        yield server


@pytest.fixture
def new_server(kind: Kind, tmp_path: Path) -> Iterator[PrivateServer]:
    """Return a server without a directory."""
    with kind.open(tmp_path) as server:
        yield server
