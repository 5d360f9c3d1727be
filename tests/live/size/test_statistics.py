"""What servers know of their tables for plans, and the rows that they read without an index."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from dbdyno._native import Session
from dbdyno.database.session import open_session
from dbdyno.schema import ScannedRows, read_scanned_rows, read_statistics
from dbdyno.size.asking import Connect
from tests.live.engine.fixed_server import MariaDb, PostgreSql
from tests.live.size.opened import connect

pytestmark = pytest.mark.live

ROWS = 2000
NUMBERS = "VALUES " + ", ".join(f"({number}, {number % 7})" for number in range(1, ROWS + 1))
TELLS_WITHIN_S = 20.0


def make(session: Session) -> None:
    """Make a table with rows, and one without."""
    for name in ("filled", "bare"):
        session.query(f"CREATE TABLE {name} (id INT NOT NULL PRIMARY KEY, k INT)")
    session.query(f"INSERT INTO filled {NUMBERS}")


def scanned_by(opened: Connect, database: str, statement: str) -> dict[str, int]:
    """Return what a server counts of a statement; PostgreSQL may tell it a little later."""
    before = read_scanned_rows(opened, database)
    with opened() as session:
        session.query(statement)
    return _when_told(lambda: read_scanned_rows(opened, database).since(before))


def _when_told(read: Callable[[], ScannedRows]) -> dict[str, int]:
    started = time.monotonic()
    while not (told := read()).by_table and time.monotonic() - started < TELLS_WITHIN_S:
        assert told.reason is None
        time.sleep(0.05)
    return dict(told.by_table)


def test_postgresql_tells_tables_that_nobody_has_analysed(postgresql: PostgreSql) -> None:
    postgresql.query("CREATE DATABASE plans")
    opened = connect(postgresql, "plans")
    with opened() as session:
        make(session)
        session.query("ALTER TABLE filled SET (autovacuum_enabled = off)")
    statistics = read_statistics(opened, "postgresql", ("filled", "bare"))
    assert (statistics.missing, statistics.analysed_unix_s) == (("filled",), None)
    started_s = time.time()
    with opened() as session:
        session.query("ANALYZE filled")
    statistics = read_statistics(opened, "postgresql", ("filled", "bare"))
    assert (statistics.rows, statistics.missing) == (ROWS, ())
    assert read_statistics(opened, "postgresql", None).rows == ROWS
    assert read_statistics(opened, "postgresql", ("bare",)).rows == 0
    _when_analysed(opened, started_s)


def _when_analysed(opened: Connect, started_s: float) -> None:
    started = time.monotonic()
    while True:
        told_s = read_statistics(opened, "postgresql", ("filled",)).analysed_unix_s
        if told_s is not None and told_s >= started_s - 1:
            return
        assert time.monotonic() - started < TELLS_WITHIN_S
        time.sleep(0.05)


def test_postgresql_tells_scanned_rows_by_table(postgresql: PostgreSql) -> None:
    postgresql.query("CREATE DATABASE scans")
    opened = connect(postgresql, "scans")
    with opened() as session:
        make(session)
        session.query("ANALYZE filled")
    before = read_scanned_rows(opened, "postgresql")
    with opened() as session:
        session.query("SELECT k FROM filled WHERE id = 77")
    # One reading tells of both, so that the first has been told, too.
    assert scanned_by(opened, "postgresql", "SELECT SUM(k) FROM filled") == {"filled": ROWS}
    assert read_scanned_rows(opened, "postgresql").since(before).by_table == {"filled": ROWS}


def test_mariadb_tells_statistics_and_scans(mariadb: MariaDb) -> None:
    mariadb.query("CREATE DATABASE plans")
    opened = connect(mariadb, "plans")
    with opened() as session:
        make(session)
        session.query("ALTER TABLE filled STATS_AUTO_RECALC=0")
        session.query("ANALYZE TABLE filled")
        known = read_statistics(opened, "mysql", ("filled", "bare"))
        # As it is after a load for which nobody has counted again.
        session.query("UPDATE mysql.innodb_table_stats SET n_rows = 0 WHERE table_name = 'filled'")
        unknown = read_statistics(opened, "mysql", ("filled", "bare"))
    assert known.rows == pytest.approx(ROWS, rel=0.2)
    assert known.missing == ()
    assert known.analysed_unix_s == pytest.approx(time.time(), abs=600)
    assert unknown.missing == ("filled",)
    whole = scanned_by(opened, "mysql", "SELECT SUM(k) FROM filled")
    assert whole[""] == pytest.approx(ROWS, rel=0.1)
    grouped = "SELECT DISTINCT k + id FROM filled WHERE id <= 1900 ORDER BY 1"
    before = read_scanned_rows(opened, "mysql")
    with opened() as session:
        session.query(grouped)
    assert read_scanned_rows(opened, "mysql").since(before) == ScannedRows()


def test_who_may_not_read_statistics_is_told_so(mariadb: MariaDb) -> None:
    mariadb.query("CREATE USER reader@'127.0.0.1'")
    mariadb.query("GRANT ALL ON test.* TO reader@'127.0.0.1'")
    statistics = read_statistics(connect(mariadb, user="reader"), "mysql", None)
    assert "denied" in (statistics.reason or "")


def test_sqlite_tells_whether_it_was_analysed(tmp_path: Path) -> None:
    def opened() -> AbstractContextManager[Session]:
        return open_session(f"sqlite:///{tmp_path / 'a.db'}", None)

    with opened() as session:
        make(session)
        session.query("CREATE TABLE `it's` (id INT)")
        session.query("INSERT INTO `it's` VALUES (1)")
    assert read_statistics(opened, "sqlite", None).missing == ("filled", "it's")
    with opened() as session:
        session.query("ANALYZE filled")
    assert read_statistics(opened, "sqlite", None).missing == ("it's",)
    assert read_statistics(opened, "sqlite", ("filled",)).rows == ROWS
    assert "does not count" in (read_scanned_rows(opened, "sqlite").reason or "")


def test_a_counter_that_began_again_tells_nothing() -> None:
    before = ScannedRows({"t": 7})
    assert ScannedRows({"t": 9, "u": 1}).since(before) == ScannedRows({"t": 2, "u": 1})
    assert "again" in (ScannedRows({"t": 3}).since(before).reason or "")
