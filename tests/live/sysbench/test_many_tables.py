"""SQLite with many tables: each transaction is forced to the disk, and so they share a few."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.live.run.launch import Ended, call
from tests.live.run.stage import Stage

pytestmark = pytest.mark.live

TABLES = 150
"""More than are analysed one by one."""
FEW, MANY = 1_000, 6_000
WRITTEN_SET_UP = """\
experiment: written
question: Is what cannot stand in a transaction left out of one?
workload:
  sql:
    setup:
      - CREATE TABLE a (id INTEGER PRIMARY KEY)
      - VACUUM
      - CREATE TABLE b (id INTEGER PRIMARY KEY)
      - PRAGMA journal_mode = wal
      - CREATE INDEX b_id ON b (id)
      - fill: a
        rows: 10
        columns: {id: {sequence: 1}}
      - CREATE INDEX a_id ON a (id)
      - ANALYZE
      - VACUUM
    transactions: {one: SELECT id FROM a}
target: {sqlite: {}}
factors: {clients: [1]}
procedure: {warmup: 0.1s, duration: 0.3s, interval: 0.1s, rounds: 1}
"""


def sysbench(file: Path, command: str) -> Ended:
    options = [f"--tables={TABLES}", "--table-size=10", f"--sqlite-db={file}", "--time=1"]
    ended = call(["sysbench", "oltp_read_write", "--db-driver=sqlite", *options, command])
    assert ended.status == 0, ended
    return ended


def transactions(file: Path) -> int:
    """Return how many transactions have changed a file: SQLite counts them in its header."""
    return int.from_bytes(file.read_bytes()[24:28], "big")


def test_they_are_made_and_dropped_in_a_few_transactions(tmp_path: Path) -> None:
    file = tmp_path / "many.sqlite"
    sysbench(file, "prepare")
    made = transactions(file)
    assert made < TABLES / 10
    with closing(sqlite3.connect(file)) as database:
        (indexes,) = database.execute("SELECT COUNT(*) FROM sqlite_master WHERE type = 'index'")
        (analysed,) = database.execute("SELECT COUNT(DISTINCT tbl) FROM sqlite_stat1")
        (rows,) = database.execute(f"SELECT COUNT(*) FROM sbtest{TABLES}")
    assert (indexes[0], analysed[0], rows[0]) == (TABLES, TABLES, 10)
    sysbench(file, "run")
    before = transactions(file)
    sysbench(file, "cleanup")
    assert transactions(file) - before < TABLES / 10
    with closing(sqlite3.connect(file)) as database:
        query = "SELECT name FROM sqlite_master WHERE name LIKE 'sbtest%'"
        assert database.execute(query).fetchall() == []


def test_a_client_of_thousands_of_tables_costs_no_more_for_each(tmp_path: Path) -> None:
    """Before, four clients of 10,000 tables took a minute and a half to prepare."""
    file = tmp_path / "many.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("BEGIN")
        for number in range(1, MANY + 1):
            table = f"sbtest{number}"
            columns = "id INTEGER PRIMARY KEY, k INTEGER, c TEXT, pad TEXT"
            database.execute(f"CREATE TABLE {table} ({columns})")
            database.execute(f"INSERT INTO {table} VALUES (1, 1, 'c', 'pad')")
        database.execute("COMMIT")

    def cpu_s(tables: int, command: str) -> float:
        options = [f"--tables={tables}", "--table-size=1", f"--sqlite-db={file}", "--events=1"]
        before_s = sum(os.times()[:4])
        ended = call(["sysbench", "oltp_read_write", "--db-driver=sqlite", *options, command])
        assert ended.status == 0, ended
        return sum(os.times()[:4]) - before_s

    assert cpu_s(MANY, "run") < MANY / FEW * cpu_s(FEW, "run")
    assert cpu_s(MANY, "prewarm") < MANY / FEW * cpu_s(FEW, "prewarm")


def test_what_cannot_stand_in_a_transaction_stands_in_none(stage: Stage) -> None:
    stage.file.write_text(WRITTEN_SET_UP)
    ended = stage.run()
    assert ended.status == 0, ended


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """Return a directory for an experiment."""
    return Stage(tmp_path)
