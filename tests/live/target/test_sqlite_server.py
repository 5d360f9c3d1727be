"""SQLite as a server: pragmas that take, and what the driver says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.errors import DbdynoError, InputError
from dbdyno.experiment.file.target import SqliteTarget
from dbdyno.target.durability import Durability
from dbdyno.target.opening import open_server
from dbdyno.target.sqlite.server import SqliteServer
from tests.live.target.queries import query

pytestmark = pytest.mark.live


@pytest.fixture
def server(tmp_path: Path) -> SqliteServer:
    opened = open_server(SqliteTarget(), "a database", tmp_path)
    assert isinstance(opened, SqliteServer)
    return opened


@pytest.mark.parametrize(
    ("settings", "durability"),
    [
        ({}, Durability.EVERY_COMMIT),
        ({"journal_mode": "wal", "synchronous": "full"}, Durability.EVERY_COMMIT),
        ({"journal_mode": "wal", "synchronous": "1"}, Durability.AT_CHECKPOINT),
        ({"synchronous": "off"}, Durability.NONE),
        ({"journal_mode": "memory"}, Durability.NONE),
    ],
)
def test_settings_reach_every_connection(
    server: SqliteServer, settings: dict[str, str], durability: Durability
) -> None:
    server.start(settings | {"cache_size": "-4000"})
    description = server.describe()
    assert description.product == "SQLite"
    assert query(server, "SELECT sqlite_version()") == [(description.version,)]
    assert description.durability == durability
    assert description.settings["cache_size"] == "-4000"
    assert description.settings["journal_mode"] == settings.get("journal_mode", "delete")
    assert server.process_ids() == ()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"journal_mode": "wall"}, "journal_mode=wall is not possible"),
        ({"jurnal_mode": "wal"}, "did you mean journal_mode"),
    ],
)
def test_settings_that_sqlite_does_not_know(
    server: SqliteServer, settings: dict[str, str], message: str
) -> None:
    with pytest.raises(DbdynoError, match=message):
        server.start(settings)


def test_a_page_size_that_the_file_does_not_have(server: SqliteServer) -> None:
    server.start({"page_size": "4096"})
    query(server, "CREATE TABLE written (id INT)")
    with pytest.raises(DbdynoError, match="page_size=8192 did not take"):
        server.start({"page_size": "8192"})


def test_a_path_that_a_url_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a URL ends a path at"):
        open_server(SqliteTarget(), "why?", tmp_path)


def test_a_snapshot_does_not_remember_the_journal_mode(
    server: SqliteServer, tmp_path: Path
) -> None:
    server.start({"journal_mode": "wal"})
    query(server, "CREATE TABLE loaded (id INT)", "INSERT INTO loaded VALUES (1)")
    server.snapshot(tmp_path / "snapshot")
    server.restore(tmp_path / "snapshot")
    server.start({})
    assert query(server, "SELECT id FROM loaded") == [("1",)]
    assert server.describe().settings["journal_mode"] == "delete"
