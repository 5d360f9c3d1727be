"""The logical size on SQLite, which needs no server: what is added up, and what a sample says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from dbdyno._native import Session
from dbdyno.database.session import open_session
from dbdyno.size import DiskSize, LogicalSize, logical, logical_size, size_on_disk, tables_of
from dbdyno.size.dialect import DIALECTS, Dialect

ROWS = 1000


class Database:
    """A database file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def connect(self) -> Iterator[Session]:
        """Open a connection, as the program does."""
        session = Session.connect(f"sqlite:///{self.path}?journal_mode=wal")
        try:
            yield session
        finally:
            session.close()

    def run(self, *statements: str) -> None:
        """Run statements."""
        with self.connect() as session:
            for statement in statements:
                session.query(statement)

    def logical(self, *tables: str) -> LogicalSize:
        """Return the logical size of some tables, or of all."""
        return logical_size(self.connect, "sqlite", tables or None)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """Return one with a table whose rows have 100 bytes of text each, and their numbers."""
    database = Database(tmp_path / "database.sqlite")
    database.run(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, c TEXT)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) "
        "INSERT INTO t SELECT i, printf('%0100d', i) FROM n",
    )
    return database


DIGITS = sum(len(str(number)) for number in range(1, ROWS + 1))


def test_the_bytes_of_all_values_are_added_up_as_text(database: Database) -> None:
    assert database.logical("t") == LogicalSize(
        100 * ROWS + DIGITS, ROWS, tables_bytes={"t": 100 * ROWS + DIGITS}
    )
    database.run(
        'CREATE TABLE "odd ""name""" (a TEXT, b REAL, c INTEGER, d INT AS (c + 1))',
        'INSERT INTO "odd ""name""" (a, b, c) VALUES (\'äh\', 1.5, NULL), (NULL, -2.0, 12)',
    )
    # ä has two bytes in UTF-8, NULL has none, and d is no value that anybody wrote.
    assert database.logical('odd "name"').size_bytes == 3 + 3 + 4 + 2
    assert set(database.logical().tables_bytes) == {"t", 'odd "name"'}


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5])
def test_a_part_of_a_large_table_is_read_and_scaled_up(
    database: Database, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.connect() as session:
        pages = int(session.query("PRAGMA page_count")[0][0] or 0)
    monkeypatch.setattr(logical, "READ_BYTES_MAX", share * 4096 * pages)
    size = database.logical("t")
    assert size.read_share == pytest.approx(share, rel=0.2)
    assert size.rows == ROWS
    # The rows' numbers have unlike lengths, all else is alike.
    assert size.size_bytes == pytest.approx(100 * ROWS + DIGITS, rel=0.002)


def test_all_that_is_asked_for_has_to_be_there(database: Database) -> None:
    assert database.logical("t", "u").reason == "there is no table u"
    database.run("CREATE TABLE empty (a TEXT)")
    assert database.logical("empty") == LogicalSize(0, 0, tables_bytes={"empty": 0})


def test_a_large_table_that_no_part_can_be_read_of_is_not_known(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.run("CREATE TABLE w (a TEXT PRIMARY KEY) WITHOUT ROWID")
    monkeypatch.setattr(logical, "READ_BYTES_MAX", 1)
    monkeypatch.setattr(logical, "WITHOUT_KEY_BYTES_MAX", 1)
    monkeypatch.setitem(DIALECTS, "sqlite", without_keys())
    size = database.logical("w")
    assert size.size_bytes is None
    assert "no index that begins with a whole number" in (size.reason or "")


def without_keys() -> Dialect:
    return replace(DIALECTS["sqlite"], keys="SELECT 'a', 'text'")


@pytest.mark.parametrize("first", [1, -50, 10**12])
@pytest.mark.parametrize("span", [1, 8, 9, 10, 1000, 12_345])
@pytest.mark.parametrize("share", [1e-9, 0.01, 0.3, 0.99])
def test_stretches_lie_apart_within_the_key(first: int, span: int, share: float) -> None:
    found = list(logical.stretches(first, first + span - 1, share))
    assert all(begin <= end for begin, end in found)
    ends = [end for pair in found for end in pair]
    assert ends == sorted(ends)
    assert ends[0] >= first
    assert ends[-1] <= first + span - 1
    assert all(one[1] < other[0] for one, other in pairwise(found))
    covered = sum(end - begin + 1 for begin, end in found)
    assert covered == span if span <= logical.STRETCHES else covered >= logical.STRETCHES


def test_sqlite_takes_the_file_and_its_log(database: Database) -> None:
    with database.connect() as session:
        session.query("INSERT INTO t SELECT id + 1000, c FROM t")
        size = size_on_disk(database.connect, "sqlite", ["t"])
        log_bytes = Path(f"{database.path}-wal").stat().st_size
        pages = int(session.query("PRAGMA page_count")[0][0] or 0)
    assert log_bytes > 0
    assert size.size_bytes == 4096 * pages + log_bytes


def test_no_connection_is_a_reason() -> None:
    def connect() -> AbstractContextManager[Session]:
        return open_session("mysql://nobody@127.0.0.1:1/test", None)

    sizes: tuple[DiskSize | LogicalSize, ...] = (
        size_on_disk(connect, "mysql", None),
        logical_size(connect, "mysql", None),
    )
    for size in sizes:
        assert size.size_bytes is None
        assert "cannot connect to mysql://nobody@127.0.0.1:1/test" in (size.reason or "")


def test_the_tables_of_a_workload_are_told_by_its_plan() -> None:
    assert tables_of({"sysbench": {"tables": 2}}) == ("sbtest1", "sbtest2")
    spec = tables_of({"tpcc": {"schema": "spec"}})
    assert spec is not None
    assert len(spec) == 9
    assert tables_of({"tpcc": {"schema": "go_tpc"}}) == spec
    assert "bmsql_oorder" in (tables_of({"tpcc": {"schema": "benchmarksql"}}) or ())
    assert "new_orders" in (tables_of({"tpcc": {"schema": "tpcc_mysql"}}) or ())
    assert "pgbench_accounts" in (tables_of({"pgbench": {"scale": 1}}) or ())
    assert tables_of({"pgbench": {"scale": 1, "setup": []}}) is None
    assert tables_of({"sql": {}}) is None
