"""The durability class of settings, against the manuals."""

from __future__ import annotations

import pytest

from dbdyno.target.durability import (
    Durability,
    mysql_durability,
    postgres_durability,
    sqlite_durability,
)

INNODB = {
    "default_storage_engine": "InnoDB",
    "innodb_flush_log_at_trx_commit": "1",
    "innodb_flush_method": "O_DIRECT",
    "log_bin": "OFF",
    "sync_binlog": "0",
}
BINARY_LOG = {"log_bin": "ON"}


@pytest.mark.parametrize(
    ("change", "durability"),
    [
        ({}, Durability.EVERY_COMMIT),
        ({"innodb_flush_log_at_trx_commit": "3"}, Durability.EVERY_COMMIT),
        ({"innodb_flush_log_at_trx_commit": "2"}, Durability.EACH_SECOND),
        ({"innodb_flush_log_at_trx_commit": "0"}, Durability.EACH_SECOND),
        ({"innodb_flush_method": "nosync"}, Durability.NONE),
        (BINARY_LOG, Durability.BINARY_LOG_NOT_SYNCED),
        (BINARY_LOG | {"sync_binlog": "1"}, Durability.EVERY_COMMIT),
        (BINARY_LOG | {"sync_binlog": "100"}, Durability.BINARY_LOG_NOT_SYNCED),
        (BINARY_LOG | {"innodb_flush_log_at_trx_commit": "2"}, Durability.EACH_SECOND),
        (
            {"default_storage_engine": "ROCKSDB", "rocksdb_flush_log_at_trx_commit": "2"},
            Durability.EACH_SECOND,
        ),
        ({"default_storage_engine": "Aria"}, Durability.UNKNOWN),
    ],
)
def test_mysql(change: dict[str, str], durability: Durability) -> None:
    assert mysql_durability(INNODB | change) == durability


def test_a_server_that_shows_no_such_settings() -> None:
    assert mysql_durability({}) == Durability.UNKNOWN


def test_a_server_that_shows_the_settings_of_another_storage() -> None:
    assert mysql_durability(INNODB, "MariaDB") == Durability.EVERY_COMMIT
    assert mysql_durability(INNODB, "TiDB") == Durability.UNKNOWN


@pytest.mark.parametrize(
    ("journal_mode", "synchronous", "durability"),
    [
        ("delete", "full", Durability.EVERY_COMMIT),
        ("delete", "normal", Durability.EVERY_COMMIT),
        ("wal", "extra", Durability.EVERY_COMMIT),
        ("wal", "full", Durability.EVERY_COMMIT),
        ("wal", "normal", Durability.AT_CHECKPOINT),
        ("wal", "off", Durability.NONE),
        ("off", "full", Durability.NONE),
        ("memory", "extra", Durability.NONE),
    ],
)
def test_sqlite(journal_mode: str, synchronous: str, durability: Durability) -> None:
    settings = {"journal_mode": journal_mode, "synchronous": synchronous}
    assert sqlite_durability(settings) == durability


@pytest.mark.parametrize(
    ("fsync", "synchronous_commit", "durability"),
    [
        ("on", "on", Durability.EVERY_COMMIT),
        ("on", "remote_apply", Durability.EVERY_COMMIT),
        ("on", "local", Durability.EVERY_COMMIT),
        ("on", "off", Durability.EACH_SECOND),
        ("off", "on", Durability.NONE),
        ("off", "off", Durability.NONE),
    ],
)
def test_postgresql(fsync: str, synchronous_commit: str, durability: Durability) -> None:
    settings = {"fsync": fsync, "synchronous_commit": synchronous_commit}
    assert postgres_durability(settings) == durability
