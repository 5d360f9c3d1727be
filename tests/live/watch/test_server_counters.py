"""What servers tell of themselves under load, and what is told where one cannot be asked."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from dbdyno._native import Session
from dbdyno.database.session import open_session
from dbdyno.resources import SERVER
from dbdyno.watch.series.source import Subject
from dbdyno.watch.series.watcher import Watcher
from dbdyno.watch.server import postgresql
from dbdyno.watch.server.question import Question, level
from dbdyno.watch.server.source import ServerQuestion, _Connection
from dbdyno.watch.server.watcher import watch_servers
from tests.live.engine.fixed_server import FixedServer, MariaDb, MyRocks, PostgreSql
from tests.unit.watch.burner import series, wait_for_intervals, wait_until

pytestmark = pytest.mark.live

INTERVAL_S = 0.1


@pytest.fixture(scope="module")
def mariadb() -> Iterator[MariaDb]:
    """Return a private MariaDB with a row that two may want."""
    with MariaDb() as server:
        make_row(server)
        yield server


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgreSql]:
    """Return a private PostgreSQL with a row that two may want."""
    with PostgreSql() as server:
        make_row(server)
        yield server


def make_row(server: FixedServer) -> None:
    server.query("CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER)")
    server.query("INSERT INTO t VALUES (1, 0)")


def watching(server: FixedServer) -> Watcher:
    (watcher,) = watch_servers([server.url()], None, INTERVAL_S)
    return watcher


class LockedRow:
    """A row that one connection has locked and another waits for."""

    def __init__(self, server: FixedServer) -> None:
        self._holder = Session.connect(server.url())
        self._waiter = Session.connect(server.url())
        self._holder.query("BEGIN")
        self._holder.query("UPDATE t SET v = v + 1 WHERE id = 1")
        wait = ("UPDATE t SET v = v + 1 WHERE id = 1",)
        self._thread = threading.Thread(target=self._waiter.query, args=wait)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._holder.query("COMMIT")
        self._thread.join()
        self._holder.close()
        self._waiter.close()


def test_mariadb_tells_how_long_a_row_was_waited_for(mariadb: MariaDb) -> None:
    with watching(mariadb) as watcher:
        wait_for_intervals(watcher, 2)
        with LockedRow(mariadb):
            wait_until(lambda: 1.0 in series(watcher, SERVER, "innodb.row_lock_waiting"))
            wait_for_intervals(watcher, 3)
        wait_for_intervals(watcher, 2)
    assert watcher.failures() == ()
    assert 3 * INTERVAL_S * 0.8 < sum(series(watcher, SERVER, "innodb.row_lock_wait_s")) < 120
    assert sum(series(watcher, SERVER, "innodb.row_lock_waits")) == 1
    assert sum(series(watcher, SERVER, "innodb.redo_bytes")) > 0
    assert min(series(watcher, SERVER, "innodb.checkpoint_max_age_bytes")) > 1 << 20
    assert max(series(watcher, SERVER, "mysql.threads_running")) >= 2


def test_postgresql_tells_what_sessions_wait_for(postgres: PostgreSql) -> None:
    with watching(postgres) as watcher:
        wait_for_intervals(watcher, 2)
        with LockedRow(postgres):
            waits = "postgresql.wait[Lock:transactionid].sessions"
            wait_until(lambda: series(watcher, SERVER, waits) != [])
        # Statistics come from a backend a second after its statement, or when it ends.
        wait_until(lambda: sum(series(watcher, SERVER, "postgresql.wal_bytes")) > 0)
        postgres.query("CHECKPOINT")
        wait_until(lambda: sum(series(watcher, SERVER, "postgresql.checkpoints_requested")) > 0)
    assert watcher.failures() == ()
    assert max(series(watcher, SERVER, waits)) == 1
    assert sum(series(watcher, SERVER, "postgresql.commits")) > 0
    assert series(watcher, SERVER, "postgresql.dead_rows") != []
    metrics = watcher.table()["metric"].unique().to_list()
    assert not [metric for metric in metrics if "ClientRead" in metric]


@pytest.mark.parametrize(
    ("version", "known", "unknown"),
    [
        (130000, "postgresql.backend_buffers", "postgresql.wal_bytes"),
        (150000, "postgresql.wal_fsyncs", "postgresql.backend_evictions"),
        (170000, "postgresql.backend_evictions", "postgresql.checkpoint_age"),
        (180000, "postgresql.wal_fsyncs", "postgresql.checkpoint_age"),
    ],
)
def test_each_postgresql_is_asked_once_for_what_it_knows(
    version: int, known: str, unknown: str
) -> None:
    asked = [question for question in postgresql.QUESTIONS if question.is_for(version)]
    metrics = [figure.metric for question in asked for figure in question.figures.values()]
    assert len(set(metrics)) == len(metrics)
    assert known in metrics
    assert unknown not in metrics


@pytest.mark.parametrize("server", ["mariadb", "postgres"])
def test_a_server_that_is_killed_is_a_sentence(server: str) -> None:
    kinds: dict[str, Callable[[], FixedServer]] = {"mariadb": MariaDb, "postgres": PostgreSql}
    with kinds[server]() as killed, watching(killed) as watcher:
        wait_for_intervals(watcher, 2)
        killed.kill()
        wait_until(lambda: watcher.failures() != ())
        wait_for_intervals(watcher, 2)
    (sentence,) = watcher.failures()
    assert sentence.startswith("the connection that watches server is lost: ")
    assert (
        series(
            watcher,
            SERVER,
            "mysql.threads_connected" if server == "mariadb" else "postgresql.backends",
        )
        != []
    )


def test_a_server_that_is_not_there_is_a_sentence(mariadb: MariaDb) -> None:
    url = mariadb.url().replace(str(mariadb.port), "1")
    (watcher,) = watch_servers([url], None, INTERVAL_S)
    with watcher:
        wait_for_intervals(watcher, 1)
    (sentence,) = watcher.failures()
    assert sentence.startswith("cannot connect to mysql://")


def test_what_is_not_allowed_leaves_the_rest() -> None:
    """Of the performance schema, this user may read nothing; root may."""
    with MariaDb("--performance-schema=ON") as server:
        server.query("CREATE USER nobody@127.0.0.1")
        server.query("GRANT SELECT ON test.* TO nobody@127.0.0.1")
        url = server.url().replace("root@", "").replace("://", "://nobody@")
        (refused,) = watch_servers([url], None, INTERVAL_S)
        with watching(server) as allowed, refused:
            wait_for_intervals(allowed, 2)
            wait_for_intervals(refused, 2)
    assert allowed.failures() == ()
    assert any(metric.startswith("mysql.wait[") for metric in allowed.table()["metric"].unique())
    (sentence,) = refused.failures()
    assert sentence.startswith("server does not answer about waits of the performance schema: ")
    assert series(refused, SERVER, "mysql.threads_running") != []


def test_myrocks_tells_of_its_log(rocksdb_plugins: Path) -> None:
    with MyRocks(rocksdb_plugins) as server, ExitStack() as stack:
        make_row(server)
        server.query("ALTER TABLE t ENGINE = RocksDB")
        watcher = stack.enter_context(watching(server))
        wait_for_intervals(watcher, 2)
        server.query("UPDATE t SET v = v + 1")
        wait_until(lambda: sum(series(watcher, SERVER, "rocksdb.write_bytes")) > 0)
    assert watcher.failures() == ()


def test_sqlite_shows_its_files(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = wal")
        database.execute("CREATE TABLE t (v)")
        (watcher,) = watch_servers([f"sqlite:///{path}"], None, INTERVAL_S)
        with watcher:
            wait_for_intervals(watcher, 1)
            database.execute("INSERT INTO t VALUES (zeroblob(1000000))")
            wait_for_intervals(watcher, 2)
    assert watcher.failures() == ()
    assert series(watcher, SERVER, "sqlite.wal_bytes")[-1] > 1_000_000
    assert series(watcher, SERVER, "sqlite.database_bytes")[-1] >= 4096


def test_a_counter_that_is_no_number_takes_no_other_one_with_it(tmp_path: Path) -> None:
    # A layer, or a plug-in, may say anything. Any server's answer is as good.
    rows = "SELECT 'a', 'many' UNION ALL SELECT 'b', 'nan' UNION ALL SELECT 'c', '3'"
    question = Question("status", rows, {}, labelled=level("{}"))
    with open_session(f"sqlite:///{tmp_path / 'any.db'}", None) as session:
        source = ServerQuestion(
            Subject("server", "server"), _Connection("server", session), question
        )
        assert source.sample() == {"c": 3.0}
