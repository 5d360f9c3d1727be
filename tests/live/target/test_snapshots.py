"""Snapshots of real servers: what was loaded is there again, and nothing else."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dbdyno.dataset import Snapshots
from dbdyno.errors import InputError, RunError
from dbdyno.experiment.file.target import SqliteTarget, UrlTarget
from dbdyno.target.base import Server
from dbdyno.target.local.private import PrivateServer
from dbdyno.target.opening import open_server
from tests.live.target.kinds import KINDS, Kind
from tests.live.target.queries import copy, query

pytestmark = pytest.mark.live


@pytest.fixture(params=[*KINDS, None], ids=lambda kind: str(kind or "sqlite"))
def any_server(
    request: pytest.FixtureRequest, initialised: Callable[[Kind], Path], tmp_path: Path
) -> Iterator[Server]:
    """Return a server of each private kind, and SQLite; it runs."""
    kind: Kind | None = request.param
    if kind is None:
        server, settings = open_server(SqliteTarget(), "sqlite", tmp_path), {"journal_mode": "wal"}
    else:
        copy(initialised(kind), tmp_path / kind.name)
        server, settings = kind.open(tmp_path), {}
    with server:
        server.start(settings)
        yield server


@pytest.fixture
def snapshots(tmp_path: Path) -> Snapshots:
    return Snapshots(tmp_path / "snapshots")


def test_restored_rows_are_those_that_were_taken(any_server: Server, snapshots: Snapshots) -> None:
    query(any_server, "CREATE TABLE loaded (id INT)", "INSERT INTO loaded VALUES (1), (2)")
    assert not snapshots.has("loaded")
    snapshots.take(any_server, "loaded")
    assert snapshots.has("loaded")
    for _ in range(2):
        any_server.start({})
        query(any_server, "DELETE FROM loaded", "CREATE TABLE added (id INT)")
        snapshots.restore(any_server, "loaded")
        any_server.start({})
        assert query(any_server, "SELECT id FROM loaded ORDER BY id") == [("1",), ("2",)]
        with pytest.raises(RunError, match="added"):
            query(any_server, "SELECT * FROM added")


def test_a_snapshot_is_replaced_and_removed(any_server: Server, snapshots: Snapshots) -> None:
    snapshots.take(any_server, "loaded")
    any_server.start({})
    query(any_server, "CREATE TABLE later (id INT)", "INSERT INTO later VALUES (7)")
    snapshots.take(any_server, "loaded")
    snapshots.restore(any_server, "loaded")
    any_server.start({})
    assert query(any_server, "SELECT id FROM later") == [("7",)]
    snapshots.remove("loaded")
    with pytest.raises(RunError, match="there is no snapshot loaded in "):
        snapshots.restore(any_server, "loaded")


def test_what_was_cut_short_does_not_count(snapshots: Snapshots, tmp_path: Path) -> None:
    (tmp_path / "snapshots" / "loaded.unfinished").mkdir()
    again = Snapshots(tmp_path / "snapshots")
    assert not again.has("loaded")
    assert list((tmp_path / "snapshots").iterdir()) == []


def test_a_running_server_is_not_copied(server: PrivateServer, tmp_path: Path) -> None:
    server.start({})
    with pytest.raises(RunError, match="is running; its files are copied only when stopped"):
        server.snapshot(tmp_path / "copy")
    with pytest.raises(RunError, match="is running"):
        server.restore(tmp_path / "copy")


def test_a_server_that_was_killed_is_not_copied(
    server: PrivateServer, snapshots: Snapshots
) -> None:
    server.start({})
    (process_id,) = server.process_ids()
    os.kill(process_id, signal.SIGKILL)
    os.waitid(os.P_PID, process_id, os.WEXITED | os.WNOWAIT)
    with pytest.raises(RunError, match="did not end in good order"):
        snapshots.take(server, "crashed")
    assert not snapshots.has("crashed")


def test_a_disk_too_small_for_a_copy(
    server: PrivateServer, kind: Kind, snapshots: Snapshots, tmp_path: Path
) -> None:
    server.start({})
    server.stop()
    huge = tmp_path / kind.name / "data" / "huge"
    with huge.open("wb") as file:
        file.truncate(10**13)
    with pytest.raises(RunError, match=r"a copy of .* takes 10000\.\d+ GB, and .* has \d+\.\d+ GB"):
        snapshots.take(server, "huge")
    assert not snapshots.has("huge")


def test_a_server_that_is_not_ours_has_none(snapshots: Snapshots, tmp_path: Path) -> None:
    server = open_server(UrlTarget(url=f"sqlite:///{tmp_path}/theirs.db"), "theirs", tmp_path)
    server.start({})
    with pytest.raises(InputError, match=r"set procedure\.start to continue or reload"):
        snapshots.take(server, "theirs")
