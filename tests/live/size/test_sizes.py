"""What servers say of the sizes of their tables, held against files and against each other."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from dbdyno.size import (
    DiskSize,
    LogicalSize,
    compression_of,
    logical,
    logical_size,
    size_on_disk,
    tables_of,
)
from tests.live.engine.fixed_server import MariaDb, MyRocks, PostgreSql
from tests.live.size.opened import connect
from tests.live.tpcc_commands.conftest import must

pytestmark = pytest.mark.live

TPCC = tables_of({"tpcc": {"schema": "spec"}})
SENTENCE = "the parcel with product number {} arrived on time and nothing in it was broken\n"


@pytest.fixture(scope="module")
def loaded(mariadb: MariaDb, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Return what ``tpcc load`` says of a warehouse with texts from a file, by row format."""
    text = tmp_path_factory.mktemp("text") / "text"
    text.write_text("".join(SENTENCE.format(number) for number in range(500)))
    said = {}
    for row_format in ("dynamic", "compressed"):
        mariadb.query(f"CREATE DATABASE {row_format}")
        options = ("--table-options", f"ROW_FORMAT={row_format}", "--text", str(text), "--json")
        url = mariadb.url().removesuffix("test") + row_format
        said[row_format] = json.loads(must("tpcc", "load", url, *options).output)
    return said


def test_compressed_pages_hold_the_same_values_in_less(
    mariadb: MariaDb, loaded: dict[str, dict[str, Any]]
) -> None:
    dynamic, compressed = (loaded[name]["size"] for name in ("dynamic", "compressed"))
    assert dynamic["logical"] == compressed["logical"]
    assert dynamic["logical"]["rows"] == loaded["dynamic"]["rows"]
    assert compressed["logical_per_disk"] > 1.3 * dynamic["logical_per_disk"]
    for name in loaded:
        folder = mariadb.directory / "data" / name
        file_bytes = sum(file.stat().st_blocks * 512 for file in folder.glob("*.ibd"))
        on_disk = size_on_disk(connect(mariadb, name), "mysql", TPCC).size_bytes
        assert on_disk == pytest.approx(file_bytes, rel=0.02)


def test_a_sample_of_a_warehouse_is_close(
    mariadb: MariaDb, loaded: dict[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logical, "READ_BYTES_MAX", 1 << 20)
    size = logical_size(connect(mariadb, "dynamic"), "mysql", ("item",))
    assert size.read_share < 0.2
    whole = loaded["dynamic"]["size"]["logical"]["tables_bytes"]["item"]
    assert size.size_bytes == pytest.approx(whole, rel=0.01)
    assert size.rows == pytest.approx(100_000, rel=0.001)


@pytest.mark.usefixtures("loaded")
def test_who_may_not_ask_for_files_is_told_so(mariadb: MariaDb) -> None:
    mariadb.query("CREATE USER guest@'127.0.0.1'")
    mariadb.query("GRANT ALL ON dynamic.* TO guest@'127.0.0.1'")
    guest = connect(mariadb, "dynamic", "guest")
    size = size_on_disk(guest, "mysql", TPCC)
    assert size.size_bytes is None
    assert "PROCESS" in (size.reason or "")
    assert logical_size(guest, "mysql", ("warehouse",)).rows == 1


@pytest.mark.usefixtures("loaded")
def test_tables_are_found_again_after_a_restart(mariadb: MariaDb) -> None:
    before = size_on_disk(connect(mariadb, "dynamic"), "mysql", TPCC)
    # It then opens a table when somebody asks for it, and knows no file of the others.
    mariadb.kill(signal.SIGTERM)
    mariadb.start()
    after = size_on_disk(connect(mariadb, "dynamic"), "mysql", TPCC)
    assert after.reason is None
    assert set(after.tables_bytes) == set(before.tables_bytes)


def test_names_and_partitions_of_mariadb(mariadb: MariaDb) -> None:
    mariadb.query("CREATE DATABASE `my-shop` CHARACTER SET utf8mb4")
    mariadb.query(
        "CREATE TABLE `my-shop`.`a $``table` (`k k` INT PRIMARY KEY, v VARCHAR(9), w INT AS (1)) "
        "PARTITION BY HASH (`k k`) PARTITIONS 3"
    )
    mariadb.query("INSERT INTO `my-shop`.`a $``table` (`k k`, v) VALUES (10, 'ä'), (7, NULL)")
    opened = connect(mariadb, "my-shop")
    files = (mariadb.directory / "data" / "my@002dshop").glob("*.ibd")
    file_bytes = sum(file.stat().st_size for file in files)
    assert size_on_disk(opened, "mysql", None).size_bytes == pytest.approx(file_bytes, rel=0.05)
    assert logical_size(opened, "mysql", None).size_bytes == 2 + 2 + 1


def test_myrocks_tells_its_part_of_the_sorted_files(rocksdb_plugins: Path) -> None:
    with MyRocks(rocksdb_plugins) as server:
        for table in ("one", "other"):
            server.query(f"CREATE TABLE {table} (id INT PRIMARY KEY, v VARCHAR(200), KEY (v))")
            server.query(f"INSERT INTO {table} SELECT seq, REPEAT(seq, 30) FROM seq_1_to_30000")
        in_memory = size_on_disk(connect(server), "mysql", None)
        assert in_memory.size_bytes is not None
        assert "were in memory" in (in_memory.note or "")
        server.query("SET GLOBAL rocksdb_force_flush_memtable_now = 1")
        flushed = size_on_disk(connect(server), "mysql", None)
        assert flushed.note is None
        assert flushed.size_bytes is not None
        files = (server.directory / "data" / "#rocksdb").glob("*.sst")
        file_bytes = sum(file.stat().st_size for file in files)
        assert flushed.size_bytes == pytest.approx(file_bytes, rel=0.1)
        one = size_on_disk(connect(server), "mysql", ["one"])
        assert one.size_bytes == pytest.approx(flushed.size_bytes / 2, rel=0.1)
        values = logical_size(connect(server), "mysql", ["one"])
        assert values.size_bytes is not None
        assert one.size_bytes is not None
        assert values.size_bytes > 2 * one.size_bytes


def test_postgresql_adds_up_indexes_and_partitions(postgresql: PostgreSql) -> None:
    postgresql.query('CREATE TABLE "My ""t""" (k INT, v TEXT, b BYTEA) PARTITION BY HASH (k)')
    for part in range(2):
        postgresql.query(
            f'CREATE TABLE t_p{part} PARTITION OF "My ""t""" '
            f"FOR VALUES WITH (MODULUS 2, REMAINDER {part})"
        )
    rows = "SELECT n, 'ä', '\\x0001' FROM generate_series(10, 99) n"
    postgresql.query(f'INSERT INTO "My ""t""" {rows}')
    postgresql.query('ALTER TABLE "My ""t""" ADD PRIMARY KEY (k)')
    opened = connect(postgresql)
    names = ('My "t"',)
    ((parts,),) = postgresql.query(
        "SELECT pg_total_relation_size('t_p0') + pg_total_relation_size('t_p1')"
    )
    for tables in (names, None):
        assert size_on_disk(opened, "postgresql", tables) == DiskSize(
            int(parts or 0), "pg_total_relation_size", tables_bytes={names[0]: int(parts or 0)}
        )
        assert logical_size(opened, "postgresql", tables) == LogicalSize(
            90 * (2 + 2 + 2), 90, tables_bytes={names[0]: 90 * 6}
        )
    assert size_on_disk(opened, "postgresql", ["u"]).reason == "there is no table u"


def test_a_part_of_a_table_of_postgresql_is_close(
    postgresql: PostgreSql, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgresql.query("CREATE TABLE large (id BIGINT PRIMARY KEY, v TEXT)")
    postgresql.query(
        "INSERT INTO large SELECT n, repeat('x', 100) FROM generate_series(1, 50000) n"
    )
    whole = logical_size(connect(postgresql), "postgresql", ["large"])
    monkeypatch.setattr(logical, "READ_BYTES_MAX", 1 << 20)
    part = logical_size(connect(postgresql), "postgresql", ["large"])
    assert part.read_share < 0.3
    assert part.size_bytes == pytest.approx(whole.size_bytes, rel=0.005)
    assert part.rows == pytest.approx(50_000, rel=0.001)


def test_filler_compresses_and_random_values_do_not(postgresql: PostgreSql) -> None:
    opened = connect(postgresql)
    filler, random = "repeat('x', 100)", "md5(random()::text) || md5(random()::text)"
    for name, value in (("filler", filler), ("random", random), ("bare", "1")):
        rows = 0 if name == "bare" else 5000
        postgresql.query(
            f"CREATE TABLE {name} AS SELECT n, {value} v FROM generate_series(1, {rows}) n"
        )
    compressed = compression_of(opened, "postgresql", {"filler": 500_000, "bare": 0})
    assert compressed.ratio is not None
    assert compressed.ratio > 10
    values = compression_of(opened, "postgresql", {"random": 500_000})
    assert values.ratio is not None
    assert values.ratio < 2.5
    assert values.sample_bytes > 500 * 64
    both = compression_of(opened, "postgresql", {"filler": 500_000, "random": 500_000})
    assert both.ratio is not None
    assert values.ratio < both.ratio < 2 * values.ratio
    assert "no rows" in (compression_of(opened, "postgresql", {"bare": 0}).reason or "")
